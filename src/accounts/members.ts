// Who belongs to an account or a workspace, as its own people see it.
import { authorizeAccount, authorizeOwnAccount, authorizeWorkspace } from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { ReachableWorkspace, Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { MemberPlace } from '../auth/membership.js';
import type { Scope } from '../auth/scopes.js';
import type { NamedPlace } from '../changes/member-change.js';
import { Prisma } from '../database/client/client.js';
import { forbidden } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { placeList } from './place-list.js';
import type { Placed } from '../store/read/row-list.js';

/** Somebody who belongs to an account or a workspace. */
export interface Member {
  /** Of the user or service account. */
  id: string;
  name: string;
  displayName: string | null;
  kind: 'user' | 'service_account';
  /** What they are in the place, whichever membership it comes from. */
  role: Role;
  /** Whether they are in a workspace by their role in its account alone. */
  isInherited: boolean;
  isDisabled: boolean;
  /** RFC 3339; null where it is not known. */
  memberSince: string | null;
  /** What lists are ordered by: the same, or else since when there is a user of that name. */
  createdAt: string;
}

// Who is in a workspace is in its account, so those of the account are looked through.
const members = placeList<Member>({
  name: 'members',
  rows: Prisma.sql`
    FROM "account_member" AS am JOIN "principal" AS p ON p."id" = am."principal_id"
    LEFT JOIN "workspace_member" AS wm ON wm."workspace_id" = place."workspace_id" AND wm."principal_id" = p."id"
    WHERE am."account_id" = place."account_id"
      AND (place."workspace_id" IS NULL OR wm."role" IS NOT NULL OR am."role" IN ('admin', 'viewer'))`,
  columns: {
    id: Prisma.sql`p."id"`,
    name: Prisma.sql`p."name"`,
    createdAt: Prisma.sql`coalesce(CASE WHEN wm."role" IS NULL THEN am."created_at" ELSE wm."created_at" END, p."created_at")`,
    displayName: Prisma.sql`p."display_name"`,
    kind: Prisma.sql`p."kind"`,
    role: Prisma.sql`CASE WHEN am."role" = 'admin' THEN am."role" ELSE coalesce(wm."role", am."role") END`,
    isInherited: Prisma.sql`place."workspace_id" IS NOT NULL AND wm."role" IS NULL`,
    isDisabled: Prisma.sql`p."disabled_at" IS NOT NULL`,
    memberSince: Prisma.sql`CASE WHEN wm."role" IS NULL THEN am."created_at" ELSE wm."created_at" END`,
  },
  searched: Prisma.sql`lower(p."name" || E'\n' || coalesce(p."display_name", ''))`,
});

/** Where members are listed: an account by its id, or a workspace by its name. */
export type ListedPlace = { accountId: string } | { workspace: string };

/**
 * One page of who belongs to a place; of a workspace also those who are in it by their role in its account.
 *
 * @throws 400; 403 for an account without `admin`, and for who is no admin of it; 403 for a workspace without
 *   `workspaces:get`.
 */
export async function listMembers(
  ctx: RequestContext,
  of: ListedPlace,
  input: ListInput,
): Promise<ListPage<Placed<Member>>> {
  const { authorized, place } = authorizeListing(ctx, of);
  return members.readPage(authorized, place, input);
}

function authorizeListing(ctx: RequestContext, of: ListedPlace): { authorized: Authorized; place: MemberPlace } {
  if ('workspace' in of) {
    const authorized = authorizeWorkspace(ctx, 'workspaces:get', of.workspace);
    return { authorized, place: { accountId: authorized.account.id, workspaceId: authorized.workspace.id } };
  }
  const authorized = authorizeAccount(ctx, 'admin', of.accountId);
  requireWholeAccount(authorized, 'sees who belongs to it');
  return { authorized, place: { accountId: of.accountId, workspaceId: null } };
}

/** Somebody of a place. */
export async function readMember(
  authorized: Authorized,
  place: MemberPlace,
  principalId: string,
): Promise<Member | undefined> {
  return members.readOne(authorized, place, principalId);
}

/**
 * Who goes by a name in a workspace; null for who does not belong to it any more, and for what has no name.
 *
 * @throws 403 without `workspaces:get`.
 */
export async function findWorkspaceMember(
  ctx: RequestContext,
  workspace: ReachableWorkspace,
  name: string | null,
): Promise<Member | null> {
  const authorized = authorizeWorkspace(ctx, 'workspaces:get', workspace.name);
  if (name === null) return null;
  const place = { accountId: authorized.account.id, workspaceId: authorized.workspace.id };
  return (await members.readNamed(authorized, place, name)) ?? null;
}

/** A place whose members somebody may change. */
export interface ManagedPlace {
  authorized: AuthorizedAccount;
  place: MemberPlace;
  named: NamedPlace;
}

/**
 * The right to say who belongs to the caller's account, or to the workspace of it that is named.
 *
 * @throws 403 `forbidden` but for an admin of it; for a workspace out of reach alike.
 */
export function authorizeManaging(
  ctx: RequestContext,
  scope: Scope,
  workspace: string | null | undefined,
): ManagedPlace {
  if (workspace == null) {
    const authorized = authorizeOwnAccount(ctx, scope);
    requireWholeAccount(authorized, 'says who belongs to it');
    const { account } = authorized;
    return {
      authorized,
      place: { accountId: account.id, workspaceId: null },
      named: { account, workspace: undefined },
    };
  }
  const within = authorizeWorkspace(ctx, scope, workspace);
  const { account } = within;
  if (within.workspace.role !== 'admin') throw forbidden('Only an admin of the workspace says who belongs to it.');
  return {
    authorized: within,
    place: { accountId: account.id, workspaceId: within.workspace.id },
    named: { account, workspace: within.workspace },
  };
}

/** @throws 403 `forbidden` but for an admin of the account, by a credential that is confined to no workspace. */
export function requireWholeAccount({ account, caller }: AuthorizedAccount, what: string): void {
  if (account.role === 'admin' && caller.confinedTo === undefined) return;
  throw forbidden(`Only an admin of the account ${what}.`);
}
