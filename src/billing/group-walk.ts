// Groups of resources, found by walking the dictionary of series in the order of their keys: a page costs as
// much as it holds, however many resources the account has. Pure: who walks hands the rows in.
import type { Prisma } from '../database/client/client.js';
import { enrichedDimensions, keyOrder } from '../metering/dimensions.js';
import type { GroupDimension } from '../metering/dimensions.js';
import type { MetricsQuery, PageDirection } from './metrics-query.js';
import type { MetricsScope } from './metrics-sources.js';
import { walkStatement } from './walk-statement.js';
import type { SeriesRow } from './walk-statement.js';

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

interface FoundGroup {
  key: string[];
  seriesIds: string[];
  /** What each series has, by dimension in the order of keys; undefined where they differ. */
  shared: (string | undefined)[];
}

/**
 * The first groups behind a key, so many of them if there are, in the order of the page; or, where the page need not be
 * whole, those of as many series.
 */
export class GroupWalk {
  /** What was found; absent while it goes on. */
  groups: WalkedGroup[] | undefined;
  /** Whether there may be more groups behind those. */
  hasMore = false;
  readonly #found = new Map<string, FoundGroup>();
  readonly #groupBy: readonly GroupDimension[];
  readonly #order: readonly GroupDimension[];
  /** How many dimensions of the walk are those of the groups, in their order. */
  readonly #lead: number;
  readonly #days: { first: number; last: number };
  readonly #direction: PageDirection;
  #from: string[];
  #limit: number;

  constructor(
    private readonly scope: MetricsScope,
    { groupBy, window, direction }: MetricsQuery,
    private readonly after: string[] | undefined,
    private readonly wanted: number,
    private readonly isWhole = true,
  ) {
    this.#groupBy = groupBy;
    this.#direction = direction;
    this.#order = groupBy[0] === 'resource_uuid' ? byUuid : byName;
    const other = this.#order.findIndex((dimension, place) => groupBy[place] !== dimension);
    this.#lead = other === -1 ? this.#order.length : other;
    this.#days = { first: Math.floor(window.start.hour / 24), last: Math.floor(window.end.hour / 24) };
    this.#from = after?.slice(0, this.#lead) ?? [];
    this.#limit = isWhole ? wanted * seriesPerGroup : wanted;
  }

  /** The next stretch of the walk. */
  statement(): Prisma.Sql {
    const walk = { order: this.#order, from: this.#from, limit: this.#limit, direction: this.#direction };
    return walkStatement(this.scope, walk, this.#days);
  }

  /** Takes what the last stretch answered. */
  take(rows: readonly SeriesRow[]): void {
    for (const [id, ...values] of rows) this.#add(id, values);
    const [, ...last] = rows.at(-1) ?? [];
    if (rows.length < this.#limit) {
      this.#end(this.#found.values());
      return;
    }
    // What begins like the last series may go on behind it.
    const begun = valuesIn(this.#order, last).slice(0, this.#lead);
    const whole = [...this.#found.values()].filter(({ key }) => begun.some((value, place) => key[place] !== value));
    if (whole.length >= (this.isWhole ? this.wanted : 1)) {
      this.hasMore = true;
      this.#end(whole);
    }
    this.#from = valuesIn(this.#order, last);
    this.#limit *= 2;
  }

  #compare(one: readonly string[], other: readonly string[]): number {
    return this.#direction === 'forward' ? compareKeys(one, other) : compareKeys(other, one);
  }

  #add(seriesId: string, values: string[]): void {
    const key = valuesIn(this.#groupBy, values);
    if (this.after !== undefined && this.#compare(key, this.after) <= 0) return;
    const name = key.join('\n');
    const group = this.#found.get(name);
    if (group === undefined) {
      this.#found.set(name, { key, seriesIds: [seriesId], shared: [...values] });
      return;
    }
    group.seriesIds.push(seriesId);
    for (const [place, value] of values.entries()) if (group.shared[place] !== value) group.shared[place] = undefined;
  }

  #end(groups: Iterable<FoundGroup>): void {
    const filled = new Set([...this.#groupBy, ...enrichedDimensions(this.#groupBy)]);
    this.groups = [...groups]
      .toSorted((one, other) => this.#compare(one.key, other.key))
      .slice(0, this.wanted)
      .map(({ key, seriesIds, shared }) => {
        const values: WalkedGroup['values'] = {};
        for (const [place, dimension] of keyOrder.entries()) {
          const value = shared[place];
          if (filled.has(dimension) && value !== undefined) values[dimension] = value;
        }
        return { key, seriesIds, values };
      });
  }
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
