// Costs of two windows side by side. Whatever is not in a row of its own is in the rest, so that each column adds up to
// its total, to the last digit.
import type { Group } from './groups.js';

/** What a window cost in all, and group by group. */
export interface Sums {
  groups: readonly Group[];
  total: bigint;
}

export interface ComparedRow {
  group: Group;
  before: bigint;
  /** How much more than before; less than nothing when it is less. */
  change: bigint;
}

export interface Comparison {
  rows: ComparedRow[];
  /** What no row has, now and before. */
  rest: { now: bigint; before: bigint };
}

/**
 * @param isWhole whether the groups of now are all there are: only then is a group that is not among them gone.
 */
export function compare(now: Sums, before: Sums, isWhole: boolean): Comparison {
  const costs = new Map(before.groups.map((group) => [group.key, group.nano]));
  const known = new Set(now.groups.map(({ key }) => key));
  const gone = isWhole ? before.groups.filter(({ key }) => !known.has(key)).map(withoutCost) : [];
  const rows = [...now.groups, ...gone].map((group): ComparedRow => {
    const earlier = costs.get(group.key) ?? 0n;
    return { group, before: earlier, change: group.nano - earlier };
  });
  return {
    rows,
    rest: {
      now: now.total - sumBy(rows, ({ group }) => group.nano),
      before: before.total - sumBy(rows, (row) => row.before),
    },
  };
}

/** The greatest change first, whichever way it goes. */
export function byChange(rows: readonly ComparedRow[]): ComparedRow[] {
  return rows.toSorted((one, other) => {
    const [first, second] = [sizeOf(one.change), sizeOf(other.change)];
    return first < second ? 1 : first > second ? -1 : 0;
  });
}

export function sumBy<Each>(all: readonly Each[], nanoOf: (each: Each) => bigint): bigint {
  return all.reduce((sum, each) => sum + nanoOf(each), 0n);
}

function withoutCost(group: Group): Group {
  return { ...group, nano: 0n, usage: group.usage === null ? null : '0', nanos: [] };
}

export function sizeOf(nano: bigint): bigint {
  return nano < 0n ? -nano : nano;
}
