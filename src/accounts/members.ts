// The members of accounts and workspaces, for those who may see them.
import {
  actsAsPlatform,
  authorizeAccount,
  authorizeOwnAccount,
  authorizeWorkspace,
  requireAccountAdmin,
} from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { AccessibleWorkspace, Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { MembershipOrigin, MemberTenant } from '../auth/membership.js';
import type { Scope } from '../auth/scopes.js';
import type { NamedTenant } from '../changes/member-change.js';
import { Prisma } from '../database/client/client.js';
import { foldedSql } from '../database/search-pattern.js';
import { forbidden } from '../errors.js';
import { filterOf } from '../store/read/filter.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readWholeRows } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { readById } from '../store/read/read-rows.js';
import { defineList, wholeRowOf } from '../store/read/resource-kind.js';
import type { NamedScope } from './find-tenant.js';
import { authorizeAnyTenant } from './managed-tenant.js';
import type { PrincipalKind } from './principals.js';

/** A member of an account or a workspace. */
export interface Member extends MemberRow {
  /** The id of the user or service account. */
  id: string;
}

interface MemberRow {
  name: string;
  displayName: string | null;
  kind: 'user' | 'service_account';
  /** The effective role in the account or workspace, from whichever membership. */
  role: Role;
  /** Whether a member of a workspace has the role only through its account. */
  isInherited: boolean;
  isDisabled: boolean;
  /** Who gave the membership. */
  origin: MembershipOrigin;
  /** RFC 3339; null if unknown. */
  memberSince: string | null;
  /** The sort key of lists: `memberSince`, or else when the user was created. */
  createdAt: string;
}

const memberColumns = {
  name: Prisma.sql`r."name"`,
  createdAt: Prisma.sql`r."created_at"`,
  displayName: Prisma.sql`r."display_name"`,
  kind: Prisma.sql`r."kind"`,
  role: Prisma.sql`r."role"`,
  isInherited: Prisma.sql`r."is_inherited"`,
  origin: Prisma.sql`r."origin"`,
  isDisabled: Prisma.sql`r."disabled_at" IS NOT NULL`,
  memberSince: Prisma.sql`r."member_since"`,
};

const memberList = { label: 'member', table: 'account_member', columns: memberColumns };

const accountMembers = defineList<MemberRow>({
  ...memberList,
  source: Prisma.sql`(
    SELECT p."id", p."name" COLLATE "C" AS "name", coalesce(am."created_at", p."created_at") AS "created_at",
      p."display_name", p."kind", p."disabled_at", am."account_id", am."role", am."origin", false AS "is_inherited",
      am."created_at" AS "member_since", ${foldedSql(Prisma.sql`p."name" || E'\n' || coalesce(p."display_name", '')`)} AS "search"
    FROM "account_member" AS am JOIN "principal" AS p ON p."id" = am."principal_id")`,
  isAcrossWorkspaces: true,
  parent: Prisma.sql`r."account_id"`,
});

// Members of a workspace are members of its account, so its source starts with those.
const workspaceMembers = defineList<MemberRow>({
  ...memberList,
  source: Prisma.sql`(
    SELECT p."id", p."name" COLLATE "C" AS "name", coalesce(since."time", p."created_at") AS "created_at",
      p."display_name", p."kind", p."disabled_at", w."id" AS "workspace_id",
      CASE WHEN am."role" = 'admin' THEN am."role" ELSE coalesce(wm."role", am."role") END AS "role",
      coalesce(wm."origin", am."origin") AS "origin", wm."role" IS NULL AS "is_inherited", since."time" AS "member_since",
      ${foldedSql(Prisma.sql`p."name" || E'\n' || coalesce(p."display_name", '')`)} AS "search"
    FROM "account_member" AS am JOIN "workspace" AS w ON w."account_id" = am."account_id"
    JOIN "principal" AS p ON p."id" = am."principal_id"
    LEFT JOIN "workspace_member" AS wm ON wm."workspace_id" = w."id" AND wm."principal_id" = p."id"
    CROSS JOIN LATERAL (SELECT CASE WHEN wm."role" IS NULL THEN am."created_at" ELSE wm."created_at" END AS "time") AS since
    WHERE wm."role" IS NOT NULL OR am."role" IN ('admin', 'viewer'))`,
});

/** The account, by id, or the workspace, by name, whose members are listed. */
export type ListedTenant = { accountId: string } | { workspace: string };

/** A page of a list of members, and which of them. */
export interface MemberListInput extends ListInput {
  /** The role in the account or workspace. */
  role?: Role | null | undefined;
  kind?: PrincipalKind | 'executor' | null | undefined;
}

/**
 * One page of the members of an account or workspace; those of a workspace include inherited members.
 *
 * @throws 400; 403 for an account without `admin`, or if the caller is not an admin of it; 403 for a workspace without
 * `workspaces:get`.
 */
export async function listMembers(
  ctx: RequestContext,
  of: ListedTenant,
  input: MemberListInput,
): Promise<ListPage<Placed<Member>>> {
  const { authorized, tenant } = authorizeListing(ctx, of);
  const { list, parent, query } = membersOf(ctx, tenant);
  const { role, kind } = input;
  const filter = filterOf(JSON.stringify([role, kind]), [
    ...(role == null ? [] : [Prisma.sql`r."role"::text = ${role}`]),
    ...(kind == null ? [] : [Prisma.sql`r."kind"::text = ${kind}`]),
  ]);
  return readWholeRows(authorized, list, { parents: [parent], query, filter }, { ...input, isOneOfMany: true });
}

function membersOf({ caller }: RequestContext, { accountId, workspaceId }: MemberTenant) {
  const query = { account: accountId, workspace: workspaceId ?? undefined, principal: caller.principal.id };
  return workspaceId === null
    ? { list: accountMembers, parent: { id: accountId }, query }
    : { list: workspaceMembers, parent: { id: workspaceId, workspaceId }, query };
}

function authorizeListing(ctx: RequestContext, of: ListedTenant): { authorized: Authorized; tenant: MemberTenant } {
  if ('workspace' in of) {
    const authorized = authorizeWorkspace(ctx, 'workspaces:get', of.workspace);
    return { authorized, tenant: { accountId: authorized.account.id, workspaceId: authorized.workspace.id } };
  }
  const authorized = authorizeAccount(ctx, 'admin', of.accountId);
  requireAccountAdmin(authorized, 'can list its members');
  return { authorized, tenant: { accountId: of.accountId, workspaceId: null } };
}

/** A member of an account or workspace. */
export async function readMember(
  authorized: Authorized,
  tenant: MemberTenant,
  principalId: string,
): Promise<Member | undefined> {
  const { list, parent } = membersOf(authorized.ctx, tenant);
  return readById<MemberRow>(authorized.db, list, parent, principalId);
}

/**
 * The member of a workspace with a name; null if there is no such member any more, or no name.
 *
 * @throws 403 without `workspaces:get`.
 */
export async function findWorkspaceMember(
  ctx: RequestContext,
  workspace: AccessibleWorkspace,
  name: string | null,
): Promise<Member | null> {
  const authorized = authorizeWorkspace(ctx, 'workspaces:get', workspace.name);
  if (name === null) return null;
  const { id } = authorized.workspace;
  const key = { parent: { id, workspaceId: id }, name, columns: undefined };
  const row = await workspaceMembers.named(ctx).load(key);
  return row === undefined ? null : wholeRowOf(workspaceMembers, row);
}

/** An account or workspace whose members the caller may change. */
export interface ManagedMembers {
  authorized: AuthorizedAccount;
  tenant: MemberTenant;
  named: NamedTenant;
}

/**
 * Authorizes changes of the members of the caller's account or the named workspace of it. An admin of the platform can name
 * any account.
 *
 * @throws 403 `forbidden` if the caller is not an admin of it, or if the workspace is inaccessible; 404 and 409 as for
 * findTenant().
 */
export async function authorizeMembers(ctx: RequestContext, scope: Scope, named: NamedScope): Promise<ManagedMembers> {
  return actsAsPlatform(ctx, named.account)
    ? authorizeAnyMembers(ctx, named)
    : authorizeManaging(ctx, scope, named.workspace);
}

/** Authorizes changes of the members of any account or workspace. @throws 403 unless by an admin of the platform; 404; 409. */
export async function authorizeAnyMembers(ctx: RequestContext, named: NamedScope): Promise<ManagedMembers> {
  const { authorized, tenant } = await authorizeAnyTenant(ctx, named);
  const { account, workspace } = tenant;
  return { authorized, tenant: { accountId: account.id, workspaceId: workspace?.id ?? null }, named: tenant };
}

/**
 * Authorizes changes of the members of the caller's account, or of the named workspace of it.
 *
 * @throws 403 `forbidden` if the caller is not an admin of it, or if the workspace is inaccessible.
 */
export function authorizeManaging(
  ctx: RequestContext,
  scope: Scope,
  workspace: string | null | undefined,
): ManagedMembers {
  if (workspace == null) {
    const authorized = authorizeOwnAccount(ctx, scope);
    requireAccountAdmin(authorized, 'can change its members');
    const { account } = authorized;
    return {
      authorized,
      tenant: { accountId: account.id, workspaceId: null },
      named: { account, workspace: undefined },
    };
  }
  const within = authorizeWorkspace(ctx, scope, workspace);
  const { account } = within;
  if (within.workspace.role !== 'admin') throw forbidden('Only an admin of the workspace can change its members.');
  return {
    authorized: within,
    tenant: { accountId: account.id, workspaceId: within.workspace.id },
    named: { account, workspace: within.workspace },
  };
}
