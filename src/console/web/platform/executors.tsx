import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Section } from '../resources/section.js';

const executorsQuery = graphql(`
  query Executors {
    executors(first: 200, orderBy: { field: NAME, direction: ASC }) {
      totalCount
      nodes {
        name
        health
      }
    }
  }
`);

/** The executors and their health, if the user has access. */
export function Executors(): ReactElement | null {
  const [{ data }, again] = useAnswer({ query: executorsQuery });
  usePolling(again, 15_000);
  const executors = data?.executors ?? undefined;
  if (executors === undefined) return null;
  return (
    <Section title={`Executors (${executors.totalCount})`}>
      {executors.nodes.length === 0 ? (
        <p className="quiet">No executors for your regions yet. Resources stay queued until one registers.</p>
      ) : (
        <ExecutorTable executors={executors.nodes} />
      )}
    </Section>
  );
}

type Executor = NonNullable<ResultOf<typeof executorsQuery>['executors']>['nodes'][number];

const columns: TableColumn<Executor>[] = [
  { label: 'Executor', value: ({ name }) => name },
  { label: 'Health', value: ({ health }) => health },
];

function ExecutorTable({ executors }: { executors: readonly Executor[] }): ReactElement {
  const { rows, headings, filterField } = useTableRows(executors, columns, ({ name, health }) => `${name} ${health}`);
  return (
    <>
      {filterField}
      <PlainTable columns={headings}>
        {rows.map(({ name, health }) => (
          <tr key={name}>
            <td className="mono">{name}</td>
            <td>
              <StateMark state={health} />
            </td>
            <td />
          </tr>
        ))}
      </PlainTable>
    </>
  );
}
