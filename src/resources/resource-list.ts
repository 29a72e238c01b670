// How resources of every kind are read: page by page, whole, counted, by name and by id. Nothing here
// authorises: that is the first statement of the functions that a kind's own file makes of this.
import DataLoader from 'dataloader';
import type { ReachableWorkspace } from '../access/caller.js';
import { perRequest } from '../context.js';
import type { RequestContext } from '../context.js';
import { Prisma } from '../database/client/client.js';
import { selectPages, selectRows } from '../database/select-page.js';
import type { ListParent } from '../database/select-page.js';
import { notFound } from '../errors.js';
import { queryCursors } from '../paging/cursor.js';
import { pageFromRows, searchTerm } from '../paging/page.js';
import type { Slice } from '../paging/page.js';
import { canBeName } from './resource.js';
import { listOrders } from './resource-order.js';
import type {
  Found,
  ListInput,
  ListOwner,
  ResourceKeys,
  ResourceKind,
  ResourcePage,
  ResourceSort,
} from './resource-kind.js';

export interface ResourceList<Resource> {
  /** @throws 400 for a cursor or a search that breaks a rule. */
  page: (ctx: RequestContext, owner: ListOwner, input: ListInput) => Promise<ResourcePage<Resource>>;
  /** The whole list, newest first, chunk by chunk, so that its length never shows in memory. */
  all: (ctx: RequestContext, owner: ListOwner) => AsyncGenerator<Resource[]>;
  /** @throws 404 `not_found` */
  byName: (
    ctx: RequestContext,
    owner: ListOwner,
    name: string,
    columns?: ReadonlySet<string>,
  ) => Promise<Found<Resource>>;
  /** In the order of the ids; null for what does not exist or is out of reach. */
  byIds: (ctx: RequestContext, ids: readonly string[]) => Promise<(Found<Resource> | null)[]>;
}

/** Larger chunks are no faster, and leave more behind in memory than is collected in time. */
const chunkSize = 50;

interface PageKey {
  owner: ListOwner;
  sort: ResourceSort;
  search: string | undefined;
  slice: Slice;
  limit: number;
  columns: ReadonlySet<string> | undefined;
}

/** Makes the readers of a kind. What a request asks for at once is read with one statement. */
export function resourceList<Row extends ResourceKeys, Resource>(
  kind: ResourceKind<Row, Resource>,
): ResourceList<Resource> {
  const table = Prisma.raw(`"${kind.table}"`);
  const workspaceColumn = Prisma.sql`r."workspace_id"`;
  const parent = kind.parent ?? workspaceColumn;

  function found(ctx: RequestContext, workspace: ReachableWorkspace, row: Row): Found<Resource> {
    return {
      id: row.id,
      position: { key: row.key, id: row.id },
      resource: kind.fromRow(ctx, workspace, row),
      workspace,
    };
  }

  /** What is wanted of each row, and what everything else is made from. */
  function columnsOf(wanted: ReadonlySet<string> | undefined): Record<string, Prisma.Sql> {
    if (wanted === undefined) return kind.columns;
    const columns = Object.entries(kind.columns);
    return Object.fromEntries(columns.filter(([name]) => wanted.has(name) || kind.keyColumns.includes(name)));
  }

  const pages = perRequest(
    (ctx) =>
      new DataLoader<PageKey, Row[], string>(
        async (keys) => {
          const results = new Map<PageKey, Row[]>();
          const same = keysByQuery(keys);
          await Promise.all(same.map((each) => readPages(ctx, each, results)));
          return keys.map((key) => results.get(key) ?? []);
        },
        // A request asks for a page once. Remembering it would keep its rows in memory for longer than the request.
        { cache: false },
      ),
  );

  /** The same query of several owners, with one statement. */
  async function readPages(ctx: RequestContext, keys: PageKey[], results: Map<PageKey, Row[]>): Promise<void> {
    const [query] = keys;
    if (query === undefined) return;
    const rows = await selectPages<Row>(ctx.db, keys.map(parentOf), {
      ...queryOf(query),
      columns: columnsOf(query.columns),
    });
    keys.forEach((key, index) => results.set(key, rows[index] ?? []));
  }

  async function readPage(ctx: RequestContext, key: PageKey, isOneOfMany = false): Promise<Row[]> {
    if (isOneOfMany) return pages(ctx).load(key);
    const query = { ...queryOf(key), columns: columnsOf(key.columns) };
    const [rows = []] = await selectPages<Row>(ctx.db, [parentOf(key)], query);
    return rows;
  }

  function queryOf({ sort, search, slice, limit }: Omit<PageKey, 'owner' | 'columns'>) {
    const { parent: column, condition, hasSearchIndex } = kind;
    return { table, parent: column, condition, order: listOrders[sort], slice, limit, search, hasSearchIndex };
  }

  const totals = perRequest((ctx) => new DataLoader<string, number>((ids) => readTotals(ctx, ids)));

  async function readTotals(ctx: RequestContext, ids: readonly string[]): Promise<number[]> {
    const counts = kind.isCounted
      ? Prisma.sql`SELECT "workspace_id" AS "id", "total" FROM "resource_count"
          WHERE "resource" = ${kind.table} AND "workspace_id" = ANY(${[...ids]}::uuid[])`
      : Prisma.sql`SELECT ${parent} AS "id", count(*) AS "total" FROM ${table} AS r
          WHERE ${parent} = ANY(${[...ids]}::uuid[]) AND ${kind.condition ?? Prisma.sql`true`} GROUP BY 1`;
    const totalsById: Record<string, number> = JSON.parse(
      await ctx.db.$text(Prisma.sql`SELECT coalesce(json_object_agg("id", "total"), '{}')::text FROM (${counts}) AS c`),
    );
    return ids.map((id) => totalsById[id] ?? 0);
  }

  function readRows(ctx: RequestContext, condition: Prisma.Sql, wanted: ReadonlySet<string> | undefined) {
    const columns = { ...columnsOf(wanted), workspaceId: workspaceColumn, key: Prisma.sql`r."created_at"` };
    return selectRows<Row & { parentId: string }>(ctx.db, {
      table,
      condition: kind.condition === undefined ? condition : Prisma.sql`${condition} AND ${kind.condition}`,
      columns: { ...columns, parentId: parent },
    });
  }

  interface NameKey {
    owner: ListOwner;
    name: string;
    columns: ReadonlySet<string> | undefined;
  }

  const byName = perRequest(
    (ctx) =>
      new DataLoader<NameKey, Found<Resource> | null, string>(
        async (keys) => {
          const workspaceIds = keys.map(({ owner }) => owner.workspace.id);
          const parentIds = keys.map(({ owner }) => owner.id);
          const names = keys.map(({ name }) => name);
          const isWhole = keys.some(({ columns }) => columns === undefined);
          const rows = await readRows(
            ctx,
            Prisma.sql`(${workspaceColumn}, ${parent}, r."name") IN (
              SELECT * FROM unnest(${workspaceIds}::uuid[], ${parentIds}::uuid[], ${names}::text[]))`,
            isWhole ? undefined : new Set(keys.flatMap(({ columns }) => [...(columns ?? [])])),
          );
          const rowsByName = new Map(rows.map((row) => [`${row.parentId} ${row.name}`, row]));
          return keys.map(({ owner, name }) => {
            const row = rowsByName.get(`${owner.id} ${name}`);
            return row === undefined ? null : found(ctx, owner.workspace, row);
          });
        },
        { cacheKeyFn: ({ owner, name, columns }) => `${owner.id} ${name} ${columnsKey(columns)}` },
      ),
  );

  const byId = perRequest(
    (ctx) =>
      new DataLoader<string, Found<Resource> | null>(async (ids) => {
        const workspaces = new Map(Array.from(ctx.caller.workspaces.values(), (each) => [each.id, each]));
        const rows = await readRows(
          ctx,
          Prisma.sql`r."id" = ANY(${[...ids]}::uuid[]) AND ${workspaceColumn} = ANY(${[...workspaces.keys()]}::uuid[])`,
          undefined,
        );
        const rowsById = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => {
          const row = rowsById.get(id);
          const workspace = workspaces.get(row?.workspaceId ?? '');
          return row === undefined || workspace === undefined ? null : found(ctx, workspace, row);
        });
      }),
  );

  return {
    page: async (ctx, owner, input) => {
      const { items, hasMore, total } = input.wanted ?? { items: true, hasMore: true, total: true };
      const sort = input.sort ?? 'createdAt:desc';
      const search = searchTerm(input.fields.search, input.search);
      const query = { list: kind.table, workspace: owner.workspace.id, of: owner.id, sort, search };
      const cursors = queryCursors(ctx.seal, ctx.now, { ...query, version: input.version });
      const from = input.cursor == null ? undefined : cursors.open(input.fields.cursor, input.cursor);
      const slice: Slice = { size: input.size, direction: input.direction, from };
      const limit = input.size + (hasMore ? 1 : 0);
      const [rows, count] = await Promise.all([
        items ? readPage(ctx, { owner, sort, search, slice, limit, columns: input.columns }, input.isOneOfMany) : [],
        total ? totals(ctx).load(owner.id) : 0,
      ]);
      const resources = rows.map((row) => found(ctx, owner.workspace, row));
      return { ...pageFromRows(slice, resources), cursors, total: count };
    },

    all: async function* (ctx, owner) {
      let from: Slice['from'];
      for (;;) {
        const slice: Slice = { size: chunkSize, direction: 'forward', from };
        const query = queryOf({ sort: 'createdAt:desc', search: undefined, slice, limit: chunkSize + 1 });
        const [rows = []] = await selectPages<Row>(ctx.db, [parentOf({ owner })], { ...query, columns: kind.columns });
        const page = pageFromRows(slice, rows);
        yield page.items.map((row) => kind.fromRow(ctx, owner.workspace, row));
        const last = page.items.at(-1);
        from = last && { key: last.key, id: last.id };
        if (!page.hasNext) return;
      }
    },

    byName: async (ctx, owner, name, columns) => {
      const resource = canBeName(name) ? await byName(ctx).load({ owner, name, columns }) : null;
      if (resource === null) throw notFound(kind.noun, name);
      return resource;
    },

    byIds: (ctx, ids) => Promise.all(ids.map((id) => byId(ctx).load(id))),
  };
}

function columnsKey(columns: ReadonlySet<string> | undefined): string {
  return columns === undefined ? '*' : [...columns].join();
}

function queryKey({ sort, search, slice, limit, columns }: PageKey): string {
  return JSON.stringify([sort, search, slice, limit, columnsKey(columns)]);
}

function keysByQuery(keys: readonly PageKey[]): PageKey[][] {
  const groups = new Map<string, PageKey[]>();
  for (const key of keys) {
    const query = queryKey(key);
    const group = groups.get(query);
    if (group === undefined) groups.set(query, [key]);
    else group.push(key);
  }
  return [...groups.values()];
}

function parentOf({ owner }: Pick<PageKey, 'owner'>): ListParent {
  return { workspaceId: owner.workspace.id, id: owner.id };
}
