// The scan for values that many rows have, but not the first ones: one time bucket after the other, in order of time.
// An index holds the values of each bucket (time_span() in the migrations), so a bucket without a match costs next to
// nothing. A page of 200 of 20,000 matches among 1,000,000 agents takes 32 ms this way, and 196 ms by sorting all matches; of
// 59,000 matches 26 and 404 ms.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import type { ListParent } from './list-definition.js';
import { allOf, direction, indexedValues, matching, rowColumns, within } from './page-statement.js';
import type { ListQuery, PageSql } from './page-statement.js';

/** Fetching and sorting this many rows takes about as long as looking into all buckets of some years. */
const sortedRowsMax = 2_000;

/** The maximum number of buckets: a list over a longer time combines several buckets into one look-up. */
const bucketsMax = 500;

/**
 * Whether time buckets give a page sooner than sorting all matches: one list, sorted by time, filtered by indexed values
 * that many rows have.
 */
export async function matchesFrequentValues(
  db: ReadStatements,
  query: ListQuery,
  parents: readonly ListParent[],
): Promise<boolean> {
  const { filter, search, order } = query;
  const [parent, ...others] = parents;
  const isByTime = order.name === 'created_at' || order.name === 'updated_at';
  if (filter === undefined || search !== undefined || !isByTime) return false;
  if (parent?.workspaceId === undefined || others.length > 0) return false;
  // Rows that were updated long ago were created long ago: the values alone would be found in all earlier buckets.
  if (filter.isBoundedBeside(order.name)) return false;
  const scope = { workspaceId: Prisma.sql`${parent.workspaceId}::uuid`, isPlanned: true };
  const values = indexedValues(query, scope);
  if (values.length === 0) return false;
  if ((await estimatedRows(db, query, filter.estimable(scope))) <= sortedRowsMax) return false;
  return values.length === 1 || isFrequent(db, query, values);
}

const explained = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })]);

/** How many rows the planner expects to meet these conditions. */
async function estimatedRows(db: ReadStatements, { table }: ListQuery, conditions: Prisma.Sql[]): Promise<number> {
  const explain = Prisma.sql`EXPLAIN (FORMAT JSON) SELECT FROM ${table} AS r WHERE ${allOf(conditions)}`;
  const [{ Plan }] = explained.parse(await readJson(db, explain));
  return Plan['Plan Rows'];
}

/** Whether many rows have all values. The planner does not know which values occur together, so the rows are counted. */
async function isFrequent(db: ReadStatements, { table }: ListQuery, values: Prisma.Sql[]): Promise<boolean> {
  const count = await db.$text(Prisma.sql`
    SELECT count(*)::text FROM (SELECT FROM ${table} AS r WHERE ${allOf(values)} LIMIT ${sortedRowsMax + 1}) AS r`);
  return Number(count) > sortedRowsMax;
}

/**
 * The page by looking into one bucket after the other, from where the list starts, until it is full or enough rows with
 * the values were checked: the rest of the filter may match none of them.
 */
export function timeBucketScan(query: ListQuery): PageSql {
  const { column, rowsMax } = query.order;
  const scanDirection = direction(query);
  return (parent) => {
    const withinSql = allOf(within(query, parent));
    const values = indexedValues(query, { workspaceId: parent.workspaceId, isPlanned: true });
    // OFFSET makes each bucket a look-up by the values only: with other conditions, the planner would read other
    // indexes for each bucket.
    return Prisma.sql`
      SELECT ${rowColumns(query)} FROM (
        SELECT r.*, bucket."first" AS "bucket" FROM (${bucketsOf(query, withinSql)}) AS bucket, LATERAL (
          SELECT * FROM ${query.table} AS r
          WHERE ${allOf(values)} AND ARRAY[time_span(${column})] && bucket."numbers" OFFSET 0) AS r
        WHERE ${withinSql}
        ORDER BY bucket."first" ${scanDirection}, ${column} ${scanDirection}, r."id" ${scanDirection} LIMIT ${rowsMax}) AS r
      WHERE ${allOf(matching(query, parent))} ORDER BY r."bucket" ${scanDirection}, ${column} ${scanDirection}, r."id" ${scanDirection} LIMIT ${query.limit}`;
  };
}

/** The buckets between the first row and the last, in the order of the list. */
function bucketsOf({ table, order, slice }: ListQuery, withinSql: Prisma.Sql): Prisma.Sql {
  const scanDirection = direction({ order, slice });
  return Prisma.sql`
    SELECT s."first", CASE WHEN s."width" = 1 THEN ARRAY[s."first"]
      ELSE ARRAY(SELECT generate_series(s."first", s."first" + s."width" - 1)) END AS "numbers"
    FROM (
      SELECT generate_series(ends."from", ends."to", ends."width") AS "first", ends."width" FROM (
        SELECT "from", "to", ("to" - "from") / ${bucketsMax}::int + 1 AS "width" FROM (
          SELECT time_span(min(${order.column})) AS "from", time_span(max(${order.column})) AS "to"
          FROM ${table} AS r WHERE ${withinSql}) AS e) AS ends
      ORDER BY 1 ${scanDirection}) AS s`;
}
