// The statements that read rows by name or by id, and that count them: one statement for the lists of many parents.
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import type { Slice } from '../../pagination/page.js';
import type { CountKey, Keyed, ListDefinition, ListParent, NameKey, PlacedRow } from './list-definition.js';
import { newestFirst } from './list-input.js';
import { columnsOf, listQuery, parentOf, tableOf } from './list-query.js';
import { allOf, columnList, isNarrowed, keptTotal, matchCount, rowsStatement } from './page-statement.js';
import { pagesBy } from './page-strategies.js';

/**
 * The number of rows of each list that match its search and filter, in the order of the keys. The keys differ only in
 * their parents.
 */
export async function readCounts<Row extends object>(
  db: ReadStatements,
  list: ListDefinition<Row>,
  keys: readonly CountKey[],
): Promise<number[]> {
  const [key] = keys;
  if (key === undefined) return [];
  const slice: Slice = { size: 0, direction: 'forward' };
  const query = listQuery(list, { ...key, order: newestFirst, slice, limit: 0, columns: new Set() });
  const counts = await pagesBy<{ total: number }>(
    db,
    keys.map(({ parent }) => parent),
    list.isCounted === true && !isNarrowed(key) ? keptTotal(list.table) : matchCount(query),
  );
  return counts.map(([row]) => row?.total ?? 0);
}

/** Rows by name, in the order of the keys. */
export async function readNamed<Row extends object, Read extends Partial<Row> = Partial<Row>>(
  db: ReadStatements,
  kind: ListDefinition<Row>,
  keys: readonly NameKey[],
): Promise<((Read & Keyed) | undefined)[]> {
  const workspaces = keys.map(({ parent }) => parent.workspaceId ?? parent.id);
  const parents = keys.map(({ parent }) => parent.id);
  const names = keys.map(({ name }) => name);
  const isWhole = keys.some(({ columns }) => columns === undefined);
  const selected = isWhole ? undefined : new Set(keys.flatMap(({ columns }) => [...(columns ?? [])]));
  const rows = await readWhere<Read & { parentId: string; name: string }>(
    db,
    kind,
    Prisma.sql`(r."workspace_id", ${parentOf(kind)}, r."name") IN (
      SELECT * FROM unnest(${workspaces}::uuid[], ${parents}::uuid[], ${names}::text[]))`,
    { ...columnsOf(kind, selected), parentId: parentOf(kind), name: Prisma.sql`r."name"` },
  );
  const rowsByName = new Map(rows.map((row) => [`${row.parentId} ${row.name}`, row]));
  return keys.map(({ parent, name }) => rowsByName.get(`${parent.id} ${name}`));
}

export async function readByIds<Row extends object>(
  db: ReadStatements,
  kind: ListDefinition<Row>,
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

/** The row with an id in the list of a parent. */
export async function readById<Row extends object>(
  db: ReadStatements,
  list: ListDefinition<Row>,
  { workspaceId, id: parentId }: ListParent,
  id: string,
): Promise<(Row & Keyed) | undefined> {
  const conditions = [
    Prisma.sql`r."id" = ${id}::uuid`,
    ...(workspaceId === undefined ? [] : [Prisma.sql`r."workspace_id" = ${workspaceId}::uuid`]),
    ...(list.parent === undefined ? [] : [Prisma.sql`${list.parent} = ${parentId}::uuid`]),
  ];
  const [row] = await readWhere<Row>(db, list, allOf(conditions), { ...list.columns });
  return row;
}

/** Rows that meet a condition, unordered. */
async function readWhere<Read extends object>(
  db: ReadStatements,
  kind: Pick<ListDefinition<object>, 'table' | 'source' | 'condition'>,
  condition: Prisma.Sql,
  columns: Record<string, Prisma.Sql>,
): Promise<(Read & Keyed)[]> {
  const all = kind.condition === undefined ? condition : Prisma.sql`${condition} AND ${kind.condition}`;
  const list = columnList({ id: Prisma.sql`r."id"`, key: Prisma.sql`r."created_at"`, ...columns });
  const rows = Prisma.sql`SELECT ${list} FROM ${tableOf(kind)} AS r WHERE ${all}`;
  return readJson(db, rowsStatement(rows));
}
