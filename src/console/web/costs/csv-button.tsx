import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { stayOpen } from '../look/stay-open.js';
import { fetchAllGroups } from './cost-query.js';
import type { CostQuestion } from './cost-query.js';
import { resolutions } from './costs-search.js';
import { bucketsCsv, costsCsv } from './csv.js';
import type { BucketTimes } from './csv.js';
import { datesOf } from './window.js';

interface CsvButtonProps {
  question: CostQuestion;
  /** The same for the previous period, while the two are compared. */
  earlier: CostQuestion | undefined;
  buckets: BucketTimes;
}

/** Exports all groups with exact amounts: their totals, or their cost in each bucket. */
export function CsvButton({ question, earlier, buckets }: CsvButtonProps): ReactElement {
  const [state, setState] = useState<'idle' | 'working' | 'failed'>('idle');
  const save = async (isOfBuckets: boolean) => {
    setState('working');
    try {
      const [groups, groupsBefore] = await Promise.all([
        fetchAllGroups(question),
        earlier === undefined ? undefined : fetchAllGroups(earlier),
      ]);
      const { by, window, zone } = question;
      const { first, last } = datesOf(window, zone);
      const text = isOfBuckets ? bucketsCsv(by, buckets, groups, groupsBefore) : costsCsv(by, groups, groupsBefore);
      const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = `costs ${isOfBuckets ? `${buckets.resolution} ` : ''}${first} ${last} ${zone.name.replaceAll('/', '-')}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  const isWorking = state === 'working';
  return (
    <>
      {state === 'failed' && (
        <span role="alert">Could not export the CSV file because the service did not respond. Try again.</span>
      )}
      <Menu.Root onOpenChange={(isOpen, change) => (isOpen && isWorking ? change.cancel() : stayOpen(isOpen, change))}>
        {/* Not `disabled`, which would take the focus away from it. */}
        <Menu.Trigger className="button" aria-disabled={isWorking}>
          <Icon name="download" />
          {isWorking ? 'Exporting…' : 'Export CSV'}
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="positioner" sideOffset={4} align="end">
            <Menu.Popup className="popup">
              <Menu.Item onClick={() => void save(false)}>Totals by group</Menu.Item>
              <Menu.Item onClick={() => void save(true)}>
                {resolutions[buckets.resolution].label} costs by group
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </>
  );
}
