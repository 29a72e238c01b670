// Pages of what belongs to accounts and to workspaces and is no resource: who belongs to them, and who is invited. The lists
// of many places are read by one statement each, as those of resources are.
import DataLoader from 'dataloader';
import { authorizeReach } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import { perRequest } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import type { MemberPlace } from '../auth/membership.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { likePattern } from '../database/search-pattern.js';
import { invalidParameter } from '../errors.js';
import { loadByQuery } from '../store/read/load-by-query.js';
import type { ListInput, ListPage, ResourceSort } from '../store/read/list-input.js';
import { queryCursors } from '../pagination/cursor.js';
import { pageFromRows, searchTerm } from '../pagination/page.js';
import type { Slice } from '../pagination/page.js';
import type { Placed } from '../store/read/row-list.js';

interface PlacedRow {
  id: string;
  name: string;
  /** RFC 3339. */
  createdAt: string;
}

/** A kind of list, as SQL about a `place` with the columns `account_id` and `workspace_id`. */
export interface PlaceListDefinition {
  /** What cursors are told apart by. */
  name: string;
  /** FROM and WHERE. */
  rows: Prisma.Sql;
  /** What is read of each row, by the name that it gets; `id`, `name` and `createdAt` are among them. */
  columns: Record<string, Prisma.Sql> & Record<keyof PlacedRow, Prisma.Sql>;
  /** What a search looks through, in lower case. */
  searched: Prisma.Sql;
}

/** What narrows a list: SQL, and the text that cursors are bound to. */
export interface PlaceFilter {
  text: string;
  sql: Prisma.Sql;
}

interface PageKey {
  place: MemberPlace;
  sort: ResourceSort;
  search: string | undefined;
  filter: PlaceFilter | undefined;
  slice: Slice;
  limit: number;
}

interface NameKey {
  place: MemberPlace;
  name: string;
}

interface Counts {
  total: number;
  filtered: number;
}

export interface PlaceList<Row extends PlacedRow> {
  /** One page of the list of a place. @throws 400 for a cursor, a search or an order that breaks a rule. */
  readPage: (
    authorized: Authorized,
    place: MemberPlace,
    input: ListInput,
    filter?: PlaceFilter,
  ) => Promise<ListPage<Placed<Row>>>;
  /** The row of an id in a place. */
  readOne: (authorized: Authorized, place: MemberPlace, id: string) => Promise<Row | undefined>;
  /** The row of a name in a place; those that a request asks for at once, by one statement. */
  readNamed: (authorized: Authorized, place: MemberPlace, name: string) => Promise<Row | undefined>;
}

export function placeList<Row extends PlacedRow>(list: PlaceListDefinition): PlaceList<Row> {
  const db = (ctx: RequestContext) => authorizeReach(ctx).db;
  const pages = perRequest(
    (ctx) =>
      new DataLoader<PageKey, Row[]>(
        (keys) => loadByQuery(keys, queryOf, [], (alike) => readPages<Row>(db(ctx), list, alike)),
        { cache: false },
      ),
  );
  const counts = perRequest(
    (ctx) =>
      new DataLoader<PageKey, Counts>(
        (keys) => loadByQuery(keys, queryOf, nothing, (alike) => readCounts(db(ctx), list, alike)),
        { cache: false },
      ),
  );
  const named = perRequest(
    (ctx) =>
      new DataLoader<NameKey, Row | undefined, string>((keys) => readNamed<Row>(db(ctx), list, keys), {
        cacheKeyFn: ({ place, name }) => JSON.stringify([place.accountId, place.workspaceId, name]),
      }),
  );
  return {
    readNamed: ({ ctx }, place, name) => named(ctx).load({ place, name }),
    readPage: async ({ ctx, caller }, place, input, filter) => {
      const { items, hasMore, total, filtered } = input.wanted ?? everything;
      const sort = input.sort ?? 'createdAt:desc';
      const search = searchTerm(input.fields.search, input.search);
      const cursors = queryCursors(ctx.seal, ctx.now, {
        list: list.name,
        account: place.accountId,
        workspace: place.workspaceId ?? undefined,
        principal: caller.principal.id,
        sort,
        search,
        filter: filter?.text,
        version: input.version,
      });
      const from = input.cursor == null ? undefined : cursors.open(input.fields.cursor, input.cursor);
      const slice: Slice = { size: input.size, direction: input.direction, from };
      const key = { place, sort, search, filter, slice, limit: input.size + (hasMore ? 1 : 0) };
      const [rows, counted] = await Promise.all([
        items ? pages(ctx).load(key) : [],
        total || filtered ? counts(ctx).load(key) : nothing,
      ]);
      const placed = rows.map((row): Placed<Row> => ({ ...row, position: { key: keyOf(row, sort), id: row.id } }));
      return { ...pageFromRows(slice, placed), cursors, ...counted };
    },
    readOne: async ({ db: statements }, place, id) => {
      const filter = { text: '', sql: Prisma.sql`${list.columns.id} = ${id}::uuid` };
      const slice: Slice = { size: 1, direction: 'forward' };
      const key: PageKey = { place, sort: 'name:asc', search: undefined, filter, slice, limit: 1 };
      const [rows = []] = await readPages<Row>(statements, list, [key]);
      return rows[0];
    },
  };
}

const everything = { items: true, hasMore: true, total: true, filtered: false };
const nothing: Counts = { total: 0, filtered: 0 };

function keyOf(row: PlacedRow, sort: ResourceSort): string {
  return sort.startsWith('name:') ? row.name : new Date(row.createdAt).toISOString();
}

/** All but the place: what keys have in common that one statement serves. */
function queryOf({ sort, search, filter, slice, limit }: PageKey): string {
  return JSON.stringify([sort, search, filter?.text, slice, limit]);
}

async function readPages<Row>(db: Statements, list: PlaceListDefinition, keys: PageKey[]): Promise<Row[][]> {
  const [first] = keys;
  if (first === undefined) return [];
  const { slice, limit } = first;
  const { column, descending } = orderOf(list, first.sort, slice);
  const direction = descending ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  const text = await db.$text(Prisma.sql`
    SELECT coalesce(json_agg(p), '[]')::text FROM (
      SELECT place."ordinal", row_to_json(page) AS "row" FROM ${placesOf(keys)} CROSS JOIN LATERAL (
        SELECT ${columnsOf(list)} ${list.rows} ${narrowing(list, first)} ${behind(list, first)}
        ORDER BY ${column} ${direction}, ${list.columns.id} ${direction} LIMIT ${limit}) AS page) AS p`);
  const rows: { ordinal: number; row: Row }[] = JSON.parse(text);
  const found = keys.map((): Row[] => []);
  for (const { ordinal, row } of rows) found[ordinal - 1]?.push(row);
  return found;
}

async function readCounts(db: Statements, list: PlaceListDefinition, keys: PageKey[]): Promise<Counts[]> {
  const [first] = keys;
  if (first === undefined) return [];
  const text = await db.$text(Prisma.sql`
    SELECT coalesce(json_agg(p), '[]')::text FROM (
      SELECT (SELECT count(*) ${list.rows}) AS "total", (SELECT count(*) ${list.rows} ${narrowing(list, first)}) AS "filtered"
      FROM ${placesOf(keys)} ORDER BY place."ordinal") AS p`);
  const counts: Counts[] = JSON.parse(text);
  return counts;
}

async function readNamed<Row>(
  db: Statements,
  list: PlaceListDefinition,
  keys: readonly NameKey[],
): Promise<(Row | undefined)[]> {
  const names = keys.map(({ name }) => name);
  const text = await db.$text(Prisma.sql`
    SELECT coalesce(json_agg(p), '[]')::text FROM (
      SELECT place."ordinal", row_to_json(found) AS "row" FROM ${placesOf(keys)} CROSS JOIN LATERAL (
        SELECT ${columnsOf(list)} ${list.rows} AND ${list.columns.name} = (${names}::text[])[place."ordinal"] LIMIT 1) AS found) AS p`);
  const rows: { ordinal: number; row: Row }[] = JSON.parse(text);
  const byOrdinal = new Map(rows.map(({ ordinal, row }) => [ordinal, row]));
  return keys.map((_, index) => byOrdinal.get(index + 1));
}

function placesOf(keys: readonly { place: MemberPlace }[]): Prisma.Sql {
  const accounts = keys.map(({ place }) => place.accountId);
  const workspaces = keys.map(({ place }) => place.workspaceId ?? '');
  return Prisma.sql`(
    SELECT p."account_id", nullif(p."workspace_id", '')::uuid AS "workspace_id", p."ordinal"
    FROM unnest(${accounts}::uuid[], ${workspaces}::text[]) WITH ORDINALITY AS p("account_id", "workspace_id", "ordinal")
  ) AS place`;
}

function columnsOf({ columns }: PlaceListDefinition): Prisma.Sql {
  const named = Object.entries(columns).map(([name, sql]) => Prisma.sql`${sql} AS ${Prisma.raw(`"${name}"`)}`);
  return Prisma.join(named);
}

function narrowing({ searched }: PlaceListDefinition, { search, filter }: PageKey): Prisma.Sql {
  const found = search === undefined ? Prisma.empty : Prisma.sql`AND ${searched} LIKE ${likePattern(search)}`;
  return filter === undefined ? found : Prisma.sql`${found} AND ${filter.sql}`;
}

function behind(list: PlaceListDefinition, { sort, slice }: PageKey): Prisma.Sql {
  if (slice.from === undefined) return Prisma.empty;
  const { column, keyType, descending } = orderOf(list, sort, slice);
  const { key, id } = slice.from;
  const past = descending ? Prisma.sql`<` : Prisma.sql`>`;
  return Prisma.sql`AND (${column}, ${list.columns.id}) ${past} (${key}::${keyType}, ${id}::uuid)`;
}

interface Order {
  column: Prisma.Sql;
  keyType: Prisma.Sql;
  descending: boolean;
}

/** @throws 400 for an order by something else than name or createdAt. */
function orderOf({ columns }: PlaceListDefinition, sort: ResourceSort, { direction }: Slice): Order {
  const descending = sort.endsWith(':desc') === (direction === 'forward');
  const [field] = sort.split(':');
  if (field === 'name')
    return { column: Prisma.sql`${columns.name} COLLATE "C"`, keyType: Prisma.sql`text`, descending };
  if (field === 'createdAt') return { column: columns.createdAt, keyType: Prisma.sql`timestamptz`, descending };
  throw invalidParameter('sort', 'must be by name or createdAt');
}
