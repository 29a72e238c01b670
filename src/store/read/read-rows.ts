// The statements that read the rows of a kind: of whatever many owners, with one statement.
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import type { Slice } from '../../pagination/page.js';
import type { CountKey, KindDefinition, Keyed, NameKey, PageKey, PlacedRow } from './kind-definition.js';
import {
  columnList,
  indexedPage,
  isNarrowed,
  matchCount,
  pagesStatement,
  rowsStatement,
  stretchedPage,
  walkedPage,
} from './page-statement.js';
import type { ListParent, PageSql } from './page-statement.js';
import { columnsOf, listQuery, parentOf, tableOf } from './list-query.js';
import { readPlainPage } from './plain-page.js';
import type { Ranking } from './ranking.js';
import { isSpanned, spannedPage } from './spanned-page.js';

/** What part of the longest walk is walked first. */
const firstShare = 5;

/**
 * The same page of each list, with one statement however many lists there are; in the order of the keys, which differ
 * in their parents alone.
 *
 * A search or a filter is read in up to three ways. First a short part of the list is scanned in its order, which is
 * fastest when many rows match. If that does not fill the page, one list in an order of time is scanned by time buckets
 * when its indexed values are frequent. Any other list is scanned further if the first scan found nearly enough, and
 * then by the indexes, whose matches are sorted. So neither frequent nor rare values cost more than a few pages.
 *
 * `Read` is what the keys' columns read of a row: all of it where they name none.
 */
export async function readPages<Row extends object, Read extends Partial<Row>>(
  db: ReadStatements,
  kind: KindDefinition<Row>,
  keys: readonly PageKey[],
): Promise<(Read & Keyed)[][]> {
  const [key] = keys;
  if (key === undefined) return [];
  if (keys.length === 1 && !isNarrowed(key) && key.ranking === undefined) {
    return [await readPlainPage<Row, Read>(db, kind, key)];
  }
  const query = listQuery(kind, key);
  const parents = keys.map(({ parent }) => parent);
  // What is worked out for each row has to be sorted anyway.
  const isWalked = !isNarrowed(key) || !kind.hasSearchIndex || key.ranking !== undefined;
  if (isWalked) return pagesBy(db, parents, walkedPage(query), key.ranking);
  const firstRows = Math.ceil(query.order.walkRowsMax / firstShare);
  let found = await pagesBy<Read>(db, parents, stretchedPage(query, firstRows));
  const isShort = (index: number) => (found[index]?.length ?? 0) < key.limit;
  // What is found so far says whether it is worth walking on.
  const isNear = found.some((rows, index) => isShort(index) && rows.length * firstShare >= key.limit);
  const readShort = async (page: PageSql) => {
    const short = parents.filter((_, index) => isShort(index));
    const read = await pagesBy<Read>(db, short, page);
    found = found.map((rows, index) => (isShort(index) ? (read.shift() ?? []) : rows));
  };
  const isDone = () => found.every((_, index) => !isShort(index));
  if (isDone()) return found;
  if (await isSpanned(db, query, parents)) await readShort(spannedPage(query));
  else if (isNear) await readShort(stretchedPage(query));
  if (isDone()) return found;
  await readShort(indexedPage(query));
  return found;
}

/** Pages of the lists of several parents, by one statement; in the order of the parents. */
export async function pagesBy<Read extends object>(
  db: ReadStatements,
  parents: readonly ListParent[],
  page: PageSql,
  ranking?: Ranking,
): Promise<(Read & Keyed)[][]> {
  if (parents.length === 0) return [];
  const statement = pagesStatement(parents, page, ranking);
  const rows: (Read & Keyed & { ordinal?: number })[] = JSON.parse(await db.$text(statement));
  if (parents.length === 1) return [rows];
  const pages = parents.map((): (Read & Keyed)[] => []);
  for (const row of rows) pages[(row.ordinal ?? 0) - 1]?.push(row);
  return pages;
}

/** How many rows of each list its search and its filter match: one statement, in the order of the keys. */
export async function readCounts<Row extends object>(
  db: ReadStatements,
  kind: KindDefinition<Row>,
  keys: readonly CountKey[],
): Promise<number[]> {
  const [key] = keys;
  if (key === undefined) return [];
  const slice: Slice = { size: 0, direction: 'forward' };
  const query = listQuery(kind, { ...key, sort: 'createdAt:desc', slice, limit: 0, columns: new Set() });
  const { hasSearchIndex } = kind;
  const counts = await pagesBy<{ total: number }>(
    db,
    keys.map(({ parent }) => parent),
    matchCount({ ...query, hasSearchIndex }),
  );
  return counts.map(([row]) => row?.total ?? 0);
}

/** How many rows each list holds, by the id of its workspace or parent. */
export async function readTotals<Row extends object>(
  db: ReadStatements,
  kind: KindDefinition<Row>,
  ids: readonly string[],
): Promise<number[]> {
  const parent = parentOf(kind);
  const counts = kind.isCounted
    ? Prisma.sql`SELECT "workspace_id" AS "id", sum("total") AS "total" FROM "resource_count"
        WHERE "resource" = ${kind.table} AND "workspace_id" = ANY(${[...ids]}::uuid[]) GROUP BY 1`
    : Prisma.sql`SELECT ${parent} AS "id", count(*) AS "total" FROM ${tableOf(kind)} AS r
        WHERE ${parent} = ANY(${[...ids]}::uuid[]) AND ${kind.condition ?? Prisma.sql`true`} GROUP BY 1`;
  const totals: Record<string, number> = JSON.parse(
    await db.$text(Prisma.sql`SELECT coalesce(json_object_agg("id", "total"), '{}')::text FROM (${counts}) AS c`),
  );
  return ids.map((id) => totals[id] ?? 0);
}

/** Rows by name, in the order of the keys. */
export async function readNamed<Row extends object, Read extends Partial<Row> = Partial<Row>>(
  db: ReadStatements,
  kind: KindDefinition<Row>,
  keys: readonly NameKey[],
): Promise<((Read & Keyed) | undefined)[]> {
  const workspaces = keys.map(({ parent }) => parent.workspaceId);
  const parents = keys.map(({ parent }) => parent.id);
  const names = keys.map(({ name }) => name);
  const isWhole = keys.some(({ columns }) => columns === undefined);
  const wanted = isWhole ? undefined : new Set(keys.flatMap(({ columns }) => [...(columns ?? [])]));
  const rows = await readWhere<Read & { parentId: string; name: string }>(
    db,
    kind,
    Prisma.sql`(r."workspace_id", ${parentOf(kind)}, r."name") IN (
      SELECT * FROM unnest(${workspaces}::uuid[], ${parents}::uuid[], ${names}::text[]))`,
    { ...columnsOf(kind, wanted), parentId: parentOf(kind), name: Prisma.sql`r."name"` },
  );
  const rowsByName = new Map(rows.map((row) => [`${row.parentId} ${row.name}`, row]));
  return keys.map(({ parent, name }) => rowsByName.get(`${parent.id} ${name}`));
}

export async function readByIds<Row extends object>(
  db: ReadStatements,
  kind: KindDefinition<Row>,
  workspaces: string[],
  ids: readonly string[],
): Promise<(PlacedRow<Row> | undefined)[]> {
  const rows = await readWhere<Row & { workspaceId: string }>(
    db,
    kind,
    Prisma.sql`r."id" = ANY(${[...ids]}::uuid[]) AND r."workspace_id" = ANY(${workspaces}::uuid[])`,
    { ...kind.columns, workspaceId: Prisma.sql`r."workspace_id"` },
  );
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => rowsById.get(id));
}

/** Rows that meet a condition, in no order. */
async function readWhere<Read extends object>(
  db: ReadStatements,
  kind: Pick<KindDefinition<object>, 'table' | 'condition'>,
  condition: Prisma.Sql,
  columns: Record<string, Prisma.Sql>,
): Promise<(Read & Keyed)[]> {
  const all = kind.condition === undefined ? condition : Prisma.sql`${condition} AND ${kind.condition}`;
  const list = columnList({ id: Prisma.sql`r."id"`, key: Prisma.sql`r."created_at"`, ...columns });
  const rows = Prisma.sql`SELECT ${list} FROM ${tableOf(kind)} AS r WHERE ${all}`;
  return JSON.parse(await db.$text(rowsStatement(rows)));
}
