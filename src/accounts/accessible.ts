// Lists of the accounts and workspaces that a caller may access.
import { authorizePlatform, authorizeScope, requireScope } from '../auth/authorize.js';
import type { AccessibleAccount, AccessibleWorkspace } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import { foldedSql } from '../database/search-pattern.js';
import { ApiError, invalidParameter } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';
import { accountSeenBy } from './account-changes.js';

const accessible = { isAcrossWorkspaces: true, columns: {} };

const accountList = defineList({
  ...accessible,
  label: 'account',
  table: 'account',
  source: Prisma.sql`(
    SELECT a."id", a."name", a."created_at", ${foldedSql(Prisma.sql`a."name" || E'\n' || coalesce(a."display_name", '')`)} AS "search"
    FROM "account" AS a)`,
});

const workspaces = {
  ...accessible,
  label: 'workspace',
  table: 'workspace',
  source: Prisma.sql`(
    SELECT w."id", w."name", w."created_at", w."account_id",
      ${foldedSql(Prisma.sql`w."name" || E'\n' || coalesce(w."display_name", '')`)} AS "search"
    FROM "workspace" AS w)`,
};

const workspaceList = defineList(workspaces);
const accountWorkspaces = defineList({ ...workspaces, parent: Prisma.sql`r."account_id"` });

/** One page of the accessible workspaces, of one account if it is named. @throws 400; 403 without `workspaces:list`. */
export async function listAccessibleWorkspaces(
  ctx: RequestContext,
  { accountId, ...input }: ListInput & { accountId?: string },
): Promise<ListPage<Placed<AccessibleWorkspace>>> {
  const authorized = authorizeScope(ctx, 'workspaces:list');
  const { principal } = ctx.caller;
  const lists = {
    parents: [{ id: accountId ?? principal.id }],
    query: { account: accountId, principal: principal.id },
    accessible: oneOfSql(Array.from(ctx.caller.workspaces.values(), ({ id }) => id)),
  };
  const list = accountId === undefined ? workspaceList : accountWorkspaces;
  return readPageById(authorized, list, lists, input, async (ids) => findAccessibleWorkspaces(ctx, ids));
}

/**
 * One page of the accessible accounts, or of all accounts.
 *
 * @throws 400; 403 without `admin`, and for all accounts unless the caller is an admin of the platform.
 */
export async function listAccounts(
  ctx: RequestContext,
  { isOfAll, ...input }: ListInput & { isOfAll: boolean },
): Promise<ListPage<Placed<AccessibleAccount>>> {
  return isOfAll ? listAllAccounts(ctx, input) : listAccessibleAccounts(ctx, input);
}

async function listAllAccounts(ctx: RequestContext, input: ListInput): Promise<ListPage<Placed<AccessibleAccount>>> {
  const authorized = authorizePlatform(ctx);
  const lists = { parents: [{ id: ctx.caller.principal.id }], query: { of: 'all accounts' } };
  return readPageById(authorized, accountList, lists, input, async (ids) => {
    const rows = await (await authorized.db.$prisma()).account.findMany({ where: { id: { in: ids } } });
    return rows.map((row) => accountSeenBy(ctx.caller, row));
  });
}

async function listAccessibleAccounts(
  ctx: RequestContext,
  input: ListInput,
): Promise<ListPage<Placed<AccessibleAccount>>> {
  const authorized = authorizeScope(ctx, 'admin');
  const { principal, accounts } = ctx.caller;
  const lists = {
    parents: [{ id: principal.id }],
    query: { principal: principal.id },
    accessible: oneOfSql(accounts.map(({ id }) => id)),
  };
  return readPageById(authorized, accountList, lists, input, async (ids) => findAccessibleAccounts(ctx, ids));
}

function oneOfSql(ids: string[]): Prisma.Sql {
  return Prisma.sql`r."id" = ANY(${ids}::uuid[])`;
}

/** All accessible accounts, by name (decision 21). @throws 403 without `admin`. */
export function listAllAccessibleAccounts(ctx: RequestContext): AccessibleAccount[] {
  requireScope(ctx.caller, 'admin');
  return ctx.caller.accounts;
}

/** Accounts by id, in the order of the ids; null for inaccessible ones. No scope is needed. */
export function findAccessibleAccounts(ctx: RequestContext, ids: readonly string[]): (AccessibleAccount | null)[] {
  return ids.map((id) => ctx.caller.accounts.find((account) => account.id === id) ?? null);
}

/** Workspaces by id, like accounts. */
export function findAccessibleWorkspaces(ctx: RequestContext, ids: readonly string[]): (AccessibleWorkspace | null)[] {
  const workspaces = new Map(Array.from(ctx.caller.workspaces.values(), (each) => [each.id, each]));
  return ids.map((id) => workspaces.get(id) ?? null);
}

/**
 * An account by its id or its name.
 *
 * @throws 403 `access_denied` for an account that the caller does not belong to, whether it exists or not (decision
 * 19); 400 unless exactly one of the two is given.
 */
export function getAccessibleAccount(
  ctx: RequestContext,
  { id, name }: { id: string | undefined; name: string | undefined },
): AccessibleAccount {
  requireScope(ctx.caller, 'admin');
  if ((id === undefined) === (name === undefined)) {
    throw invalidParameter('id', id === undefined ? 'is required, unless name is set' : 'cannot be combined with name');
  }
  const account = ctx.caller.accounts.find((each) => each.id === id || each.name === name);
  if (account === undefined) throw new ApiError('access_denied', 'Access denied.');
  return account;
}

/** A workspace by its name; null if it is inaccessible. @throws 403 without `workspaces:get`. */
export function getAccessibleWorkspace(ctx: RequestContext, name: string): AccessibleWorkspace | null {
  requireScope(ctx.caller, 'workspaces:get');
  return ctx.caller.workspaces.get(name) ?? null;
}
