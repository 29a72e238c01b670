// The page of a list that many rows match, but none of the first: span by span of the time that it is in the order of. What
// has a facet in a span is in an index (the migrations' time_span), so spans without a match cost next to nothing.
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import { allOf, direction, facetsOf, matching, rowColumns, within } from './page-statement.js';
import type { ListParent, ListQuery, PageSql } from './page-statement.js';

/** So many rows are fetched and sorted in about the time in which all spans of some years are looked into. */
const sortedRowsMax = 2_000;

/** A list over more time than this many spans has several of them looked into at once. */
const spansMax = 500;

/**
 * Whether a page is found sooner span by span than by sorting all that the filter matches: a page of one list, in an order
 * of time, by facets, of which the planner says that many rows match.
 */
export async function isSpanned(
  db: ReadStatements,
  query: ListQuery,
  parents: readonly ListParent[],
): Promise<boolean> {
  const { table, filter, search, order } = query;
  const [parent, ...others] = parents;
  const isOfTime = order.name === 'created_at' || order.name === 'updated_at';
  if (filter === undefined || search !== undefined || !isOfTime) return false;
  if (parent === undefined || others.length > 0) return false;
  // What was changed long ago was made long ago: the facets alone would be found in all spans before.
  if (filter.isBoundedBeside(order.name)) return false;
  const scope = { workspaceId: Prisma.sql`${parent.workspaceId}::uuid`, isPlanned: true };
  const facets = facetsOf(query, scope);
  if (facets.length === 0) return false;
  const plan = await db.$text(Prisma.sql`EXPLAIN SELECT FROM ${table} AS r WHERE ${allOf(filter.weighed(scope))}`);
  if (Number(/ rows=(\d+)/.exec(plan)?.[1] ?? 0) <= sortedRowsMax) return false;
  return facets.length === 1 || isFrequent(db, query, facets);
}

/** What is frequent by itself may never come together, of which the planner knows nothing: it is counted, up to where it matters. */
async function isFrequent(db: ReadStatements, { table }: ListQuery, facets: Prisma.Sql[]): Promise<boolean> {
  const count = await db.$text(Prisma.sql`
    SELECT count(*)::text FROM (SELECT FROM ${table} AS r WHERE ${allOf(facets)} LIMIT ${sortedRowsMax + 1}) AS r`);
  return Number(count) > sortedRowsMax;
}

/**
 * The page by looking into one span after the other, from where the list starts, until it is full or so many rows with the
 * facets were looked at: what else is asked may be met by none of them.
 */
export function spannedPage(query: ListQuery): PageSql {
  const { column, walkRowsMax } = query.order;
  const way = direction(query);
  return (parent) => {
    const isWithin = within(query, parent);
    const facets = facetsOf(query, { workspaceId: parent.workspaceId, isPlanned: true });
    // OFFSET keeps each span a look-up of facets alone: what else is asked would have other indexes read for each of them.
    return Prisma.sql`
      SELECT ${rowColumns(query)} FROM (
        SELECT r.*, span."first" AS "span" FROM (${spansOf(query, isWithin)}) AS span, LATERAL (
          SELECT * FROM ${query.table} AS r
          WHERE ${allOf(facets)} AND ARRAY[time_span(${column})] && span."numbers" OFFSET 0) AS r
        WHERE ${isWithin}
        ORDER BY span."first" ${way}, ${column} ${way}, r."id" ${way} LIMIT ${walkRowsMax}) AS r
      WHERE ${allOf(matching(query, parent))} ORDER BY r."span" ${way}, ${column} ${way}, r."id" ${way} LIMIT ${query.limit}`;
  };
}

/** The spans between the first row and the last, in the order of the list. */
function spansOf({ table, order, slice }: ListQuery, isWithin: Prisma.Sql): Prisma.Sql {
  const way = direction({ order, slice });
  return Prisma.sql`
    SELECT s."first", CASE WHEN s."width" = 1 THEN ARRAY[s."first"]
      ELSE ARRAY(SELECT generate_series(s."first", s."first" + s."width" - 1)) END AS "numbers"
    FROM (
      SELECT generate_series(ends."from", ends."to", ends."width") AS "first", ends."width" FROM (
        SELECT "from", "to", ("to" - "from") / ${spansMax}::int + 1 AS "width" FROM (
          SELECT time_span(min(${order.column})) AS "from", time_span(max(${order.column})) AS "to"
          FROM ${table} AS r WHERE ${isWithin}) AS e) AS ends
      ORDER BY 1 ${way}) AS s`;
}
