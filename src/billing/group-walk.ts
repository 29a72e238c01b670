// Finds groups of resources by walking the series dictionary in key order, so that the cost of a page does not depend
// on the number of resources of the account. Pure: the caller runs the statements and passes their rows.
import type { Prisma } from '../database/client/client.js';
import { enrichedDimensions, keyOrder } from '../metering/dimensions.js';
import type { KeyColumn } from '../metering/dimensions.js';
import type { MetricsQuery, PageDirection } from './metrics-query.js';
import type { MetricsScope } from './metrics-sources.js';
import { walkStatement } from './walk-statement.js';
import type { SeriesRow, WalkColumn } from './walk-statement.js';

/** A group and its series. */
export interface WalkedGroup {
  key: string[];
  values: Partial<Record<KeyColumn, string>>;
  seriesIds: string[];
}

/** The orders of the two indexes of the series dictionary. */
const byUuid: readonly WalkColumn[] = [...keyOrder, 'label_set_id'];
const byName: readonly WalkColumn[] = [
  'resource_name',
  'resource_uuid',
  'workspace',
  'resource_type',
  'billing_dimension',
  'label_set_id',
];

/** The typical number of series per resource. */
const seriesPerGroup = 2;

interface FoundGroup {
  key: string[];
  seriesIds: string[];
  /** The values that all its series share, in the order of the rows; undefined where they differ. */
  shared: (string | undefined)[];
}

/**
 * Finds the first `wanted` groups after a key, in page order. With `isWhole` false, finds the groups among the first
 * `wanted` series.
 */
export class GroupWalk {
  /** The result; undefined while the walk is incomplete. */
  groups: WalkedGroup[] | undefined;
  /** Whether more groups may follow. */
  hasMore = false;
  readonly #found = new Map<string, FoundGroup>();
  readonly #groupBy: readonly KeyColumn[];
  readonly #order: readonly WalkColumn[];
  /** The columns of a row after its id. */
  readonly #columns: readonly WalkColumn[];
  /** The number of leading dimensions that the walk and the grouping share. */
  readonly #lead: number;
  readonly #days: { first: number; last: number };
  readonly #direction: PageDirection;
  #from: string[];
  #limit: number;

  constructor(
    private readonly scope: MetricsScope,
    { groupBy, window, direction }: MetricsQuery,
    private readonly after: string[] | undefined,
    private readonly count: number,
    private readonly isWhole = true,
  ) {
    this.#groupBy = groupBy;
    this.#direction = direction;
    this.#order = groupBy[0] === 'resource_uuid' ? byUuid : byName;
    this.#columns = [...byUuid, ...groupBy.filter((column) => !byUuid.includes(column))];
    const other = this.#order.findIndex((dimension, index) => groupBy[index] !== dimension);
    this.#lead = other === -1 ? this.#order.length : other;
    this.#days = { first: Math.floor(window.start.hour / 24), last: Math.floor(window.end.hour / 24) };
    this.#from = after?.slice(0, this.#lead) ?? [];
    this.#limit = isWhole ? count * seriesPerGroup : count;
  }

  /** Returns the next statement of the walk. */
  statement(): Prisma.Sql {
    const position = { from: this.#from, limit: this.#limit, direction: this.#direction };
    return walkStatement(this.scope, { columns: this.#columns, order: this.#order, ...position }, this.#days);
  }

  /** Adds the rows of the last statement. */
  take(rows: readonly SeriesRow[]): void {
    for (const [id, ...values] of rows) this.#add(id, values);
    const [, ...last] = rows.at(-1) ?? [];
    if (rows.length < this.#limit) {
      this.hasMore = this.#found.size > this.count;
      this.#end(this.#found.values());
      return;
    }
    // The group of the last series may continue in the next rows.
    const begun = this.#valuesIn(this.#order, last).slice(0, this.#lead);
    const complete = [...this.#found.values()].filter(({ key }) => begun.some((value, index) => key[index] !== value));
    if (complete.length >= (this.isWhole ? this.count : 1)) {
      this.hasMore = true;
      this.#end(complete);
    }
    this.#from = this.#valuesIn(this.#order, last);
    this.#limit *= 2;
  }

  #compare(one: readonly string[], other: readonly string[]): number {
    return this.#direction === 'forward' ? compareKeys(one, other) : compareKeys(other, one);
  }

  #add(seriesId: string, values: string[]): void {
    const key = this.#valuesIn(this.#groupBy, values);
    if (this.after !== undefined && this.#compare(key, this.after) <= 0) return;
    const name = key.join('\n');
    const group = this.#found.get(name);
    if (group === undefined) {
      this.#found.set(name, { key, seriesIds: [seriesId], shared: [...values] });
      return;
    }
    group.seriesIds.push(seriesId);
    for (const [index, value] of values.entries()) if (group.shared[index] !== value) group.shared[index] = undefined;
  }

  /** Returns the values of some columns from those of a row. */
  #valuesIn(columns: readonly WalkColumn[], values: readonly string[]): string[] {
    return columns.map((column) => values[this.#columns.indexOf(column)] ?? '');
  }

  #end(groups: Iterable<FoundGroup>): void {
    const filled = [...this.#groupBy, ...enrichedDimensions(this.#groupBy)];
    this.groups = [...groups]
      .toSorted((one, other) => this.#compare(one.key, other.key))
      .slice(0, this.count)
      .map(({ key, seriesIds, shared }) => {
        const values: WalkedGroup['values'] = {};
        for (const column of filled) {
          const value = shared[this.#columns.indexOf(column)];
          if (value !== undefined) values[column] = value;
        }
        return { key, seriesIds, values };
      });
  }
}

/** Compares bytewise, like the database. */
function compareKeys(one: readonly string[], other: readonly string[]): number {
  for (const [index, value] of one.entries()) {
    const difference = compareTexts(value, other[index] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  // UTF-16 and UTF-8 sort differently only for characters outside the basic multilingual plane.
  if (!/[\uD800-\uFFFF]/.test(one + other)) return one < other ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
