// Memberships of accounts and workspaces, and what ends with them. These functions do not authorize; their callers do.
import { Prisma } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import type { Statements } from '../database/transaction.js';
import { ApiError } from '../errors.js';
import type { Role } from './caller.js';
import { endAuthorizations } from './grants/authorization.js';
import { loadAccess } from './caller-access.js';
import { lockEndingPrincipal } from './lock-principal.js';

/** An account, or a workspace of it. */
export interface MemberTenant {
  accountId: string;
  workspaceId: string | null;
}

/** Locks the memberships of an account until the transaction ends. It does not block the creation of resources. */
export async function lockMembers(tx: Pick<Transaction, '$queryRaw'>, accountId: string): Promise<void> {
  await tx.$queryRaw`SELECT "id" FROM "account" WHERE "id" = ${accountId}::uuid FOR NO KEY UPDATE`;
}

/** Returns the direct role of a principal in an account or workspace. */
export async function roleIn(tx: Transaction, tenant: MemberTenant, principalId: string): Promise<Role | undefined> {
  return (await membershipIn(tx, tenant, principalId))?.role;
}

/** Returns the direct membership of a principal in an account or workspace. */
export async function membershipIn(
  tx: Transaction,
  { accountId, workspaceId }: MemberTenant,
  principalId: string,
): Promise<{ role: Role; origin: MembershipOrigin } | undefined> {
  const member =
    workspaceId === null
      ? await tx.accountMember.findFirst({ where: { accountId, principalId } })
      : await tx.workspaceMember.findFirst({ where: { workspaceId, principalId } });
  return member ?? undefined;
}

/** Who gave a membership: a person, or a group of an identity provider. */
export type MembershipOrigin = 'manual' | 'provider';

/** A role of a principal in an account or workspace. */
export interface MemberRole extends MemberTenant {
  principalId: string;
  role: Role;
}

/**
 * Sets roles, and who gave the memberships, in at most three statements. New members of a workspace also become members of
 * the account, which is required for access.
 *
 * @param written at most one role of a principal in an account or workspace.
 */
export async function writeRoles(
  tx: Pick<Statements, '$executeRaw'>,
  written: readonly MemberRole[],
  now: Date,
  origin: MembershipOrigin = 'manual',
): Promise<void> {
  const inAccounts = JSON.stringify(written.filter(({ workspaceId }) => workspaceId === null));
  const inWorkspaces = JSON.stringify(written.filter(({ workspaceId }) => workspaceId !== null));
  if (inAccounts !== '[]') {
    await tx.$executeRaw`
      INSERT INTO "account_member" ("account_id", "principal_id", "role", "origin", "created_at")
      SELECT w."accountId", w."principalId", w."role", ${origin}::membership_origin, ${now}::timestamptz
      FROM json_to_recordset(${inAccounts}::json) AS w("accountId" uuid, "principalId" uuid, "role" role)
      ON CONFLICT ("account_id", "principal_id") DO UPDATE SET "role" = EXCLUDED."role", "origin" = EXCLUDED."origin"`;
  }
  if (inWorkspaces !== '[]') {
    await tx.$executeRaw`
      INSERT INTO "account_member" ("account_id", "principal_id", "role", "origin", "created_at")
      SELECT w."accountId", w."principalId", 'member', ${origin}::membership_origin, ${now}::timestamptz
      FROM json_to_recordset(${inWorkspaces}::json) AS w("accountId" uuid, "principalId" uuid)
      ON CONFLICT ("account_id", "principal_id") DO NOTHING`;
    await tx.$executeRaw`
      INSERT INTO "workspace_member" ("workspace_id", "principal_id", "role", "origin", "created_at")
      SELECT w."workspaceId", w."principalId", w."role", ${origin}::membership_origin, ${now}::timestamptz
      FROM json_to_recordset(${inWorkspaces}::json) AS w("workspaceId" uuid, "principalId" uuid, "role" role)
      ON CONFLICT ("workspace_id", "principal_id") DO UPDATE SET "role" = EXCLUDED."role", "origin" = EXCLUDED."origin"`;
  }
}

/**
 * Ends a membership. Ending one of an account also ends those of its workspaces. Keys, tokens, consents and invitations
 * to and from the member end for good: a new membership does not restore them.
 *
 * @returns whether there was a membership.
 */
export async function endMembership(
  tx: Transaction,
  tenant: MemberTenant,
  principalId: string,
  now: Date,
): Promise<boolean> {
  const { accountId, workspaceId } = tenant;
  await lockEndingPrincipal(tx, principalId);
  const within = workspaceId === null ? { accountId } : { id: workspaceId };
  const deleted = await tx.workspaceMember.deleteMany({ where: { principalId, workspace: within } });
  const ended =
    workspaceId === null ? await tx.accountMember.deleteMany({ where: { principalId, accountId } }) : deleted;
  if (deleted.count + ended.count === 0) return false;
  await endCredentials(tx, tenant, principalId, now);
  await endInvitations(tx, tenant, principalId, now);
  return true;
}

/** Ends the credentials of a locked principal in an account or workspace that is no longer accessible. */
export async function endCredentials(
  tx: Transaction,
  tenant: MemberTenant,
  principalId: string,
  now: Date,
): Promise<void> {
  const { accountId, workspaceId } = tenant;
  const confined = { accountId, ...(workspaceId === null ? {} : { workspaceId }) };
  const access = await loadAccess(tx, { principalId, accountId, workspaceId });
  // An admin or viewer of the account keeps access to the workspace.
  if (access !== undefined && (workspaceId === null || access.workspaces.size > 0)) return;
  const credentials = { principalId, ...confined, revokedAt: null };
  await tx.apiKey.updateMany({ where: credentials, data: { revokedAt: now } });
  // Clients that users also sign in to stay active for them.
  const actsAlone = { grantTypes: { equals: ['client_credentials' as const] } };
  await tx.oauthClient.updateMany({ where: { ...credentials, ...actsAlone }, data: { revokedAt: now } });
  await endAuthorizations(tx, { principalId, ...confined }, now);
  await tx.accessToken.updateMany({ where: credentials, data: { revokedAt: now } });
  await tx.oauthConsent.deleteMany({ where: { principalId, ...confined } });
}

/** Ends the invitations to and from a principal in an account or workspace whose membership ends. */
export async function endInvitations(
  tx: Pick<Statements, '$executeRaw'>,
  tenant: MemberTenant,
  principalId: string,
  now: Date,
): Promise<void> {
  const name = Prisma.sql`(SELECT p."name" FROM "principal" AS p WHERE p."id" = ${principalId}::uuid)`;
  await revoke(tx, tenant, Prisma.sql`"invited_by_id" = ${principalId}::uuid OR "name" = ${name}`, now);
}

/** Ends the invitations that a former admin created. */
export async function endGivenInvitations(
  tx: Pick<Statements, '$executeRaw'>,
  tenant: MemberTenant,
  principalId: string,
  now: Date,
): Promise<void> {
  await revoke(tx, tenant, Prisma.sql`"invited_by_id" = ${principalId}::uuid`, now);
}

async function revoke(
  tx: Pick<Statements, '$executeRaw'>,
  { accountId, workspaceId }: MemberTenant,
  which: Prisma.Sql,
  now: Date,
): Promise<void> {
  const inTenant = workspaceId === null ? Prisma.empty : Prisma.sql`AND "workspace_id" = ${workspaceId}::uuid`;
  await tx.$executeRaw`
    UPDATE "invitation" SET "status" = 'revoked', "decided_at" = ${now}
    WHERE "account_id" = ${accountId}::uuid ${inTenant} AND "status" = 'pending' AND (${which})`;
}

/**
 * Whether the account keeps an active admin without this principal. If the principal is a user, another user is
 * required, because nobody can sign in as a service account.
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

/** Whether a principal is the only admin of an account (see `hasOtherAdmin`). */
export async function isLastAdmin(tx: Transaction, accountId: string, principalId: string): Promise<boolean> {
  const role = await roleIn(tx, { accountId, workspaceId: null }, principalId);
  return role === 'admin' && !(await hasOtherAdmin(tx, accountId, principalId));
}

export function lastAdmin(): ApiError {
  return new ApiError('last_admin', 'This is the last admin of the account. Make another member an admin first.');
}
