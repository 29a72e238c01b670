// Invitations from the view of the invited user. An invitation is for the user whose name it has.
import { authorizeScope } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { lockMembers, roleIn, writeRoles } from '../auth/membership.js';
import { memberChange } from '../changes/member-change.js';
import { recordByGuest } from '../changes/record-changes.js';
import { ApiError, forbidden, notFound } from '../errors.js';
import { isResourceId } from '../schema/resource.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { invitationChange, invitationQuery, invitationStatus, isOpen } from './invitation.js';
import type { Invitation } from './invitation.js';

/** The maximum number of pending invitations in the list, the newest ones. */
export const ownInvitationsMax = 100;

/** The pending invitations of the caller, newest first. @throws 403 without `invitations:list`. */
export async function listOwnInvitations(ctx: RequestContext): Promise<Invitation[]> {
  const { db, caller } = authorizeScope(ctx, 'invitations:list');
  if (caller.principal.kind !== 'user') return [];
  return (await db.$prisma()).invitation.findMany({
    where: { name: caller.principal.name, ...isOpen(ctx.now()) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: ownInvitationsMax,
    ...invitationQuery,
  });
}

/**
 * Makes the caller a member of the account or workspace. A member keeps their current role.
 *
 * @throws 403 without `workspaces:accept`, for a credential that is confined to a workspace, or for a user whom the
 * account's identity provider has deactivated; 404 for an invitation
 * of another user; 409 `conflict` for one that was answered or revoked, or has expired.
 */
export async function acceptInvitation(
  ctx: RequestContext,
  { id, validateOnly }: DryRun & { id: string },
): Promise<Invitation> {
  const authorized = authorizeScope(ctx, 'workspaces:accept');
  requireUnconfined(authorized);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const { answered, before } = await answerOpen(within, id, 'accepted');
    const { principal } = ctx.caller;
    const { accountId, workspaceId, role, account } = answered;
    await requireActive(within, accountId);
    const tenant = { accountId, workspaceId };
    const roleBefore = await roleIn(await within.db.$prisma(), tenant, principal.id);
    // From now on, groups of an identity provider no longer change the membership.
    await writeRoles(within.db, [{ ...tenant, principalId: principal.id, role: roleBefore ?? role }], ctx.now());
    const named = { account, workspace: answered.workspace ?? undefined };
    const member = memberChange(principal, named, roleBefore, roleBefore ?? role);
    const changes = [invitationChange('accepted', answered, before), ...(roleBefore === undefined ? [member] : [])];
    await recordByGuest(within, accountId, changes);
    return answered;
  });
}

/** Declines an invitation. @throws 403 without `workspaces:decline`; 404 and 409 as for accepting it. */
export async function declineInvitation(
  ctx: RequestContext,
  { id, validateOnly }: DryRun & { id: string },
): Promise<Invitation> {
  const authorized = authorizeScope(ctx, 'workspaces:decline');
  requireUnconfined(authorized);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const { answered, before } = await answerOpen(within, id, 'declined');
    await recordByGuest(within, answered.accountId, [invitationChange('declined', answered, before)]);
    return answered;
  });
}

/** @throws 403 for a user whom the identity provider of the account has deactivated (SCIM). */
async function requireActive({ db, caller }: Authorized, accountId: string): Promise<void> {
  const where = { accountId, principalId: caller.principal.id, deactivatedAt: { not: null } };
  if ((await (await db.$prisma()).provisionedUser.count({ where })) === 0) return;
  throw forbidden('The identity provider of the account has deactivated you. Ask its admin.');
}

function requireUnconfined({ caller }: Authorized): void {
  if (caller.confinedTo === undefined) return;
  throw forbidden('This credential is restricted to a workspace and cannot answer invitations.');
}

/** Marks an invitation as answered: of concurrent answers only the first one succeeds. */
async function answerOpen(
  { db, caller, ctx }: Authorized,
  id: string,
  status: 'accepted' | 'declined',
): Promise<{ answered: Invitation; before: Invitation }> {
  const { name, kind } = caller.principal;
  const now = ctx.now();
  const own = { id, name };
  const isOwn = kind === 'user' && isResourceId(id);
  const seen = isOwn
    ? await (await db.$prisma()).invitation.findFirst({ where: own, select: { accountId: true } })
    : null;
  if (seen === null) throw notFound('invitation', id);
  // The members are locked before the invitation, as in every other change of an invitation, to prevent deadlocks.
  await lockMembers(await db.$prisma(), seen.accountId);
  const before = await (await db.$prisma()).invitation.findFirst({ where: own, ...invitationQuery });
  if (before === null) throw notFound('invitation', id);
  const { count } = await (
    await db.$prisma()
  ).invitation.updateMany({
    where: { ...own, ...isOpen(now) },
    data: { status, decidedAt: now },
  });
  if (count > 0) return { answered: { ...before, status, decidedAt: now }, before };
  throw new ApiError(
    'conflict',
    `The invitation can no longer be answered (status: ${invitationStatus(before, now)}).`,
  );
}
