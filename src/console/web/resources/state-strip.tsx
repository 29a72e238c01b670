import type { ReactElement } from 'react';
import { toneLabels } from '../look/state.js';
import { useNow } from '../look/time-text.js';
import { formatDate, formatDuration } from '../look/time.js';
import type { ResourceEvent } from './resource-queries.js';
import { sharesOf, statePeriodsOf } from './state-periods.js';
import { formatPercent } from '../look/locale.js';
import './state-strip.css';

const dayMs = 86_400_000;
const daysMax = 30;

/** The states of the last 30 days as a strip. */
export function StateStrip({ events }: { events: readonly ResourceEvent[] }): ReactElement | null {
  // Renders again with the clock of the page, which is up to 15 seconds behind.
  useNow();
  const nowMs = Date.now();
  const periods = statePeriodsOf(events, nowMs - daysMax * dayMs, nowMs);
  const [first] = periods;
  if (first === undefined) return null;
  const shares = sharesOf(periods)
    .toSorted((one, other) => other.share - one.share)
    .map(({ tone, share }) => `${percentOf(share)} ${toneLabels[tone]}`);
  return (
    <div className="state-strip">
      <div className="state-strip-bar" role="img" aria-label={`State history: ${shares.join(', ')}`}>
        {periods.map(({ tone, fromMs, toMs }) => (
          <span
            key={fromMs}
            className={tone}
            style={{ flexGrow: toMs - fromMs }}
            title={`${toneLabels[tone]} for ${formatDuration(toMs - fromMs)}, from ${formatDate(new Date(fromMs).toISOString())}`}
          />
        ))}
      </div>
      <p className="quiet">
        <span>{formatDate(new Date(first.fromMs).toISOString())}</span>
        <span>{shares.join(', ')}</span>
        <span>Now</span>
      </p>
    </div>
  );
}

/** Shows at least 0.1 % for any share, and less than 100 % unless it is all of the time. */
function percentOf(share: number): string {
  const percent = Math.min(Math.max(share * 100, 0.1), share < 1 ? 99.9 : 100);
  return formatPercent(percent, 1);
}
