import type { ReactElement } from 'react';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { Agent } from './resource-queries.js';
import { revisionsOf } from './revisions.js';
import { Section } from './section.js';

/** The revisions of an agent and their states; nothing if there was only one. */
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
              <th scope="col">Created</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {revisions.map(({ id, time, status, wasDeployed }, index) => (
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
                    <span className="quiet">{wasDeployed ? 'Inactive' : 'Never deployed'}</span>
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
