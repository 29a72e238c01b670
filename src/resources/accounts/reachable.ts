// The accounts and workspaces within reach of a caller, as lists like any other.
import { requireScope } from '../../access/caller.js';
import type { ReachableAccount, ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { ApiError } from '../../errors.js';
import { queryCursors } from '../../paging/cursor.js';
import { pageFromRows, searchTerm } from '../../paging/page.js';
import type { Position, Slice } from '../../paging/page.js';
import type { ListInput, ListPage, ResourceSort } from '../resource-kind.js';

type Placed<Item> = Item & { position: Position };

/** One page of the workspaces within reach. @throws 400; 403 without `workspaces:list`. */
export async function listReachableWorkspaces(
  ctx: RequestContext,
  input: ListInput,
): Promise<ListPage<Placed<ReachableWorkspace>>> {
  requireScope(ctx.caller, 'workspaces:list');
  return listReachable(ctx, 'workspaces', [...ctx.caller.workspaces.values()], input, {
    findMany: (query) => ctx.db.workspace.findMany(query),
    count: (where) => ctx.db.workspace.count({ where }),
  });
}

/** One page of the accounts within reach. @throws 400; 403 without `admin`. */
export async function listReachableAccounts(
  ctx: RequestContext,
  input: ListInput,
): Promise<ListPage<Placed<ReachableAccount>>> {
  requireScope(ctx.caller, 'admin');
  return listReachable(ctx, 'accounts', ctx.caller.accounts, input, {
    findMany: (query) => ctx.db.account.findMany(query),
    count: (where) => ctx.db.account.count({ where }),
  });
}

/** The accounts within reach, by name (decision 21). @throws 403 without `admin`. */
export function listAllReachableAccounts(ctx: RequestContext): ReachableAccount[] {
  requireScope(ctx.caller, 'admin');
  return ctx.caller.accounts;
}

/** Accounts by id, in the order of the ids; null for what is out of reach. They are the frame: no scope is needed. */
export function findReachableAccounts(ctx: RequestContext, ids: readonly string[]): (ReachableAccount | null)[] {
  return ids.map((id) => ctx.caller.accounts.find((account) => account.id === id) ?? null);
}

/** Workspaces by id, like accounts. */
export function findReachableWorkspaces(ctx: RequestContext, ids: readonly string[]): (ReachableWorkspace | null)[] {
  const workspaces = new Map(Array.from(ctx.caller.workspaces.values(), (each) => [each.id, each]));
  return ids.map((id) => workspaces.get(id) ?? null);
}

/**
 * An account by its id. @throws 403 `access_denied` for one that the caller does not belong to, whether it
 * exists or not (decision 19).
 */
export function getReachableAccount(ctx: RequestContext, id: string): ReachableAccount {
  requireScope(ctx.caller, 'admin');
  const account = ctx.caller.accounts.find((each) => each.id === id);
  if (account === undefined) throw new ApiError('access_denied', 'Access denied.');
  return account;
}

/** A workspace by its name; null when it is out of reach. @throws 403 without `workspaces:get`. */
export function getReachableWorkspace(ctx: RequestContext, name: string): ReachableWorkspace | null {
  requireScope(ctx.caller, 'workspaces:get');
  return ctx.caller.workspaces.get(name) ?? null;
}

interface Row {
  id: string;
  name: string;
  createdAt: Date;
}

interface Where {
  AND: object[];
}

interface Table {
  findMany: (query: { where: Where; orderBy: Record<string, 'asc' | 'desc'>[]; take: number }) => Promise<Row[]>;
  count: (where: { id: { in: string[] } }) => Promise<number>;
}

async function listReachable<Item extends { id: string }>(
  ctx: RequestContext,
  list: string,
  reachable: Item[],
  input: ListInput,
  table: Table,
): Promise<ListPage<Placed<Item>>> {
  const { items, hasMore, total } = input.wanted ?? { items: true, hasMore: true, total: true };
  const sort = input.sort ?? 'createdAt:desc';
  const search = searchTerm(input.fields.search, input.search);
  const query = { list, principal: ctx.caller.principal.id, sort, search, version: input.version };
  const cursors = queryCursors(ctx.seal, ctx.now, query);
  const from = input.cursor == null ? undefined : cursors.open(input.fields.cursor, input.cursor);
  const slice: Slice = { size: input.size, direction: input.direction, from };
  const within = { id: { in: reachable.map(({ id }) => id) } };
  const { field, direction } = orderOf(sort, slice);
  const [rows, count] = await Promise.all([
    items
      ? table.findMany({
          where: { AND: [within, ...matching(search), ...behind(field, direction, from)] },
          orderBy: [{ [field]: direction }, { id: direction }],
          take: input.size + (hasMore ? 1 : 0),
        })
      : [],
    total ? table.count(within) : 0,
  ]);
  const byId = new Map(reachable.map((item) => [item.id, item]));
  const placed = rows.flatMap((row): Placed<Item>[] => {
    const item = byId.get(row.id);
    const key = field === 'name' ? row.name : row.createdAt.toISOString();
    return item === undefined ? [] : [{ ...item, position: { key, id: row.id } }];
  });
  return { ...pageFromRows(slice, placed), cursors, total: count };
}

function orderOf(sort: ResourceSort, slice: Slice): { field: 'name' | 'createdAt'; direction: 'asc' | 'desc' } {
  const isDescending = sort.endsWith(':desc') === (slice.direction === 'forward');
  return { field: sort.startsWith('name') ? 'name' : 'createdAt', direction: isDescending ? 'desc' : 'asc' };
}

function matching(search: string | undefined): object[] {
  if (search === undefined) return [];
  // Prisma leaves `%` and `_` their meaning.
  const found = { contains: search.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' };
  return [{ OR: [{ name: found }, { displayName: found }] }];
}

function behind(field: 'name' | 'createdAt', direction: 'asc' | 'desc', from: Position | undefined): object[] {
  if (from === undefined) return [];
  const past = direction === 'asc' ? 'gt' : 'lt';
  const key = field === 'name' ? from.key : new Date(from.key);
  return [{ OR: [{ [field]: { [past]: key } }, { [field]: key, id: { [past]: from.id } }] }];
}
