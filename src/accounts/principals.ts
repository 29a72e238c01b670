// The users and service accounts of the whole service, for admins of the platform.
import { authorizePlatform } from '../auth/authorize.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { canonicalUserName } from '../auth/user-name.js';
import { Prisma } from '../database/client/client.js';
import type { Principal as PrincipalRow } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { foldedSql } from '../database/search-pattern.js';
import { notFound } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';

export type PrincipalKind = PrincipalRow['kind'];

/** The kinds as errors name them. */
export const principalLabels = { user: 'user', service_account: 'service account' } as const;

/** A role in an account, or in a workspace of it. */
export interface NamedMembership {
  account: string;
  /** Null for the account itself. */
  workspace: string | null;
  role: Role;
}

/** A user or a service account. */
export interface Principal extends PrincipalRow {
  /** Its memberships, by the names of the account and the workspace. */
  memberships: NamedMembership[];
}

const principalList = defineList({
  label: 'user',
  table: 'principal',
  source: Prisma.sql`(
    SELECT p."id", p."name" COLLATE "C" AS "name", p."created_at", p."kind",
      ${foldedSql(Prisma.sql`p."name" || E'\n' || coalesce(p."display_name", '')`)} AS "search"
    FROM "principal" AS p)`,
  isAcrossWorkspaces: true,
  columns: {},
});

/** One page of the users or service accounts. @throws 400; 403 unless the caller is an admin of the platform. */
export async function listPrincipals(
  ctx: RequestContext,
  kind: PrincipalKind,
  input: ListInput,
): Promise<ListPage<Placed<Principal>>> {
  const authorized = authorizePlatform(ctx);
  const lists = {
    parents: [{ id: ctx.caller.principal.id }],
    query: { kind },
    accessible: Prisma.sql`r."kind" = ${kind}::principal_kind`,
  };
  return readPageById(authorized, principalList, lists, input, async (ids) =>
    readPrincipals(await authorized.db.$prisma(), { id: { in: ids } }),
  );
}

/** A user or service account by name. @throws 403 unless the caller is an admin of the platform; 404. */
export async function getPrincipal(ctx: RequestContext, which: WhichPrincipal): Promise<Principal> {
  return requirePrincipal(await authorizePlatform(ctx).db.$prisma(), which);
}

/** A user by email address, or a service account by name. */
export interface WhichPrincipal {
  kind: PrincipalKind;
  name: string;
}

/** @throws 404 `not_found` */
export async function requirePrincipal(db: Transaction, { kind, name: requested }: WhichPrincipal): Promise<Principal> {
  const name = canonicalUserName(requested);
  const [principal] = name === undefined ? [] : await readPrincipals(db, { kind, name });
  if (principal === undefined) throw notFound(principalLabels[kind], requested);
  return principal;
}

/** A user or service account by name. It does not authorize the caller. @throws 404 `not_found` */
export async function findPrincipal(db: Transaction, requested: string): Promise<PrincipalRow> {
  const name = canonicalUserName(requested);
  const principal = name === undefined ? null : await db.principal.findUnique({ where: { name } });
  if (principal === null) throw notFound('user or service account', requested);
  return principal;
}

/** The ids of the accounts that a user or service account is a member of. It does not authorize the caller. */
export async function accountsOf(db: Transaction, principalId: string): Promise<string[]> {
  const rows = await db.accountMember.findMany({ where: { principalId }, select: { accountId: true } });
  return rows.map(({ accountId }) => accountId);
}

/** Users and service accounts with their memberships. It does not authorize the caller. */
export async function readPrincipals(db: Transaction, where: Prisma.PrincipalWhereInput): Promise<Principal[]> {
  const rows = await db.principal.findMany({ where, include: membershipQuery, orderBy: { name: 'asc' } });
  return rows.map(({ accounts, workspaces, ...row }) => ({
    ...row,
    memberships: [
      ...accounts.map(({ account, role }) => ({ account: account.name, workspace: null, role })),
      ...workspaces.map(({ workspace, role }) => ({
        account: workspace.account.name,
        workspace: workspace.name,
        role,
      })),
    ].toSorted((a, b) => compare(a.account, b.account) || compare(a.workspace ?? '', b.workspace ?? '')),
  }));
}

const membershipQuery = {
  accounts: { select: { role: true, account: { select: { name: true } } } },
  workspaces: {
    select: { role: true, workspace: { select: { name: true, account: { select: { name: true } } } } },
  },
} as const;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
