// Invitations as rows, and their change records.
import { tenantText } from '../changes/member-change.js';
import type { ChangeAction } from '../changes/change-subjects.js';
import { changeWithMessage } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import type { Invitation as Row } from '../database/client/client.js';

export const invitationStatuses = {
  pending: 'Waiting for an answer.',
  accepted: 'Accepted: the invited user is a member.',
  declined: 'Declined by the invited user.',
  revoked: 'Revoked, or the inviter is no longer allowed to invite.',
  expired: 'Expired without an answer.',
} as const;

export type InvitationStatus = keyof typeof invitationStatuses;

/** An invitation with the names of its account and workspace. */
export interface Invitation extends Row {
  account: { id: string; name: string; displayName: string | null };
  workspace: { id: string; name: string; displayName: string | null } | null;
}

const names = { select: { id: true, name: true, displayName: true } } as const;

/** The Prisma query of an invitation. */
export const invitationQuery = { include: { account: names, workspace: names } } as const;

export function invitationStatus(
  { status, expiresAt }: Pick<Row, 'status' | 'expiresAt'>,
  now: Date,
): InvitationStatus {
  return status === 'pending' && expiresAt <= now ? 'expired' : status;
}

/** A Prisma condition for pending invitations that have not expired. */
export function isOpen(now: Date) {
  return { status: 'pending', expiresAt: { gt: now } } as const;
}

/** The change record of an invitation. */
export function invitationChange(
  verb: ChangeAction,
  invitation: Invitation,
  before: Invitation | undefined,
): NewChange {
  const { name, role, account, workspace, workspaceId } = invitation;
  const tenant = tenantText({ account, workspace: workspace ?? undefined });
  const action = verb === 'created' ? 'invited' : verb;
  return {
    ...changeWithMessage('INVITATION', verb, invitation, `${name}, as ${role} of ${tenant}: ${action}`),
    workspaceId,
    before: before && shownInvitation(before),
    after: shownInvitation(invitation),
  };
}

function shownInvitation({ name, role, status, workspace, invitedBy, expiresAt }: Invitation): object {
  return {
    name,
    role,
    status,
    workspace: workspace?.name,
    invitedBy: invitedBy ?? undefined,
    expiresAt: expiresAt.toISOString(),
  };
}
