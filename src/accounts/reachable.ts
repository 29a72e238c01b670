// The accounts and workspaces within reach of a caller, as lists like any other.
import { authorizeReach, requireScope } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { ReachableAccount, ReachableWorkspace } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { ApiError, invalidParameter } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readRowPage } from '../store/read/row-list.js';
import type { Placed, RowList } from '../store/read/row-list.js';

/** One page of the workspaces within reach, of one account if it is named. @throws 400; 403 without `workspaces:list`. */
export async function listReachableWorkspaces(
  ctx: RequestContext,
  { accountId, ...input }: ListInput & { accountId?: string },
): Promise<ListPage<Placed<ReachableWorkspace>>> {
  const authorized = authorizeReach(ctx, 'workspaces:list');
  const { workspace } = authorized.db;
  const reached = [...ctx.caller.workspaces.values()];
  const workspaces = reached.filter(({ account }) => accountId === undefined || account.id === accountId);
  return listReachable(authorized, workspaces, input, {
    query: { list: 'workspaces', account: accountId },
    findMany: (query) => workspace.findMany(query),
    count: (where) => workspace.count({ where }),
  });
}

/** One page of the accounts within reach. @throws 400; 403 without `admin`. */
export async function listReachableAccounts(
  ctx: RequestContext,
  input: ListInput,
): Promise<ListPage<Placed<ReachableAccount>>> {
  const authorized = authorizeReach(ctx, 'admin');
  const { account } = authorized.db;
  return listReachable(authorized, ctx.caller.accounts, input, {
    query: { list: 'accounts' },
    findMany: (query) => account.findMany(query),
    count: (where) => account.count({ where }),
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
 * An account by its id or its name. @throws 403 `access_denied` for one that the caller does not belong to, whether it
 * exists or not (decision 19); 400 unless one of the two is given.
 */
export function getReachableAccount(
  ctx: RequestContext,
  { id, name }: { id: string | undefined; name: string | undefined },
): ReachableAccount {
  requireScope(ctx.caller, 'admin');
  if ((id === undefined) === (name === undefined)) {
    throw invalidParameter('id', id === undefined ? 'or name is required' : 'cannot be combined with name');
  }
  const account = ctx.caller.accounts.find((each) => each.id === id || each.name === name);
  if (account === undefined) throw new ApiError('access_denied', 'Access denied.');
  return account;
}

/** A workspace by its name; null when it is out of reach. @throws 403 without `workspaces:get`. */
export function getReachableWorkspace(ctx: RequestContext, name: string): ReachableWorkspace | null {
  requireScope(ctx.caller, 'workspaces:get');
  return ctx.caller.workspaces.get(name) ?? null;
}

/** What a caller reaches is known already: the database says in which order it comes. */
async function listReachable<Item extends { id: string; name: string; createdAt: Date }>(
  authorized: Authorized,
  reachable: Item[],
  input: ListInput,
  table: Pick<RowList<{ id: string; name: string; createdAt: Date }>, 'query' | 'findMany' | 'count'>,
): Promise<ListPage<Placed<Item>>> {
  const byId = new Map(reachable.map((item) => [item.id, item]));
  const within = { id: { in: [...byId.keys()] } };
  const page = await readRowPage(
    authorized,
    { ...table, within, filters: [], searched: ['name', 'displayName'] },
    input,
  );
  const items = page.items.flatMap(({ id, position }): Placed<Item>[] => {
    const item = byId.get(id);
    return item === undefined ? [] : [{ ...item, position }];
  });
  return { ...page, items };
}
