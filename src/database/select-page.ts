// The one statement behind every list. Prisma can say neither a row-wise keyset comparison nor "these few
// columns as one JSON text"; the second makes a page several times cheaper to read, because the driver
// then parses one value instead of one for each column of each row.
import { Prisma } from './client/client.js';
import type { Database } from './open.js';
import type { Position, Slice } from '../paging/page.js';

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
  workspaceId: string;
  order: ListOrder;
  slice: Slice;
  /** What to read of each row, by the name that it gets. */
  columns: Record<string, Prisma.Sql>;
  /** A term of two characters or more in lower case, looked for in the column `search`. */
  search?: string | undefined;
}

/** What each row carries beside its columns: its id, and the text of the sorted column. */
export interface Keyed {
  id: string;
  key: string;
}

/** So many pieces of a term are looked up: more of them take longer, and hardly rule out more. */
const piecesMax = 6;

/**
 * Reads one row more than the slice asks for, in the slice's direction.
 *
 * A search has two ways. What many rows match is found soonest by walking the list in its order; what few
 * match, by the inverted index, and sorting those few. It walks a bounded stretch first, and asks the
 * index when that did not fill the page, so neither a frequent nor a rare term costs more than a small
 * number of pages.
 */
export async function selectPage<Row>(db: Database, query: ListQuery): Promise<(Row & Keyed)[]> {
  const limit = query.slice.size + 1;
  if (query.search === undefined) return readRows(db, walk(query, query.table, limit));
  const matches = Prisma.sql`r."search" LIKE ${likePattern(query.search)}`;
  const stretch = Prisma.sql`(SELECT * FROM ${query.table} AS r WHERE ${within(query)} ${orderBy(query)} LIMIT ${query.order.walkRowsMax})`;
  const found = await readRows<Row & Keyed>(
    db,
    Prisma.sql`SELECT ${rowColumns(query)} FROM ${stretch} AS r WHERE ${matches} ${orderBy(query)} LIMIT ${limit}`,
  );
  if (found.length === limit) return found;
  const candidates = Prisma.sql`
    SELECT r."id", ${query.order.column} AS "key" FROM ${query.table} AS r
    WHERE ${within(query)} AND ${matches}
      AND search_grams(r."workspace_id", r."search") @> (${gramsOf(query.workspaceId, query.search)})`;
  return readRows(
    db,
    Prisma.sql`
      WITH candidate AS MATERIALIZED (${candidates}),
           chosen AS (SELECT "id" FROM candidate ORDER BY "key" ${direction(query)}, "id" ${direction(query)} LIMIT ${limit})
      SELECT ${rowColumns(query)} FROM ${query.table} AS r JOIN chosen USING ("id") ${orderBy(query)}`,
  );
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

function walk(query: ListQuery, table: Prisma.Sql, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT ${rowColumns(query)} FROM ${table} AS r WHERE ${within(query)} ${orderBy(query)} LIMIT ${limit}`;
}

async function readRows<Row>(db: Database, rows: Prisma.Sql): Promise<Row[]> {
  return JSON.parse(await db.$text(Prisma.sql`SELECT coalesce(json_agg(p), '[]')::text FROM (${rows}) AS p`));
}

function rowColumns(query: ListQuery): Prisma.Sql {
  return Prisma.sql`r."id", ${query.order.column} AS "key", ${namedColumns(query.columns)}`;
}

function namedColumns(columns: Record<string, Prisma.Sql>): Prisma.Sql {
  return Prisma.join(Object.entries(columns).map(([name, sql]) => Prisma.sql`${sql} AS ${Prisma.raw(`"${name}"`)}`));
}

function within(query: ListQuery): Prisma.Sql {
  const inWorkspace = Prisma.sql`r."workspace_id" = ${query.workspaceId}::uuid`;
  const { from } = query.slice;
  return from === undefined ? inWorkspace : Prisma.sql`${inWorkspace} AND ${behind(query, from)}`;
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

/** The grams of some pieces of two characters, spread over the term. */
function gramsOf(workspaceId: string, term: string): Prisma.Sql {
  const characters = Array.from(term);
  const last = characters.length - 2;
  const count = Math.min(piecesMax, Math.ceil(characters.length / 2));
  const pieces = Array.from({ length: count }, (_, index) => {
    const start = count === 1 ? 0 : Math.round((index * last) / (count - 1));
    return characters.slice(start, start + 2).join('');
  });
  return Prisma.join(
    pieces.map((piece) => Prisma.sql`search_grams(${workspaceId}::uuid, ${piece})`),
    ' || ',
  );
}

/** The pattern that finds the term anywhere: `%`, `_` and `\` in it are literal (decision 12). */
function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
