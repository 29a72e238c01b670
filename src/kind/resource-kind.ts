// What a kind of resource is, and the statements that read its rows. What a request asks for at once, of whatever many
// owners, is read with one statement: the number of statements follows from the shape of a query alone.
import DataLoader from 'dataloader';
import { authorizeReach } from '../access/authorize.js';
import { perRequest } from '../access/context.js';
import type { RequestContext } from '../access/context.js';
import type { ResourceTable } from '../changes/change-words.js';
import { Prisma } from '../database/client/client.js';
import type { ReadStatements } from '../database/open.js';
import { notFound } from '../errors.js';
import type { Slice } from '../paging/page.js';
import type { Criteria, Filter } from './filter.js';
import type { ResourceSort } from './list-input.js';
import { loadByQuery } from './load-by-query.js';
import {
  columnList,
  indexedPage,
  matchCount,
  pagesStatement,
  rowsStatement,
  stretchedPage,
  walkedPage,
} from './page-statement.js';
import type { ListParent, ListQuery, PageSql } from './page-statement.js';
import { rankedOrder, rankedTable } from './ranking.js';
import type { Ranking } from './ranking.js';
import { listOrders } from './resource-order.js';

/** What every row carries, whatever its kind: its id, and the text of the column that its list was sorted by. */
export interface Keyed {
  id: string;
  key: string;
}

/** What sets one kind of resource apart from the others. `Row` is a row that was read whole. */
export interface KindDefinition<Row extends object> {
  /** As errors name one: `egress IP`. */
  noun: string;
  table: ResourceTable;
  /** The column that says whose list a row is in; absent where that is the workspace. */
  parent?: Prisma.Sql;
  /** What else a row of the list has to meet. */
  condition?: Prisma.Sql;
  /** What can be read beside the id. Reading less is cheaper: events most of all. */
  columns: { readonly [Column in keyof Row & string]: Prisma.Sql };
  /** How many rows each list holds is kept in resource_count. */
  isCounted: boolean;
  hasSearchIndex: boolean;
  /** What its lists can be filtered by. */
  criteria: Criteria;
  /** Whether its rows have facets, by which an index finds them. */
  hasFacets?: boolean;
  /** What stands before the name in the address of its endpoint, for the kinds that have one (decision 23). */
  endpointPath?: 'agents' | 'sandboxes';
}

/** A row of which some columns were read, with its id and its place in the list. */
export type PartRow<Row extends object> = Partial<Row> & Keyed;

/** A whole row, and the workspace that it is in. */
export type PlacedRow<Row extends object> = Row & Keyed & { workspaceId: string };

/** Which page of whose list. */
export interface PageKey {
  parent: ListParent;
  sort: ResourceSort;
  search: string | undefined;
  filter: Filter | undefined;
  slice: Slice;
  limit: number;
  /** An order that is worked out beside the rows, in place of `sort`. */
  ranking?: Ranking | undefined;
  /** Everything when it is absent. */
  columns: ReadonlySet<string> | undefined;
}

/** Which part of whose list to count. */
export type CountKey = Pick<PageKey, 'parent' | 'search' | 'filter'>;

/** Which resource of whose list. */
export interface NameKey {
  parent: ListParent;
  name: string;
  columns: ReadonlySet<string> | undefined;
}

export interface ResourceKind<Row extends object> extends KindDefinition<Row> {
  pages: (ctx: RequestContext) => DataLoader<PageKey, PartRow<Row>[], string>;
  totals: (ctx: RequestContext) => DataLoader<string, number>;
  counts: (ctx: RequestContext) => DataLoader<CountKey, number, string>;
  named: (ctx: RequestContext) => DataLoader<NameKey, PartRow<Row> | undefined, string>;
  /** Whole rows by id, in the workspaces that the caller reaches. */
  rows: (ctx: RequestContext) => DataLoader<string, PlacedRow<Row> | undefined>;
}

/** A whole row by its id, for what was read in part and is asked for more. */
export async function wholeRow<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  id: string,
): Promise<Row> {
  const row = await kind.rows(ctx).load(id);
  if (row === undefined) throw notFound(kind.noun, id);
  return row;
}

/** The kinds of whole tables, by their tables. */
const kindsOfTables = new Map<string, ResourceKind<object>>();

/** The kind of everything that a table holds. */
export function kindOfTable(table: string): ResourceKind<object> {
  const kind = kindsOfTables.get(table);
  if (kind === undefined) throw new Error(`There is no kind of what the table ${table} holds.`);
  return kind;
}

/** Makes a kind, with the loaders by which one request reads it. */
export function resourceKind<Row extends object>(kind: KindDefinition<Row>): ResourceKind<Row> {
  const db = (ctx: RequestContext) => authorizeReach(ctx).db;
  const reads = (ctx: RequestContext) => authorizeReach(ctx).reads;
  const made: ResourceKind<Row> = {
    ...kind,
    pages: perRequest(
      (ctx) =>
        new DataLoader<PageKey, PartRow<Row>[], string>(
          (keys) => loadByQuery(keys, pageQuery, [], (same) => readPages<Row, Partial<Row>>(reads(ctx), kind, same)),
          // A request asks for a page once. Remembering it would keep its rows in memory for longer than the request.
          { cache: false },
        ),
    ),
    totals: perRequest((ctx) => new DataLoader<string, number>((ids) => readTotals(reads(ctx), kind, ids))),
    counts: perRequest(
      (ctx) =>
        new DataLoader<CountKey, number, string>(
          (keys) => loadByQuery(keys, countQuery, 0, (same) => readCounts(reads(ctx), kind, same)),
          { cacheKeyFn: (key) => JSON.stringify([key.parent.id, countQuery(key)]) },
        ),
    ),
    named: perRequest(
      (ctx) =>
        new DataLoader<NameKey, PartRow<Row> | undefined, string>((keys) => readNamed(db(ctx), kind, keys), {
          cacheKeyFn: ({ parent, name, columns }) => JSON.stringify([parent.id, name, columns && [...columns]]),
        }),
    ),
    rows: perRequest(
      (ctx) =>
        new DataLoader<string, PlacedRow<Row> | undefined>((ids) => readByIds(db(ctx), kind, workspaceIds(ctx), ids)),
    ),
  };
  if (kind.condition === undefined) kindsOfTables.set(kind.table, made);
  return made;
}

/**
 * The same page of each list, with one statement however many lists there are; in the order of the keys, which differ
 * in their parents alone.
 *
 * A search or a filter has two ways. What many rows match is found soonest by walking the list in its order; what few
 * match, by the indexes, and sorting those few. It walks a bounded stretch first, and asks the indexes for the lists whose
 * page that did not fill, so neither what is frequent nor what is rare costs more than a small number of pages.
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
  const query = listQuery(kind, key);
  const parents = keys.map(({ parent }) => parent);
  const isNarrowed = key.search !== undefined || key.filter !== undefined;
  // What is worked out for each row has to be sorted anyway.
  const isWalked = !isNarrowed || !kind.hasSearchIndex || key.ranking !== undefined;
  if (isWalked) return pagesBy(db, parents, walkedPage(query), key.ranking);
  const found = await pagesBy<Read>(db, parents, stretchedPage(query));
  const isShort = (index: number) => (found[index]?.length ?? 0) < key.limit;
  const short = parents.filter((_, index) => isShort(index));
  const looked = await pagesBy<Read>(db, short, indexedPage(query));
  return found.map((rows, index) => (isShort(index) ? (looked.shift() ?? []) : rows));
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

/** What to read of a list. */
export function listQuery<Row extends object>(kind: KindDefinition<Row>, key: PageKey): ListQuery {
  const { parent, condition, hasFacets = false } = kind;
  const { sort, search, filter, slice, limit, ranking } = key;
  const columns = columnsOf(kind, key.columns);
  const order = ranking === undefined ? listOrders[sort] : rankedOrder(ranking);
  const table = ranking === undefined ? tableOf(kind) : rankedTable(tableOf(kind));
  return { table, parent, condition, order, columns, slice, limit, search, filter, hasFacets };
}

function pageQuery({ sort, search, filter, slice, limit, ranking, columns }: PageKey): string {
  const order = ranking === undefined ? sort : [ranking.text, ranking.moment];
  return JSON.stringify([order, search, filter?.text, slice, limit, columns && [...columns]]);
}

function countQuery({ search, filter }: CountKey): string {
  return JSON.stringify([search, filter?.text]);
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

async function readByIds<Row extends object>(
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

/** The columns that are wanted, as SQL; all of them when none are named. */
function columnsOf<Row extends object>(
  kind: KindDefinition<Row>,
  wanted: ReadonlySet<string> | undefined,
): Record<string, Prisma.Sql> {
  const columns = Object.entries<Prisma.Sql>(kind.columns);
  return Object.fromEntries(wanted === undefined ? columns : columns.filter(([name]) => wanted.has(name)));
}

function tableOf({ table }: { table: string }): Prisma.Sql {
  return Prisma.raw(`"${table}"`);
}

function parentOf({ parent }: { parent?: Prisma.Sql }): Prisma.Sql {
  return parent ?? Prisma.sql`r."workspace_id"`;
}

function workspaceIds(ctx: RequestContext): string[] {
  return Array.from(ctx.caller.workspaces.values(), ({ id }) => id);
}
