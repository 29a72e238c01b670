import type { ReactElement } from 'react';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { Agent } from './resource-queries.js';
import { revisionsOf } from './revisions.js';
import { Section } from './section.js';

/** What was rolled out, and which of it serves; nothing where there was only ever one. */
export function RevisionTable({ agent: { events, spec } }: { agent: Agent }): ReactElement | null {
  const revisions = revisionsOf(events);
  if (revisions.length < 2) return null;
  const { active, canary } = spec.revision ?? {};
  return (
    <Section title="Revisions">
      <div className="table-space">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Revision</th>
              <th scope="col">Began</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {revisions.map(({ id, time, status, hasServed }, index) => (
              <tr key={id}>
                <td>
                  <span className="mono">{id}</span>
                  {id === active && <span className="quiet"> active</span>}
                  {id === canary && <span className="quiet"> canary</span>}
                </td>
                <td className="quiet">{time !== null && <Time value={time} />}</td>
                <td>
                  {index === 0 || id === active || id === canary ? (
                    <StateMark state={status} />
                  ) : (
                    <span className="quiet">{hasServed ? 'served before' : 'never served'}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
