// Prepared statements for the most common pages: one list without a search or a filter. These statements differ only in
// the parent and the start of the page, so each is built once and then filled in. Building it took as long as reading a
// short page.
import { LRUCache } from 'lru-cache';
import type { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import type { Keyed, ListDefinition, PageKey } from './list-definition.js';
import { listQuery } from './list-query.js';
import { orderedScan, pagesStatement } from './page-statement.js';

interface PreparedPage {
  statement: Prisma.Sql;
  /** The column that is a row's key, if it is read under its own name. */
  keyColumn: string | undefined;
}

/** The prepared statements of one list, by the parts in which they differ. */
export type PreparedPages = LRUCache<string, PreparedPage>;

/** How many statements are kept for each list: enough for a console, an API and some dozens of other queries. */
const statementsMax = 100;

export function preparedPages(): PreparedPages {
  return new LRUCache({ max: statementsMax });
}

/** A placeholder of a value in a prepared statement. */
const blank = { workspaceId: '\0workspace', parentId: '\0parent', key: '\0key', id: '\0id' };

/** The page of one list by scanning it in its order. */
export async function readPreparedPage<Row extends object, Read extends Partial<Row>>(
  db: ReadStatements,
  list: ListDefinition<Row> & { prepared: PreparedPages },
  key: PageKey,
): Promise<(Read & Keyed)[]> {
  const { statement, keyColumn } = prepare(list, key);
  const rows = await readJson<(Read & Keyed & Record<string, string>)[]>(db, filled(statement, key));
  if (keyColumn !== undefined) for (const row of rows) row.key = row[keyColumn] ?? '';
  return rows;
}

function prepare<Row extends object>(
  list: ListDefinition<Row> & { prepared: PreparedPages },
  key: PageKey,
): PreparedPage {
  const { order, limit, columns, slice } = key;
  const name = JSON.stringify([
    order.field,
    order.direction,
    limit,
    slice.direction,
    slice.from === undefined,
    columns && [...columns],
  ]);
  const known = list.prepared.get(name);
  if (known !== undefined) return known;
  const parent = { workspaceId: blank.workspaceId, id: blank.parentId };
  const from = slice.from && { key: blank.key, id: blank.id };
  const query = listQuery(list, { ...key, parent, slice: { ...slice, from } });
  const keyColumn = Object.keys(query.columns).find((column) => query.columns[column]?.sql === query.order.column.sql);
  const statement = pagesStatement([parent], orderedScan({ ...query, keyColumn }));
  // The text is computed once, because the driver identifies a prepared statement by it.
  const page = { statement: Object.defineProperty(statement, 'text', { value: statement.text }), keyColumn };
  list.prepared.set(name, page);
  return page;
}

/** The same statement with the values of one page. */
function filled(statement: Prisma.Sql, { parent, slice: { from } }: PageKey): Prisma.Sql {
  const placeholders = new Map<unknown, string>([
    [blank.workspaceId, parent.workspaceId ?? parent.id],
    [blank.parentId, parent.id],
    [blank.key, from?.key ?? ''],
    [blank.id, from?.id ?? ''],
  ]);
  const values = statement.values.map((value) => placeholders.get(value) ?? value);
  return Object.create(statement, { values: { value: values } });
}
