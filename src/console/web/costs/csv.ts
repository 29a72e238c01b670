import { csvLine } from '../../../billing/csv.js';
import { decimalFrom } from '../look/decimal.js';
import { compare, sumBy } from './comparison.js';
import { labelKeyOf } from './costs-search.js';
import type { Grouping, Resolution } from './costs-search.js';
import { labelValueOf } from './groups.js';
import type { Group } from './groups.js';

/**
 * Costs by group as CSV, with exact amounts.
 *
 * @param before all groups of the previous period, if compared. Adds their cost and the change, and a row for each group
 *   that only had costs in the previous period.
 */
export function costsCsv(by: readonly Grouping[], groups: readonly Group[], before?: readonly Group[]): string {
  const hasUsage = by.includes('billing_dimension');
  const { rows } = compare(sumsOf(groups), sumsOf(before ?? []), true);
  const head = [
    ...by,
    ...(hasUsage ? ['usage'] : []),
    'cost_usd',
    ...(before === undefined ? [] : ['previous_cost_usd', 'change_usd']),
  ];
  const lines = rows.map(({ group, before: previous, change }) => [
    ...cellsOf(group, by),
    ...(hasUsage ? [group.usage ?? ''] : []),
    decimalFrom(group.nano),
    ...(before === undefined ? [] : [decimalFrom(previous), decimalFrom(change)]),
  ]);
  return [head, ...lines].map((cells) => csvLine(cells)).join('');
}

/** The starts of the buckets of two periods. */
export interface BucketTimes {
  resolution: Resolution;
  now: readonly string[];
  before: readonly string[];
}

/**
 * The costs of each group in each bucket, one row for each.
 *
 * @param before the groups of the previous period. Adds the cost of the bucket at the same place of that period. The
 *   further buckets of a longer previous period have no start time.
 */
export function bucketsCsv(
  by: readonly Grouping[],
  times: BucketTimes,
  groups: readonly Group[],
  before?: readonly Group[],
): string {
  const earlier = new Map(before?.map((group) => [group.key, group]));
  const known = new Set(groups.map(({ key }) => key));
  const all = [
    ...groups,
    ...(before ?? []).filter(({ key }) => !known.has(key)).map((group) => ({ ...group, nanos: [] })),
  ];
  const head = [
    'start_time',
    ...by,
    'cost_usd',
    ...(before === undefined ? [] : ['previous_start_time', 'previous_cost_usd', 'change_usd']),
  ];
  const starts = before !== undefined && times.before.length > times.now.length ? times.before : times.now;
  const lines = starts.flatMap((_start, index) =>
    all.map((group) => {
      const nano = group.nanos[index] ?? 0n;
      const previous = earlier.get(group.key)?.nanos[index] ?? 0n;
      return [
        times.now[index] ?? '',
        ...cellsOf(group, by),
        decimalFrom(nano),
        ...(before === undefined
          ? []
          : [times.before[index] ?? '', decimalFrom(previous), decimalFrom(nano - previous)]),
      ];
    }),
  );
  return [head, ...lines].map((cells) => csvLine(cells)).join('');
}

/** The values of a group; empty for usage without a label. */
function cellsOf({ values }: Group, by: readonly Grouping[]): string[] {
  return by.map((each) => (labelKeyOf(each) === undefined ? values[each] : labelValueOf(values[each])) ?? '');
}

function sumsOf(groups: readonly Group[]) {
  return { groups, total: sumBy(groups, ({ nano }) => nano) };
}
