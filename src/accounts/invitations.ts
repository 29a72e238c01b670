// Invitations from the view of the admins of an account or workspace: create, list, revoke.
import {
  authorizeAccount,
  authorizeOwnAccount,
  authorizeScope,
  authorizeWorkspace,
  requireAccountAdmin,
} from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { managedCondition } from '../auth/managed-rows.js';
import { lockMembers, roleIn } from '../auth/membership.js';
import type { MemberTenant } from '../auth/membership.js';
import { canonicalUserName, isEmailAddress } from '../auth/user-name.js';
import { tenantText } from '../changes/member-change.js';
import { recordChanges } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { foldedSql } from '../database/search-pattern.js';
import { ApiError, forbidden, invalidParameter, notFound } from '../errors.js';
import { readTogether } from '../schema/read-together.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { isResourceId } from '../schema/resource.js';
import { invitationChange, invitationQuery, isOpen } from './invitation.js';
import type { Invitation, InvitationStatus } from './invitation.js';
import { authorizeManaging } from './members.js';
import type { ListedTenant } from './members.js';
import { filterOf } from '../store/read/filter.js';
import { readWholeRows } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';

export const invitationDaysDefault = 7;
export const invitationDaysMax = 30;

/** The maximum number of pending invitations of an account. */
const pendingMax = 1_000;

/** How long an invitation is kept after it was accepted, declined, revoked or expired (days). */
const keptDays = 30;

const dayMs = 24 * 60 * 60_000;

export interface InvitationInput {
  email: string;
  role: Role;
  /** The name of a workspace; by default the invitation is to the account itself. */
  workspace?: string | null | undefined;
  expiresInDays?: number | null | undefined;
}

/**
 * Invites the owner of an email address. The response does not reveal whether a user of that name exists.
 *
 * @throws 400; 403 if the caller is not an admin of the account or workspace; 409 `conflict` for a member, for someone
 * who is already invited, and for too many pending invitations.
 */
export async function inviteMember(ctx: RequestContext, input: InvitationInput & DryRun): Promise<Invitation> {
  const { authorized, tenant, named } = authorizeManaging(ctx, 'workspaces:invite', input.workspace);
  const { name, days } = readTogether({
    name: () => readEmail(input.email),
    days: () => readDays(input.expiresInDays),
  });
  const now = ctx.now();
  const { principal } = ctx.caller;
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const { db } = within;
    await lockMembers(await db.$prisma(), tenant.accountId);
    await requireStranger(within, tenant, name, tenantText(named));
    const inTenant = { accountId: tenant.accountId, workspaceId: tenant.workspaceId, name };
    await (
      await db.$prisma()
    ).invitation.updateMany({
      where: { ...inTenant, status: 'pending', expiresAt: { lte: now } },
      data: { status: 'revoked', decidedAt: now },
    });
    const waiting = await (await db.$prisma()).invitation.findFirst({ where: { ...inTenant, status: 'pending' } });
    if (waiting !== null) {
      throw new ApiError('conflict', `${name} is already invited. Revoke that invitation first.`, { field: 'email' });
    }
    const pending = await (
      await db.$prisma()
    ).invitation.count({ where: { accountId: tenant.accountId, ...isOpen(now) } });
    if (pending >= pendingMax) {
      throw new ApiError('conflict', `At most ${pendingMax} invitations can be pending. Revoke one first.`, {
        exceeded: { limit: pendingMax, actual: pending + 1 },
      });
    }
    const created = await (
      await db.$prisma()
    ).invitation.create({
      data: {
        ...inTenant,
        role: input.role,
        invitedById: principal.id,
        invitedBy: principal.name,
        createdAt: now,
        expiresAt: new Date(now.getTime() + days * dayMs),
      },
      ...invitationQuery,
    });
    await recordChanges(within, [invitationChange('created', created, undefined)]);
    return created;
  });
}

function readDays(days: number | null | undefined): number {
  const read = days ?? invitationDaysDefault;
  if (read >= 1 && read <= invitationDaysMax) return read;
  throw invalidParameter('expiresInDays', `must be between 1 and ${invitationDaysMax}`);
}

function readEmail(text: string): string {
  const name = canonicalUserName(text);
  if (isEmailAddress(name)) return name;
  throw invalidParameter('email', 'must be an email address');
}

/** @throws 409 `conflict` if the invited user already has a role in the account or workspace. */
async function requireStranger(
  { db }: AuthorizedAccount,
  tenant: MemberTenant,
  name: string,
  where: string,
): Promise<void> {
  const known = await (await db.$prisma()).principal.findUnique({ where: { name }, select: { id: true } });
  const role = known === null ? undefined : await roleIn(await db.$prisma(), tenant, known.id);
  if (role === undefined) return;
  throw new ApiError('conflict', `${name} is already ${role} of ${where}.`, { field: 'email' });
}

/** Revokes an invitation; one that was already answered or revoked stays as it is. @throws 403, 404 */
export async function revokeInvitation(
  ctx: RequestContext,
  { id, validateOnly }: DryRun & { id: string },
): Promise<Invitation> {
  const authorized = authorizeOwnAccount(ctx, 'workspaces:invite');
  const now = ctx.now();
  return runInTransaction(authorized, validateOnly, async (within) => {
    const found = await findManaged(within, id);
    if (found === undefined) throw notFound('invitation', id);
    const { count } = await (
      await within.db.$prisma()
    ).invitation.updateMany({
      where: { id, ...isOpen(now) },
      data: { status: 'revoked', decidedAt: now },
    });
    if (count === 0) return found;
    const revoked: Invitation = { ...found, status: 'revoked', decidedAt: now };
    await recordChanges(within, [invitationChange('revoked', revoked, found)]);
    return revoked;
  });
}

async function findManaged(within: Authorized, id: string): Promise<Invitation | undefined> {
  if (!isResourceId(id)) return undefined;
  const where = { AND: [{ id }, managedBy(within)] };
  return (await (await within.db.$prisma()).invitation.findFirst({ where, ...invitationQuery })) ?? undefined;
}

/** A Prisma condition for the invitations to accounts and workspaces of which the caller is an admin. */
function managedBy({ caller }: Authorized): object {
  return managedCondition(caller, { includesOwn: false });
}

/**
 * Invitations by id, in the order of the ids; null unless the caller is the invited user or an admin of the account or
 * workspace.
 */
export async function findInvitations(ctx: RequestContext, ids: readonly string[]): Promise<(Invitation | null)[]> {
  const authorized = authorizeScope(ctx, 'invitations:list');
  const visible = { OR: [{ name: ctx.caller.principal.name }, managedBy(authorized)] };
  const where = { AND: [{ id: { in: [...ids] } }, visible] };
  const rows = await (await authorized.db.$prisma()).invitation.findMany({ where, ...invitationQuery });
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

interface InvitationRow extends Omit<Invitation, 'id' | 'createdAt' | 'expiresAt' | 'decidedAt'> {
  createdAt: string;
  expiresAt: string;
  decidedAt: string | null;
}

const invitationList = {
  label: 'invitation',
  table: 'invitation',
  source: Prisma.sql`(
    SELECT i."id", i."name" COLLATE "C" AS "name", i."created_at", i."expires_at", i."decided_at", i."account_id",
      i."workspace_id", i."role", i."status", i."invited_by", i."invited_by_id", ${foldedSql(Prisma.sql`i."name"`)} AS "search",
      json_build_object('id', a."id", 'name', a."name", 'displayName', a."display_name") AS "account",
      CASE WHEN w."id" IS NOT NULL
        THEN json_build_object('id', w."id", 'name', w."name", 'displayName', w."display_name") END AS "workspace"
    FROM "invitation" AS i JOIN "account" AS a ON a."id" = i."account_id" LEFT JOIN "workspace" AS w ON w."id" = i."workspace_id")`,
  columns: {
    name: Prisma.sql`r."name"`,
    createdAt: Prisma.sql`r."created_at"`,
    expiresAt: Prisma.sql`r."expires_at"`,
    decidedAt: Prisma.sql`r."decided_at"`,
    accountId: Prisma.sql`r."account_id"`,
    workspaceId: Prisma.sql`r."workspace_id"`,
    role: Prisma.sql`r."role"`,
    status: Prisma.sql`r."status"`,
    invitedBy: Prisma.sql`r."invited_by"`,
    invitedById: Prisma.sql`r."invited_by_id"`,
    account: Prisma.sql`r."account"`,
    workspace: Prisma.sql`r."workspace"`,
  },
};

const accountInvitations = defineList<InvitationRow>({
  ...invitationList,
  isAcrossWorkspaces: true,
  parent: Prisma.sql`r."account_id"`,
});
const workspaceInvitations = defineList<InvitationRow>(invitationList);

/**
 * One page of the invitations to an account and its workspaces, or to one workspace.
 *
 * @throws 400; 403 without `invitations:list`, or if the caller is not an admin of the account or workspace.
 */
export async function listInvitations(
  ctx: RequestContext,
  of: ListedTenant,
  input: ListInput & { status?: InvitationStatus | null | undefined },
): Promise<ListPage<Placed<Invitation>>> {
  const { authorized, tenant } = authorizeListing(ctx, of);
  const { status } = input;
  const { accountId, workspaceId } = tenant;
  const [list, parent] =
    workspaceId === null
      ? [accountInvitations, { id: accountId }]
      : [workspaceInvitations, { id: workspaceId, workspaceId }];
  const lists = {
    parents: [parent],
    query: { account: accountId, workspace: workspaceId ?? undefined, principal: ctx.caller.principal.id },
    filter: status == null ? undefined : filterOf(status, [inStatus(status, ctx.now())]),
  };
  const page = await readWholeRows(authorized, list, lists, { ...input, isOneOfMany: true });
  return { ...page, items: page.items.map((row) => ({ ...row, ...timesOf(row) })) };
}

function authorizeListing(ctx: RequestContext, of: ListedTenant): { authorized: Authorized; tenant: MemberTenant } {
  if ('workspace' in of) {
    const authorized = authorizeWorkspace(ctx, 'invitations:list', of.workspace);
    const { account, workspace } = authorized;
    if (workspace.role !== 'admin') throw forbidden('Only an admin of the workspace can list its invitations.');
    return { authorized, tenant: { accountId: account.id, workspaceId: workspace.id } };
  }
  const authorized = authorizeAccount(ctx, 'invitations:list', of.accountId);
  requireAccountAdmin(authorized, 'can list its invitations');
  return { authorized, tenant: { accountId: of.accountId, workspaceId: null } };
}

function timesOf({ createdAt, expiresAt, decidedAt }: InvitationRow) {
  return {
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    decidedAt: decidedAt === null ? null : new Date(decidedAt),
  };
}

function inStatus(status: InvitationStatus, now: Date): Prisma.Sql {
  const pendingCondition = Prisma.sql`r."status" = 'pending'`;
  if (status === 'pending')
    return Prisma.sql`${pendingCondition} AND r."expires_at" > ${now.toISOString()}::timestamptz`;
  if (status === 'expired')
    return Prisma.sql`${pendingCondition} AND r."expires_at" <= ${now.toISOString()}::timestamptz`;
  return Prisma.sql`r."status" = ${status}::"invitation_status"`;
}

/** Deletes old invitations. The change log keeps their changes. */
export async function forgetInvitations(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptDays * dayMs);
  // The expression of the index.
  await db.$executeRaw`DELETE FROM "invitation" WHERE least("decided_at", "expires_at") < ${before}`;
}
