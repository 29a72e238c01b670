// Raw SQL for account metrics, which Prisma cannot express: groups and their sums.
import { Prisma } from '../database/client/client.js';
import { labelColumns } from '../metering/dimensions.js';
import type { GroupDimension, KeyColumn } from '../metering/dimensions.js';
import type { MetricsOrder, PageDirection } from './metrics-query.js';
import { cells, columns, directionOf, edges, labelSets, later, list, narrowed, points } from './metrics-sources.js';
import type { MetricsScope } from './metrics-sources.js';
import { snapshotSql } from './snapshot-statement.js';
import type { UsageSnapshot } from './snapshot-statement.js';
import { packedRows } from './packed-rows.js';

export interface Grouping {
  groupBy: KeyColumn[];
  enriched: GroupDimension[];
}

/** A group's key, and its cost when groups are ordered by cost. */
export interface GroupPosition {
  key: string[];
  cost: string;
}

export interface GroupPage {
  order: MetricsOrder;
  /** Backward reads the groups before the position, nearest first. */
  direction: PageDirection;
  /** The number of groups to read. */
  limit: number;
  after: GroupPosition | undefined;
}

const cellDimensions: readonly KeyColumn[] = ['workspace', 'resource_type', 'billing_dimension'];
const ofCells = new Set<KeyColumn>([...cellDimensions, ...labelColumns]);

/** Whether cells can answer the query: it does not distinguish resources of the same workspace and type. */
export function isOfCells(scope: Pick<MetricsScope, 'filters'>, groupBy: readonly KeyColumn[]): boolean {
  const { resource_uuid: uuid, resource_name: name } = scope.filters;
  return uuid === undefined && name === undefined && groupBy.every((column) => ofCells.has(column));
}

/** Whether the cells are sufficient for the query. */
function isOfWholeCells(scope: MetricsScope, grouping: readonly KeyColumn[]): boolean {
  const hasAll = grouping.length === cellDimensions.length && scope.labels === undefined;
  return hasAll && isOfCells(scope, grouping) && isOfWholeHours(scope);
}

/** Whether the window has no partial hours and the snapshot is the present. */
function isOfWholeHours({ edges, asOf }: MetricsScope): boolean {
  return edges.length === 0 && asOf === undefined;
}

/** The result of sumsStatement(). Amounts are whole numbers as text. */
export interface Sums extends UsageSnapshot {
  /** The cost and usage of all groups together. */
  total: [cost: string, usage: string];
  /** The cost and usage, the packed rows of the buckets, then the values of the grouping. */
  groups: [cost: string, usage: string, rows: string | null, ...values: (string | null)[]][];
}

/**
 * Adds up all groups of a scope and returns one page of them with buckets.
 * The buckets of all groups are packed, also those of other pages. Joining only the page's groups to their cells is
 * slower unless there are many thousands of groups, and then only a tenth faster.
 */
export function sumsStatement(scope: MetricsScope, grouping: Grouping, page: GroupPage): Prisma.Sql {
  const { groupBy, enriched } = grouping;
  const all = [...groupBy, ...enriched];
  const source = isOfCells(scope, all) ? cells(scope) : points(scope);
  const isAddedUp = isOfWholeCells(scope, all);
  const amounts = isAddedUp
    ? Prisma.sql`"events", "cost", "usage"`
    : Prisma.sql`sum("events") AS "events", sum("cost") AS "cost", sum("usage") AS "usage"`;
  // Without grouping there is always one entry, even when it is empty.
  const having = all.length === 0 ? Prisma.empty : Prisma.sql`HAVING sum("events") > 0`;
  return Prisma.sql`
    WITH cell AS (
      SELECT "level", "bucket"${list(all)}, ${amounts}
      FROM (${Prisma.join([source, ...edges(scope), ...later(scope)], ' UNION ALL ')}) AS source
      WHERE ${narrowed(scope)} ${isAddedUp ? Prisma.empty : Prisma.sql`GROUP BY "level", "bucket"${list(all)}`}),
    combination AS (
      SELECT sum("cost") AS "cost", sum("usage") AS "usage", ${packedRows} AS "rows"${list(all)}
      FROM cell ${grouped(all)} ${having}),
    ${enriched.length === 0 ? Prisma.empty : Prisma.sql`enriched AS (${enrichedGroups(grouping)}),`}
    page AS (
      SELECT * FROM ${enriched.length === 0 ? Prisma.sql`combination` : Prisma.sql`enriched`}
      WHERE ${behind(page, groupBy)} ORDER BY ${orderOf(page, groupBy)} LIMIT ${page.limit}::int)
    SELECT json_build_object(${snapshotSql(scope)},
      'total', (
        SELECT json_build_array(coalesce(sum("cost"), 0)::text, coalesce(sum("usage"), 0)::text) FROM combination),
      'groups', (
        SELECT coalesce(json_agg(json_build_array("cost"::text, "usage"::text, "rows"${list(all)})), '[]') FROM page))::text`;
}

/** Groups by the requested dimensions. An enriching dimension has a value where it is the same throughout the group. */
function enrichedGroups({ groupBy, enriched }: Grouping): Prisma.Sql {
  const ranges = enriched.map(
    (each) =>
      Prisma.sql`, CASE WHEN min(${columns[each]}) = max(${columns[each]}) THEN min(${columns[each]}) END AS ${columns[each]}`,
  );
  return Prisma.sql`
    SELECT sum("cost") AS "cost", sum("usage") AS "usage", string_agg("rows", ';') AS "rows"${list(groupBy)}${Prisma.join(ranges, '')}
    FROM combination ${grouped(groupBy)}`;
}

function grouped(dimensions: readonly KeyColumn[]): Prisma.Sql {
  return dimensions.length === 0
    ? Prisma.empty
    : Prisma.sql`GROUP BY ${Prisma.join(dimensions.map((each) => columns[each]))}`;
}

/** Returns the number of groups of a scope, as text. */
export function countStatement(scope: MetricsScope, groupBy: readonly KeyColumn[]): Prisma.Sql {
  // Without grouping there is always one entry.
  if (groupBy.length === 0) return Prisma.sql`SELECT '1'`;
  const source = isOfCells(scope, groupBy) ? cells(scope) : points(scope);
  return Prisma.sql`
    SELECT count(*)::text FROM (
      SELECT FROM (${Prisma.join([source, ...edges(scope), ...later(scope)], ' UNION ALL ')}) AS source
      WHERE ${narrowed(scope)} ${grouped(groupBy)}
      HAVING sum("events") > 0) AS grouped`;
}

/** Returns the names of the resource types with an event in the scope. */
export function typesStatement(scope: MetricsScope): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object(${snapshotSql(scope)}, 'values', coalesce(json_agg("resource_type" ORDER BY "resource_type"), '[]'))::text
    FROM (
      SELECT "resource_type" FROM (${Prisma.join([cells(scope), ...edges(scope)], ' UNION ALL ')}) AS source
      WHERE ${narrowed(scope)} GROUP BY 1 HAVING sum("events") > 0) AS type`;
}

/** Returns the keys and values of the labels that resources with an event in the scope had, by name. */
export function labelsStatement(scope: MetricsScope, valuesMax: number): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object(${snapshotSql(scope)}, 'values', coalesce(json_agg(
      json_build_object('key', "key", 'values', "values"[1:${valuesMax}::int]) ORDER BY "key" COLLATE "C"), '[]'))::text
    FROM (
      SELECT label."key", array_agg(DISTINCT label."value" COLLATE "C") AS "values"
      FROM (
        SELECT "label_set_id" FROM (${Prisma.join(labelSets(scope), ' UNION ALL ')}) AS source
        WHERE ${narrowed(scope)} GROUP BY 1 HAVING sum("events") > 0) AS used
      JOIN "usage_label_set" AS l ON l."account_id" = ${scope.accountId}::uuid AND l."label_set_id" = used."label_set_id",
      LATERAL jsonb_each_text(l."labels") AS label("key", "value")
      GROUP BY 1) AS label`;
}

function orderOf({ order, direction }: GroupPage, groupBy: readonly KeyColumn[]): Prisma.Sql {
  const isForward = direction === 'forward';
  const byKey = groupBy.map((each) => Prisma.sql`${columns[each]} ${directionOf(isForward)}`);
  if (order === 'key') return byKey.length === 0 ? Prisma.sql`"cost"` : Prisma.join(byKey);
  return Prisma.join([Prisma.sql`"cost" ${directionOf((order === 'cost:asc') === isForward)}`, ...byKey]);
}

function behind({ order, after, direction }: GroupPage, groupBy: readonly KeyColumn[]): Prisma.Sql {
  if (after === undefined) return Prisma.sql`TRUE`;
  // Without grouping there is one entry, so no further page.
  if (groupBy.length === 0) return Prisma.sql`FALSE`;
  const isForward = direction === 'forward';
  const past = (isAscending: boolean) => (isAscending ? Prisma.sql`>` : Prisma.sql`<`);
  const names = Prisma.join(groupBy.map((each) => columns[each]));
  const values = Prisma.join(after.key.map((value) => Prisma.sql`${value}::text`));
  const behindCondition = Prisma.sql`(${names}) ${past(isForward)} (${values})`;
  if (order === 'key') return behindCondition;
  const cost = Prisma.sql`${after.cost}::text::numeric`;
  const pastCondition = Prisma.sql`"cost" ${past((order === 'cost:asc') === isForward)} ${cost}`;
  return Prisma.sql`(${pastCondition} OR ("cost" = ${cost} AND ${behindCondition}))`;
}
