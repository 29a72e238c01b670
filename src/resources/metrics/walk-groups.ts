// Groups of resources, found by walking the dictionary of series in the order of their keys: a page costs as
// much as it holds, however many resources the account has.
import type { Database } from '../../database/open.js';
import { enrichedDimensions, keyOrder } from './dimensions.js';
import type { GroupDimension } from './dimensions.js';
import type { MetricsQuery } from './metrics-query.js';
import { walkStatement } from './metrics-statements.js';
import type { MetricsScope, SeriesRow } from './metrics-statements.js';

/** A group, and the series that it is made of. */
export interface WalkedGroup {
  key: string[];
  values: Partial<Record<GroupDimension, string>>;
  seriesIds: string[];
}

/** The orders of the two indexes of the dictionary. */
const byUuid: readonly GroupDimension[] = keyOrder;
const byName: readonly GroupDimension[] = [
  'resource_name',
  'resource_uuid',
  'workspace',
  'resource_type',
  'billing_dimension',
];

/** Most resources have one or two series. */
const seriesPerGroup = 2;

/** The first groups behind a key, so many of them if there are, in the order of keys. */
export async function walkGroups(
  db: Database,
  scope: MetricsScope,
  { groupBy, window }: MetricsQuery,
  after: string[] | undefined,
  wanted: number,
): Promise<WalkedGroup[]> {
  const order = groupBy[0] === 'resource_uuid' ? byUuid : byName;
  const lead = order.findIndex((dimension, place) => groupBy[place] !== dimension);
  const days = { first: Math.floor(window.start.hour / 24), last: Math.floor(window.end.hour / 24) };
  const groups = new Map<string, FoundGroup>();
  let from = after?.slice(0, lead) ?? [];
  for (let limit = wanted * seriesPerGroup; ; limit *= 2) {
    const rows: SeriesRow[] = JSON.parse(await db.$text(walkStatement(scope, { order, from, limit }, days)));
    for (const [id, ...values] of rows) add(groups, groupBy, id, values, after);
    const [, ...last] = rows.at(-1) ?? [];
    if (rows.length < limit) return sorted(groups.values(), groupBy).slice(0, wanted);
    // What begins like the last series may go on behind it.
    const begun = valuesIn(order, last).slice(0, lead);
    const whole = [...groups.values()].filter(({ key }) => begun.some((value, place) => key[place] !== value));
    if (whole.length >= wanted) return sorted(whole, groupBy).slice(0, wanted);
    from = valuesIn(order, last);
  }
}

interface FoundGroup {
  key: string[];
  seriesIds: string[];
  /** What each series has, by dimension in the order of keys; undefined where they differ. */
  shared: (string | undefined)[];
}

function add(
  groups: Map<string, FoundGroup>,
  groupBy: readonly GroupDimension[],
  seriesId: string,
  values: string[],
  after: string[] | undefined,
): void {
  const key = valuesIn(groupBy, values);
  if (after !== undefined && compareKeys(key, after) <= 0) return;
  const name = key.join('\n');
  const group = groups.get(name);
  if (group === undefined) {
    groups.set(name, { key, seriesIds: [seriesId], shared: [...values] });
    return;
  }
  group.seriesIds.push(seriesId);
  for (const [place, value] of values.entries()) if (group.shared[place] !== value) group.shared[place] = undefined;
}

function sorted(groups: Iterable<FoundGroup>, groupBy: readonly GroupDimension[]): WalkedGroup[] {
  const filled = new Set([...groupBy, ...enrichedDimensions(groupBy)]);
  return [...groups]
    .toSorted((one, other) => compareKeys(one.key, other.key))
    .map(({ key, seriesIds, shared }) => {
      const values: WalkedGroup['values'] = {};
      for (const [place, dimension] of keyOrder.entries()) {
        const value = shared[place];
        if (filled.has(dimension) && value !== undefined) values[dimension] = value;
      }
      return { key, seriesIds, values };
    });
}

/** The values of some dimensions, out of those of all in the order of keys. */
function valuesIn(dimensions: readonly GroupDimension[], values: readonly string[]): string[] {
  return dimensions.map((dimension) => values[keyOrder.indexOf(dimension)] ?? '');
}

/** Bytewise, as the database compares. */
function compareKeys(one: readonly string[], other: readonly string[]): number {
  for (const [place, value] of one.entries()) {
    const difference = compareTexts(value, other[place] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  // UTF-16 sorts as UTF-8 does but for what lies beyond the basic plane.
  if (!/[\uD800-\uFFFF]/.test(one + other)) return one < other ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
