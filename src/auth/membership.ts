// Who belongs to an account or a workspace, as rows, and what ends with that. These functions authorise nobody: they are
// for those who did.
import { Prisma } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import type { Role } from './caller.js';
import { endAuthorizations } from './grants/authorization.js';
import { loadReach } from './reach.js';

/** An account, or a workspace of it. */
export interface MemberPlace {
  accountId: string;
  workspaceId: string | null;
}

/**
 * Holds an account until the transaction ends: whoever else changes who belongs to it waits. What is made in the account
 * meanwhile does not.
 */
export async function holdMembers(tx: Pick<Transaction, '$queryRaw'>, accountId: string): Promise<void> {
  await tx.$queryRaw`SELECT "id" FROM "account" WHERE "id" = ${accountId}::uuid FOR NO KEY UPDATE`;
}

/** The role that somebody has in a place itself. */
export async function roleIn(
  tx: Transaction,
  { accountId, workspaceId }: MemberPlace,
  principalId: string,
): Promise<Role | undefined> {
  const member =
    workspaceId === null
      ? await tx.accountMember.findFirst({ where: { accountId, principalId } })
      : await tx.workspaceMember.findFirst({ where: { workspaceId, principalId } });
  return member?.role;
}

/** Gives somebody a role. Who comes into a workspace becomes a member of its account: without that it is out of reach. */
export async function writeRole(
  tx: Transaction,
  { accountId, workspaceId }: MemberPlace,
  principalId: string,
  role: Role,
  now: Date,
): Promise<void> {
  const inAccount = { accountId, principalId };
  await tx.accountMember.upsert({
    where: { accountId_principalId: inAccount },
    create: { ...inAccount, role: workspaceId === null ? role : 'member', createdAt: now },
    update: workspaceId === null ? { role } : {},
  });
  if (workspaceId === null) return;
  const inWorkspace = { workspaceId, principalId };
  await tx.workspaceMember.upsert({
    where: { workspaceId_principalId: inWorkspace },
    create: { ...inWorkspace, role, createdAt: now },
    update: { role },
  });
}

/**
 * Ends a membership; that of an account ends those of its workspaces too. Keys, tokens and what programs were allowed there
 * end for good, and so do the invitations that waited for them and that they made: none comes back with the membership.
 *
 * @returns whether there was any.
 */
export async function endMembership(
  tx: Transaction,
  place: MemberPlace,
  principalId: string,
  now: Date,
): Promise<boolean> {
  const { accountId, workspaceId } = place;
  const within = workspaceId === null ? { accountId } : { id: workspaceId };
  const left = await tx.workspaceMember.deleteMany({ where: { principalId, workspace: within } });
  const ended = workspaceId === null ? await tx.accountMember.deleteMany({ where: { principalId, accountId } }) : left;
  if (left.count + ended.count === 0) return false;
  await endCredentials(tx, place, principalId, now);
  await endInvitations(tx, place, principalId, now);
  return true;
}

/** Ends what somebody held in a place that they do not reach any more. */
async function endCredentials(tx: Transaction, place: MemberPlace, principalId: string, now: Date): Promise<void> {
  const { accountId, workspaceId } = place;
  const confined = { accountId, ...(workspaceId === null ? {} : { workspaceId }) };
  const reach = await loadReach(tx, { principalId, accountId, workspaceId });
  // An admin or viewer of the account reaches the workspace as before.
  if (reach !== undefined && (workspaceId === null || reach.workspaces.size > 0)) return;
  const held = { principalId, ...confined, revokedAt: null };
  await tx.apiKey.updateMany({ where: held, data: { revokedAt: now } });
  // One that users sign in to as well goes on for them.
  const actsAlone = { grantTypes: { equals: ['client_credentials' as const] } };
  await tx.oauthClient.updateMany({ where: { ...held, ...actsAlone }, data: { revokedAt: now } });
  await endAuthorizations(tx, { principalId, ...confined }, now);
  await tx.accessToken.updateMany({ where: held, data: { revokedAt: now } });
  await tx.oauthConsent.deleteMany({ where: { principalId, ...confined } });
}

/**
 * Ends the invitations that wait for somebody in a place, and those that they made there: who may not invite any more has
 * not left a way in.
 */
export async function endInvitations(
  tx: Pick<Transaction, '$executeRaw'>,
  { accountId, workspaceId }: MemberPlace,
  principalId: string,
  now: Date,
): Promise<void> {
  const inPlace = workspaceId === null ? Prisma.empty : Prisma.sql`AND "workspace_id" = ${workspaceId}::uuid`;
  await tx.$executeRaw`
    UPDATE "invitation" SET "status" = 'revoked', "decided_at" = ${now}
    WHERE "account_id" = ${accountId}::uuid ${inPlace} AND "status" = 'pending'
      AND ("invited_by_id" = ${principalId}::uuid
        OR "name" = (SELECT p."name" FROM "principal" AS p WHERE p."id" = ${principalId}::uuid))`;
}

/**
 * Whether an account goes on without somebody being its admin: another one is, who is not disabled; for a user, another
 * user, as nobody signs in as a service account.
 */
export async function hasOtherAdmin(tx: Transaction, accountId: string, principalId: string): Promise<boolean> {
  const principal = await tx.principal.findUnique({ where: { id: principalId }, select: { kind: true } });
  const alike = principal?.kind === 'user' ? { kind: 'user' as const } : {};
  const others = await tx.accountMember.count({
    where: {
      accountId,
      role: 'admin',
      principalId: { not: principalId },
      principal: { disabledAt: null, ...alike },
    },
  });
  return others > 0;
}
