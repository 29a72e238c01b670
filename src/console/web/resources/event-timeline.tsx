import { useState } from 'react';
import type { ReactElement } from 'react';
import { ToneIcon } from '../look/state-mark.js';
import { lookOf } from '../look/state.js';
import { Time } from '../look/time-text.js';
import type { ResourceEvent } from './resource-queries.js';

interface EventTimelineProps {
  events: readonly ResourceEvent[];
  /** The number of events before "Show all". */
  shownMax?: number;
  /** Whether more events follow the latest one if its state is in progress (default: true). */
  isRunning?: boolean;
}

/** The events of a resource, the latest first. */
export function EventTimeline({ events, shownMax = 8, isRunning = true }: EventTimelineProps): ReactElement {
  const [isWhole, setWhole] = useState(false);
  if (events.length === 0) return <p className="quiet">No events yet.</p>;
  const latestFirst = events.toReversed();
  const shown = isWhole ? latestFirst : latestFirst.slice(0, shownMax);
  return (
    <>
      <ol className="timeline">
        {shown.map(({ time, type, status, message, revision, canaryRevision }, index) => {
          const look = status === null ? undefined : lookOf(status);
          return (
            <li key={`${time} ${index}`}>
              <ToneIcon
                tone={
                  (index > 0 || !isRunning) && look?.tone === 'in-progress' ? 'healthy' : (look?.tone ?? 'inactive')
                }
              />
              <span className="timeline-what">
                {look?.word ?? type}
                {revision !== null && <span className="quiet mono"> {revision}</span>}
                {canaryRevision !== null && <span className="quiet mono"> (canary {canaryRevision})</span>}
              </span>
              <span className="quiet">{time !== null && <Time value={time} />}</span>
              {message !== null && <span className="timeline-message">{message}</span>}
            </li>
          );
        })}
      </ol>
      {events.length > shownMax && (
        <button type="button" className="button bare" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${events.length}`}
        </button>
      )}
    </>
  );
}
