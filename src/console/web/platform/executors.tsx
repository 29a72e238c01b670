import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { StateMark } from '../look/state-mark.js';
import { Section } from '../resources/section.js';
import './executors.css';

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
  const [{ data }, again] = useQuery({ query: executorsQuery });
  usePolling(again, 15_000);
  const executors = data?.executors ?? undefined;
  if (executors === undefined) return null;
  return (
    <Section title={`Executors (${executors.totalCount})`}>
      {executors.nodes.length === 0 ? (
        <p className="quiet">No executors for your regions yet. Resources stay queued until one registers.</p>
      ) : (
        <ul className="executors">
          {executors.nodes.map(({ name, health }) => (
            <li key={name}>
              <StateMark state={health} /> <span className="mono">{name}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
