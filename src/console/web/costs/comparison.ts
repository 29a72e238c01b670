// Compares the costs of two periods. Costs without a row are in the rest, so that each column adds up to its exact total.
import type { Group } from './groups.js';

/** The costs of a period, in total and by group. */
export interface Sums {
  groups: readonly Group[];
  total: bigint;
}

export interface ComparedRow {
  group: Group;
  before: bigint;
  /** The difference to the previous period; negative if the costs decreased. */
  change: bigint;
}

export interface Comparison {
  rows: ComparedRow[];
  /** The costs without a row, now and before. */
  rest: { now: bigint; before: bigint };
}

/**
 * @param isWhole whether all current groups are loaded. Only then do previous groups without current costs get a row.
 */
export function compare(now: Sums, before: Sums, isWhole: boolean): Comparison {
  const costs = new Map(before.groups.map((group) => [group.key, group.nano]));
  const known = new Set(now.groups.map(({ key }) => key));
  const ended = isWhole ? before.groups.filter(({ key }) => !known.has(key)).map(withoutCost) : [];
  const rows = [...now.groups, ...ended].map((group): ComparedRow => {
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

/** The largest change first, in either direction. */
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
