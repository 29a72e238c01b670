// Lists of the accounts and workspaces that a caller may access.
import { authorizeReach, requireScope } from '../auth/authorize.js';
import type { ReachableAccount, ReachableWorkspace } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import { ApiError, invalidParameter } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';

const reachable = { isAcrossWorkspaces: true, columns: {} };

const accountList = defineList({
  ...reachable,
  noun: 'account',
  table: 'account',
  source: Prisma.sql`(
    SELECT a."id", a."name", a."created_at", lower((a."name" || E'\n' || coalesce(a."display_name", '')) COLLATE "default") AS "search"
    FROM "account" AS a)`,
});

const workspaces = {
  ...reachable,
  noun: 'workspace',
  table: 'workspace',
  source: Prisma.sql`(
    SELECT w."id", w."name", w."created_at", w."account_id",
      lower((w."name" || E'\n' || coalesce(w."display_name", '')) COLLATE "default") AS "search"
    FROM "workspace" AS w)`,
};

const workspaceList = defineList(workspaces);
const accountWorkspaces = defineList({ ...workspaces, parent: Prisma.sql`r."account_id"` });

/** One page of the accessible workspaces, of one account if it is named. @throws 400; 403 without `workspaces:list`. */
export async function listReachableWorkspaces(
  ctx: RequestContext,
  { accountId, ...input }: ListInput & { accountId?: string },
): Promise<ListPage<Placed<ReachableWorkspace>>> {
  const authorized = authorizeReach(ctx, 'workspaces:list');
  const { principal } = ctx.caller;
  const lists = {
    parents: [{ id: accountId ?? principal.id }],
    query: { account: accountId, principal: principal.id },
    accessible: isOneOf(Array.from(ctx.caller.workspaces.values(), ({ id }) => id)),
  };
  const list = accountId === undefined ? workspaceList : accountWorkspaces;
  return readPageById(authorized, list, lists, input, async (ids) => findReachableWorkspaces(ctx, ids));
}

/** One page of the accessible accounts. @throws 400; 403 without `admin`. */
export async function listReachableAccounts(
  ctx: RequestContext,
  input: ListInput,
): Promise<ListPage<Placed<ReachableAccount>>> {
  const authorized = authorizeReach(ctx, 'admin');
  const { principal, accounts } = ctx.caller;
  const lists = {
    parents: [{ id: principal.id }],
    query: { principal: principal.id },
    accessible: isOneOf(accounts.map(({ id }) => id)),
  };
  return readPageById(authorized, accountList, lists, input, async (ids) => findReachableAccounts(ctx, ids));
}

function isOneOf(ids: string[]): Prisma.Sql {
  return Prisma.sql`r."id" = ANY(${ids}::uuid[])`;
}

/** All accessible accounts, by name (decision 21). @throws 403 without `admin`. */
export function listAllReachableAccounts(ctx: RequestContext): ReachableAccount[] {
  requireScope(ctx.caller, 'admin');
  return ctx.caller.accounts;
}

/** Accounts by id, in the order of the ids; null for inaccessible ones. No scope is needed. */
export function findReachableAccounts(ctx: RequestContext, ids: readonly string[]): (ReachableAccount | null)[] {
  return ids.map((id) => ctx.caller.accounts.find((account) => account.id === id) ?? null);
}

/** Workspaces by id, like accounts. */
export function findReachableWorkspaces(ctx: RequestContext, ids: readonly string[]): (ReachableWorkspace | null)[] {
  const workspaces = new Map(Array.from(ctx.caller.workspaces.values(), (each) => [each.id, each]));
  return ids.map((id) => workspaces.get(id) ?? null);
}

/**
 * An account by its id or its name.
 *
 * @throws 403 `access_denied` for an account that the caller does not belong to, whether it exists or not (decision
 * 19); 400 unless exactly one of the two is given.
 */
export function getReachableAccount(
  ctx: RequestContext,
  { id, name }: { id: string | undefined; name: string | undefined },
): ReachableAccount {
  requireScope(ctx.caller, 'admin');
  if ((id === undefined) === (name === undefined)) {
    throw invalidParameter('id', id === undefined ? 'is required, unless name is set' : 'cannot be combined with name');
  }
  const account = ctx.caller.accounts.find((each) => each.id === id || each.name === name);
  if (account === undefined) throw new ApiError('access_denied', 'Access denied.');
  return account;
}

/** A workspace by its name; null if it is inaccessible. @throws 403 without `workspaces:get`. */
export function getReachableWorkspace(ctx: RequestContext, name: string): ReachableWorkspace | null {
  requireScope(ctx.caller, 'workspaces:get');
  return ctx.caller.workspaces.get(name) ?? null;
}
