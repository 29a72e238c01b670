import type { ReactElement } from 'react';
import { exactMoney, formatDelta } from '../look/money.js';
import { byChange } from './comparison.js';
import type { ComparedRow } from './comparison.js';
import type { Dimension } from './costs-search.js';
import { labelOf } from './groups.js';
import type { Group } from './groups.js';

const shownMax = 4;
/** Less than a cent is no news. */
const cent = 10_000_000n;

interface CostMoversProps {
  rows: readonly ComparedRow[];
  by: readonly Dimension[];
  onPick: (group: Group) => void;
}

/**
 * What became dearer and what cheaper since the window before, the greatest first. It has a line for each of the two,
 * whatever stands in them, so that what is below stays in its place.
 */
export function CostMovers({ rows, by, onPick }: CostMoversProps): ReactElement {
  const moved = byChange(rows).filter(({ change }) => change >= cent || change <= -cent);
  return (
    <dl className="movers" aria-label="What changed most">
      <Movers title="Dearer" rows={moved.filter(({ change }) => change > 0n)} by={by} onPick={onPick} />
      <Movers title="Cheaper" rows={moved.filter(({ change }) => change < 0n)} by={by} onPick={onPick} />
    </dl>
  );
}

function Movers({ title, rows, by, onPick }: CostMoversProps & { title: string }): ReactElement {
  return (
    <div>
      <dt className="quiet">{title}</dt>
      {rows.length === 0 && <dd className="quiet">none</dd>}
      {rows.slice(0, shownMax).map(({ group, change, before }) => (
        <dd key={group.key}>
          <button
            type="button"
            className="link-button cut"
            title={`Only ${labelOf(group, by)}`}
            onClick={() => onPick(group)}
          >
            {labelOf(group, by)}
          </button>{' '}
          <span className="mover-change" title={exactMoney(change)}>
            {formatDelta(change)}
          </span>
          {before === 0n && <span className="quiet"> new</span>}
          {group.nano === 0n && <span className="quiet"> ended</span>}
        </dd>
      ))}
      {rows.length > shownMax && <dd className="quiet movers-more">and {rows.length - shownMax} more</dd>}
    </div>
  );
}
