// Most pages are of one list that nothing narrows. Their statements differ in nothing but whose list it is and where the page
// starts, so each of them is written once, and filled in: writing it took as long as reading the rows of a short page.
import { LRUCache } from 'lru-cache';
import type { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import type { Keyed, KindDefinition, PageKey } from './kind-definition.js';
import { listQuery } from './list-query.js';
import { pagesStatement, walkedPage } from './page-statement.js';

interface PlainPage {
  statement: Prisma.Sql;
  /** The column that is a row's key, where it is read under its own name. */
  keyColumn: string | undefined;
}

/** What stands in a kept statement for a value. */
const blank = { workspaceId: '\0workspace', parentId: '\0parent', key: '\0key', id: '\0id' };

/** So many are kept of each kind: more than a console, an API and some dozens of other queries ask for. */
const pagesMax = 100;

const pagesByKind = new WeakMap<object, LRUCache<string, PlainPage>>();

/** The page of one list by walking it in its order. */
export async function readPlainPage<Row extends object, Read extends Partial<Row>>(
  db: ReadStatements,
  kind: KindDefinition<Row>,
  key: PageKey,
): Promise<(Read & Keyed)[]> {
  const { statement, keyColumn } = plainPage(kind, key);
  const rows: (Read & Keyed & Record<string, string>)[] = JSON.parse(await db.$text(filled(statement, key)));
  if (keyColumn !== undefined) for (const row of rows) row.key = row[keyColumn] ?? '';
  return rows;
}

function plainPage<Row extends object>(kind: KindDefinition<Row>, key: PageKey): PlainPage {
  const { sort, limit, columns, slice } = key;
  const pages = pagesByKind.get(kind) ?? new LRUCache<string, PlainPage>({ max: pagesMax });
  pagesByKind.set(kind, pages);
  const name = JSON.stringify([sort, limit, slice.direction, slice.from === undefined, columns && [...columns]]);
  const known = pages.get(name);
  if (known !== undefined) return known;
  const parent = { workspaceId: blank.workspaceId, id: blank.parentId };
  const from = slice.from && { key: blank.key, id: blank.id };
  const query = listQuery(kind, { ...key, parent, slice: { ...slice, from } });
  const keyColumn = Object.keys(query.columns).find((column) => query.columns[column]?.sql === query.order.column.sql);
  const statement = pagesStatement([parent], walkedPage({ ...query, keyColumn }));
  // Of a text that stays the same, the driver knows the prepared statement at once.
  const page = { statement: Object.defineProperty(statement, 'text', { value: statement.text }), keyColumn };
  pages.set(name, page);
  return page;
}

/** The same statement with the values of one page. */
function filled(statement: Prisma.Sql, { parent, slice: { from } }: PageKey): Prisma.Sql {
  const given = new Map<unknown, string>([
    [blank.workspaceId, parent.workspaceId],
    [blank.parentId, parent.id],
    [blank.key, from?.key ?? ''],
    [blank.id, from?.id ?? ''],
  ]);
  const values = statement.values.map((value) => given.get(value) ?? value);
  return Object.create(statement, { values: { value: values } });
}
