import type { ReactElement } from 'react';
import { exactMoney, formatDelta } from '../look/money.js';
import { byChange } from './comparison.js';
import type { ComparedRow } from './comparison.js';
import type { Grouping } from './costs-search.js';
import { labelOf } from './groups.js';
import type { Group } from './groups.js';

const shownMax = 4;
/** Smaller changes are ignored. */
const cent = 10_000_000n;

interface CostMoversProps {
  rows: readonly ComparedRow[];
  by: readonly Grouping[];
  onPick: (group: Group) => void;
}

/**
 * The largest cost increases and decreases since the previous period. Both lines are always shown, so that the layout
 * does not shift.
 */
export function CostMovers({ rows, by, onPick }: CostMoversProps): ReactElement {
  const moved = byChange(rows).filter(({ change }) => change >= cent || change <= -cent);
  return (
    <dl className="movers" aria-label="Largest changes">
      <Movers title="Increased" rows={moved.filter(({ change }) => change > 0n)} by={by} onPick={onPick} />
      <Movers title="Decreased" rows={moved.filter(({ change }) => change < 0n)} by={by} onPick={onPick} />
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
            title={`Filter by ${labelOf(group, by)}`}
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
