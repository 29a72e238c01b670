import { useState } from 'react';
import type { ReactElement } from 'react';
import { decimalFrom } from '../look/decimal.js';
import { Icon } from '../look/icon.js';
import { fetchAllGroups } from './cost-question.js';
import type { CostQuestion } from './cost-question.js';
import { csvOf } from './csv.js';
import { datesOf } from './window.js';

/** All groups as a file, with every digit. */
export function CsvButton({ question }: { question: CostQuestion }): ReactElement {
  const [state, setState] = useState<'idle' | 'working' | 'failed'>('idle');
  const save = async () => {
    setState('working');
    try {
      const groups = await fetchAllGroups(question);
      const { by, window, zone } = question;
      const { first, last } = datesOf(window, zone);
      const rows = groups.map(({ values, usage, nano }) => [
        ...by.map((dimension) => values[dimension] ?? ''),
        ...(by.includes('billing_dimension') ? [usage ?? ''] : []),
        decimalFrom(nano),
      ]);
      const head = [...by, ...(by.includes('billing_dimension') ? ['usage'] : []), 'cost_usd'];
      const address = URL.createObjectURL(new Blob([csvOf([head, ...rows])], { type: 'text/csv' }));
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
        <span role="alert">The file could not be made: the service did not answer. Try again.</span>
      )}
      <button type="button" className="button" disabled={state === 'working'} onClick={() => void save()}>
        <Icon name="download" />
        {state === 'working' ? 'Making the file…' : 'All groups as CSV'}
      </button>
    </>
  );
}
