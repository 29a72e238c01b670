// The one statement behind every list. Prisma can say neither a row-wise keyset comparison, nor "so many
// rows of each of these lists", nor "these few columns as one JSON text"; the last makes a page several
// times cheaper to read, because the driver then parses one value instead of one for each column of each row.
import { Prisma } from './client/client.js';
import type { Database } from './open.js';
import type { Position, Slice } from '../paging/page.js';
import { gramsOf, likePattern } from './search-pattern.js';

export interface ListOrder {
  /** The sorted column, as SQL, and its name in a row that was read. */
  column: Prisma.Sql;
  /** The SQL type that a position's key is read as. */
  keyType: Prisma.Sql;
  descending: boolean;
  /**
   * How many rows a search walks through in this order before it turns to the inverted index: more where
   * the order is that of the rows on disk, where a walk is cheap.
   */
  walkRowsMax: number;
}

export interface ListQuery {
  /** The table, without an alias; in every fragment its rows are called `r`. */
  table: Prisma.Sql;
  /** The column that says whose list a row is in; absent where that is the workspace. */
  parent?: Prisma.Sql | undefined;
  /** What else a row has to meet. */
  condition?: Prisma.Sql | undefined;
  order: ListOrder;
  slice: Slice;
  /** How many rows to read of each list. */
  limit: number;
  /** What to read of each row, by the name that it gets. */
  columns: Record<string, Prisma.Sql>;
  /** A term of two characters or more in lower case, looked for in the column `search`. */
  search?: string | undefined;
  /** Whether the table has an inverted index for searches. */
  hasSearchIndex: boolean;
}

/** Whose list: a workspace's, or that of a resource in it. */
export interface ListParent {
  workspaceId: string;
  id: string;
}

/** What each row carries beside its columns: its id, and the text of the sorted column. */
export interface Keyed {
  id: string;
  key: string;
}

/** The ids of a parent in SQL: parameters for one parent, columns for several. */
interface ParentSql {
  workspaceId: Prisma.Sql;
  id: Prisma.Sql;
}

/**
 * Reads the same slice of each parent's list, in the slice's direction, with one statement however many
 * parents there are; in the order of the parents.
 *
 * A search has two ways. What many rows match is found soonest by walking the list in its order; what few
 * match, by the inverted index, and sorting those few. It walks a bounded stretch first, and asks the
 * index for the lists whose page that did not fill, so neither a frequent nor a rare term costs more than
 * a small number of pages.
 */
export async function selectPages<Row extends object>(
  db: Database,
  parents: readonly ListParent[],
  query: ListQuery,
): Promise<(Row & Keyed)[][]> {
  if (query.search === undefined) return readPages(db, parents, (parent) => walk(query, parent, query.table));
  const matches = Prisma.sql`r."search" LIKE ${likePattern(query.search)}`;
  if (!query.hasSearchIndex) {
    return readPages(db, parents, (parent) => walk(query, parent, query.table, matches));
  }
  const found = await readPages<Row>(db, parents, (parent) => {
    const stretch = Prisma.sql`(SELECT * FROM ${query.table} AS r WHERE ${within(query, parent)} ${orderBy(query)} LIMIT ${query.order.walkRowsMax})`;
    return Prisma.sql`SELECT ${rowColumns(query)} FROM ${stretch} AS r WHERE ${matches} ${orderBy(query)} LIMIT ${query.limit}`;
  });
  const isShort = (index: number) => (found[index]?.length ?? 0) < query.limit;
  const short = parents.filter((_, index) => isShort(index));
  const looked = await readPages<Row>(db, short, (parent) => lookUp(query, parent, matches));
  return found.map((rows, index) => (isShort(index) ? (looked.shift() ?? []) : rows));
}

/** The rows that meet a condition, in no order. */
export function selectRows<Row>(
  db: Database,
  query: { table: Prisma.Sql; condition: Prisma.Sql; columns: Record<string, Prisma.Sql> },
): Promise<(Row & Pick<Keyed, 'id'>)[]> {
  return readRows(
    db,
    Prisma.sql`SELECT r."id", ${namedColumns(query.columns)} FROM ${query.table} AS r WHERE ${query.condition}`,
  );
}

function walk(query: ListQuery, parent: ParentSql, table: Prisma.Sql, matches?: Prisma.Sql): Prisma.Sql {
  const conditions = Prisma.join([within(query, parent), ...(matches === undefined ? [] : [matches])], ' AND ');
  return Prisma.sql`SELECT ${rowColumns(query)} FROM ${table} AS r WHERE ${conditions} ${orderBy(query)} LIMIT ${query.limit}`;
}

/** The page of a search by the inverted index: all candidates, the few that the page holds, then their columns. */
function lookUp(query: ListQuery, parent: ParentSql, matches: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH candidate AS MATERIALIZED (
      SELECT r."id", ${query.order.column} AS "key" FROM ${query.table} AS r
      WHERE ${within(query, parent)} AND ${matches}
        AND search_grams(r."workspace_id", r."search") @> (${gramsOf(parent.workspaceId, query.search ?? '')})),
    chosen AS (SELECT "id" FROM candidate ORDER BY "key" ${direction(query)}, "id" ${direction(query)} LIMIT ${query.limit})
    SELECT ${rowColumns(query)} FROM ${query.table} AS r JOIN chosen USING ("id") ${orderBy(query)}`;
}

async function readPages<Row extends object>(
  db: Database,
  parents: readonly ListParent[],
  page: (parent: ParentSql) => Prisma.Sql,
): Promise<(Row & Keyed)[][]> {
  const [only, ...others] = parents;
  if (only === undefined) return [];
  if (others.length === 0) {
    const parent = { workspaceId: Prisma.sql`${only.workspaceId}::uuid`, id: Prisma.sql`${only.id}::uuid` };
    return [await readRows(db, page(parent))];
  }
  const workspaceIds = parents.map(({ workspaceId }) => workspaceId);
  const ids = parents.map(({ id }) => id);
  const parent = { workspaceId: Prisma.sql`parent."workspace_id"`, id: Prisma.sql`parent."id"` };
  const rows = await readRows<Row & Keyed & { ordinal: number }>(
    db,
    Prisma.sql`
      SELECT parent."ordinal", page.*
      FROM unnest(${workspaceIds}::uuid[], ${ids}::uuid[]) WITH ORDINALITY AS parent("workspace_id", "id", "ordinal")
      CROSS JOIN LATERAL (${page(parent)}) AS page`,
  );
  const pages = parents.map((): (Row & Keyed)[] => []);
  for (const row of rows) pages[row.ordinal - 1]?.push(row);
  return pages;
}

async function readRows<Row>(db: Database, rows: Prisma.Sql): Promise<Row[]> {
  return JSON.parse(await db.$text(Prisma.sql`SELECT coalesce(json_agg(p), '[]')::text FROM (${rows}) AS p`));
}

function rowColumns(query: ListQuery): Prisma.Sql {
  return Prisma.sql`r."id", ${query.order.column} AS "key", ${namedColumns(query.columns)}`;
}

/** What is read of a row `r`, each column under its name. */
export function namedColumns(columns: Record<string, Prisma.Sql>): Prisma.Sql {
  return Prisma.join(Object.entries(columns).map(([name, sql]) => Prisma.sql`${sql} AS ${Prisma.raw(`"${name}"`)}`));
}

function within(query: ListQuery, parent: ParentSql): Prisma.Sql {
  const { from } = query.slice;
  const conditions = [Prisma.sql`r."workspace_id" = ${parent.workspaceId}`];
  if (query.parent !== undefined) conditions.push(Prisma.sql`${query.parent} = ${parent.id}`);
  if (query.condition !== undefined) conditions.push(query.condition);
  if (from !== undefined) conditions.push(behind(query, from));
  return Prisma.join(conditions, ' AND ');
}

function behind(query: ListQuery, from: Position): Prisma.Sql {
  const comparison = isDescending(query) ? Prisma.sql`<` : Prisma.sql`>`;
  const { column, keyType } = query.order;
  return Prisma.sql`(${column}, r."id") ${comparison} (${from.key}::${keyType}, ${from.id}::uuid)`;
}

function orderBy(query: ListQuery): Prisma.Sql {
  return Prisma.sql`ORDER BY ${query.order.column} ${direction(query)}, r."id" ${direction(query)}`;
}

function direction(query: ListQuery): Prisma.Sql {
  return isDescending(query) ? Prisma.sql`DESC` : Prisma.sql`ASC`;
}

function isDescending(query: ListQuery): boolean {
  return query.order.descending === (query.slice.direction === 'forward');
}
