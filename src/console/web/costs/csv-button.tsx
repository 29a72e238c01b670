import { useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { fetchAllGroups } from './cost-query.js';
import type { CostQuestion } from './cost-query.js';
import { costsCsv } from './csv.js';
import { datesOf } from './window.js';

interface CsvButtonProps {
  question: CostQuestion;
  /** The same for the previous period, while the two are compared. */
  earlier: CostQuestion | undefined;
}

/** Exports all groups with exact amounts. */
export function CsvButton({ question, earlier }: CsvButtonProps): ReactElement {
  const [state, setState] = useState<'idle' | 'working' | 'failed'>('idle');
  const save = async () => {
    setState('working');
    try {
      const [groups, groupsBefore] = await Promise.all([
        fetchAllGroups(question),
        earlier === undefined ? undefined : fetchAllGroups(earlier),
      ]);
      const { by, window, zone } = question;
      const { first, last } = datesOf(window, zone);
      const text = costsCsv(by, groups, groupsBefore);
      const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = `costs ${first} ${last} ${zone.name.replaceAll('/', '-')}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  return (
    <>
      {state === 'failed' && (
        <span role="alert">Could not export the CSV file because the service did not respond. Try again.</span>
      )}
      <button type="button" className="button" disabled={state === 'working'} onClick={() => void save()}>
        <Icon name="download" />
        {state === 'working' ? 'Exporting…' : 'Export CSV'}
      </button>
    </>
  );
}
