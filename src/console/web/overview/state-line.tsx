import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { kindNames, kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { formatCount } from '../look/money.js';
import { ToneIcon } from '../look/state-mark.js';
import { tones, toneLabels } from '../look/state.js';
import type { Tone } from '../look/state.js';

interface StateLineProps {
  counts: Record<Kind, Record<Tone, number>> | undefined;
  workspace: string;
}

/** The number of resources by tone, in total and for each kind. */
export function StateLine({ counts: known, workspace }: StateLineProps): ReactElement {
  const counts = sumOf(kindNames.map((kind) => known?.[kind] ?? nothing));
  return (
    <section className="state-line" aria-label="States">
      <ul className="state-totals">
        {tones.map((tone) => (
          <li key={tone} className={`${tone}${counts[tone] === 0 ? ' none' : ''}`}>
            <ToneIcon tone={tone} />
            <strong>
              {known === undefined ? <span className="skeleton" style={{ width: 28 }} /> : formatCount(counts[tone])}
            </strong>
            {toneLabels[tone]}
          </li>
        ))}
      </ul>
      <ul className="state-kinds">
        {kindNames.map((kind) => {
          const own = known?.[kind] ?? nothing;
          const all = tones.reduce((sum, tone) => sum + own[tone], 0);
          return (
            <li key={kind}>
              <Link to="/w/$workspace/$kind" params={{ workspace, kind }}>
                <span>{kinds[kind].many}</span>
                <span className="quiet">{known === undefined ? '' : formatCount(all)}</span>
                <span className="state-share" {...(all === 0 ? {} : { role: 'img', 'aria-label': shareText(own) })}>
                  {tones.map((tone) =>
                    own[tone] === 0 ? null : <span key={tone} className={tone} style={{ flexGrow: own[tone] }} />,
                  )}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function shareText(counts: Record<Tone, number>): string {
  return tones
    .filter((tone) => counts[tone] > 0)
    .map((tone) => `${counts[tone]} ${toneLabels[tone]}`)
    .join(', ');
}

const nothing: Record<Tone, number> = { failed: 0, 'in-progress': 0, stopping: 0, healthy: 0, inactive: 0 };

function sumOf(counts: readonly Record<Tone, number>[]): Record<Tone, number> {
  const sum = { ...nothing };
  for (const each of counts) for (const tone of tones) sum[tone] += each[tone];
  return sum;
}
