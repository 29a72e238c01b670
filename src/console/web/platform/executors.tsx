import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ShownSecret } from '../access/secret-dialog.js';
import { SecretDialog } from '../access/secret-dialog.js';
import { perform } from '../api/perform.js';
import type { AllNodes } from '../api/use-all-nodes.js';
import { useViewer } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { FurtherPages } from '../look/further-pages.js';
import { formatCount } from '../look/money.js';
import { Notice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import type { RowAction } from '../look/row-menu.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Section } from '../resources/section.js';
import { EditExecutor, NewExecutor } from './executor-dialogs.js';
import { deleteExecutorMutation, everyRegion, revokeExecutorMutation, workKinds } from './executor-queries.js';
import type { Executor } from './executor-queries.js';

interface ExecutorsProps {
  list: AllNodes<Executor>;
  totalCount: number;
  /** The names of all regions. */
  regions: readonly string[];
  onChange: () => void;
}

/** The executors and their health, those with a problem first. Admins of the platform register and revoke them. */
export function Executors({ list, totalCount, regions, onChange }: ExecutorsProps): ReactElement {
  const { isPlatformAdmin } = useViewer();
  const [isAll, setAll] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  const executors = list.nodes;
  const active = executors.filter(({ revokedAt }) => revokedAt === null);
  const listed = isAll ? executors : active;
  const revokedCount = executors.length - active.length;
  return (
    <Section
      title="Executors"
      aside={
        <span className="section-actions">
          {revokedCount > 0 && (
            <button type="button" className="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
              Show revoked <span className="quiet">{formatCount(revokedCount)}</span>
            </button>
          )}
          {isPlatformAdmin && (
            <NewExecutor
              regions={regions}
              onCreated={(created) => {
                setSecret(created);
                onChange();
              }}
            />
          )}
        </span>
      }
    >
      {listed.length === 0 ? (
        <Notice title={isPlatformAdmin ? 'No executors yet' : 'No executors serve your regions'}>
          An executor runs what is deployed, and reports its state. Without one, resources move straight to their final
          state.
        </Notice>
      ) : (
        <ExecutorTable executors={listed.toSorted(byUrgency)} onChange={onChange} />
      )}
      <FurtherPages of="executors" list={list} totalCount={totalCount} />
      <SecretDialog of="key" secret={secret} onClose={() => setSecret(undefined)} />
    </Section>
  );
}

const urgency: readonly string[] = ['SILENT', 'EXPIRED', 'HEALTHY', 'REVOKED'];

function stateOf({ health, revokedAt }: Executor): string {
  return revokedAt === null ? health : 'REVOKED';
}

function byUrgency(one: Executor, other: Executor): number {
  return urgency.indexOf(stateOf(one)) - urgency.indexOf(stateOf(other));
}

const columns: TableColumn<Executor>[] = [
  { label: 'Executor', value: ({ name }) => name },
  { label: 'Health', value: (executor) => urgency.indexOf(stateOf(executor)) },
  { label: 'Key expires', value: ({ expiresAt }) => expiresAt },
];

/** What only admins of the platform see. */
const platformColumns: TableColumn<Executor>[] = [
  ...columns.slice(0, 2),
  { label: 'Last seen', value: ({ lastSeenAt }) => lastSeenAt },
  { label: 'Regions', value: regionsText },
  { label: 'Work', value: workText },
  { label: 'Addresses', value: ({ addressRanges }) => addressRanges?.join() },
  ...columns.slice(2),
];

const textOf = (executor: Executor) => [executor.name, stateOf(executor), ...(executor.regions ?? [])].join(' ');

interface ExecutorTableProps {
  executors: readonly Executor[];
  onChange: () => void;
}

function ExecutorTable({ executors, onChange }: ExecutorTableProps): ReactElement {
  const { isPlatformAdmin } = useViewer();
  const { rows, headings, filterField, noMatch } = useTableRows(
    executors,
    isPlatformAdmin ? platformColumns : columns,
    textOf,
  );
  return (
    <>
      {filterField}
      <PlainTable columns={headings} hasNoActions={!isPlatformAdmin} label="Executors" rows={rows} noMatch={noMatch}>
        {(executor) => (
          <tr key={executor.name} className={executor.revokedAt === null ? '' : 'ended'}>
            <td>
              <strong className="mono">{executor.name}</strong>
              {executor.keyPrefix !== null && <code className="under-name">{executor.keyPrefix}…</code>}
            </td>
            <td>
              <StateMark state={stateOf(executor)} />
              {executor.revokedAt !== null && (
                <span className="under-name">
                  <Time value={executor.revokedAt} />
                </span>
              )}
            </td>
            {isPlatformAdmin && (
              <>
                <td data-label="Last seen">
                  {executor.lastSeenAt === null ? 'Never' : <Time value={executor.lastSeenAt} />}
                </td>
                <td data-label="Regions" title={executor.regions?.join(', ')}>
                  {regionsText(executor)}
                </td>
                <td data-label="Work" title={workNames(executor).join(', ')}>
                  {workText(executor)}
                </td>
                <td data-label="Addresses" title={executor.addressRanges?.join(', ')}>
                  {executor.addressRanges?.length === 0 ? (
                    <span className="quiet">Any</span>
                  ) : (
                    <span className="mono">{firstOf(executor.addressRanges ?? [])}</span>
                  )}
                </td>
              </>
            )}
            <td data-label="Key expires">
              {executor.expiresAt === null ? 'Never' : <Time value={executor.expiresAt} />}
            </td>
            {isPlatformAdmin && (
              <td>
                <RowMenu label={`Actions of ${executor.name}`} actions={actionsOf(executor, onChange)} />
              </td>
            )}
          </tr>
        )}
      </PlainTable>
    </>
  );
}

function regionsText({ regions }: Executor): string {
  return regions?.includes(everyRegion) === true ? 'All' : firstOf(regions ?? []);
}

function workNames({ kinds }: Executor): string[] {
  return workKinds.filter(({ value }) => kinds?.includes(value)).map(({ label }) => label);
}

function workText(executor: Executor): string {
  const names = workNames(executor);
  return names.length === workKinds.length ? 'All kinds' : firstOf(names);
}

/** The first of several texts, and how many more there are. */
function firstOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} +${others.length}`;
}

function actionsOf(executor: Executor, onChange: () => void): RowAction[] {
  const { name, revokedAt } = executor;
  const finish = async (result: Promise<string | undefined>) => {
    const why = await result;
    if (why === undefined) onChange();
    return why;
  };
  if (revokedAt !== null) {
    return [
      {
        label: 'Delete…',
        isDestructive: true,
        dialog: (control) => (
          <Confirm
            control={control}
            title={`Delete ${name}?`}
            confirm="Delete executor"
            keep="Cancel"
            run={() => finish(perform(deleteExecutorMutation, { name }))}
          >
            The executor is removed from this list, and its name can be used again. Its activity is kept.
          </Confirm>
        ),
      },
    ];
  }
  return [
    {
      label: 'Edit key…',
      dialog: (control) => <EditExecutor executor={executor} control={control} onDone={onChange} />,
    },
    {
      label: 'Revoke…',
      isDestructive: true,
      dialog: (control) => (
        <Confirm
          control={control}
          title={`Revoke ${name}?`}
          confirm="Revoke"
          keep="Cancel"
          run={() => finish(perform(revokeExecutorMutation, { name }))}
        >
          Its key stops working within one second, and other executors can claim its work. This cannot be undone.
        </Confirm>
      ),
    },
  ];
}
