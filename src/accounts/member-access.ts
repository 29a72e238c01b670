// What a member can use in an account: browser sessions, authorized programs, and roles in the workspaces.
import { authorizeAccount, requireAccountAdmin } from '../auth/authorize.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { listConsents, listSessions } from '../auth/grants/own-access.js';
import type { OwnConsent, OwnSession } from '../auth/grants/own-access.js';
import type { MembershipOrigin } from '../auth/membership.js';
import { canonicalUserName } from '../auth/user-name.js';
import type { Transaction } from '../database/open.js';
import { readMember } from './members.js';
import type { Member } from './members.js';

/** A role that a member has by a membership of a workspace, not by its role in the account. */
export interface WorkspaceRole {
  workspaceName: string;
  role: Role;
  origin: MembershipOrigin;
  memberSince: Date | null;
}

/** The largest number of workspace roles listed, by name of the workspace. */
export const workspaceRolesMax = 100;

export interface MemberAccess {
  /** With the role in the account. */
  member: Member;
  /** The browsers in which the member uses the account, newest first. `lastUsedAt` is the last use in this account. */
  sessions: OwnSession[];
  authorizations: OwnConsent[];
  workspaceRoles: WorkspaceRole[];
}

/**
 * The access of a member to an account. Sessions that the member uses only for other accounts, and what it does there, are
 * not shown.
 *
 * @param name the email address of a user, or the name of a service account.
 * @returns null if the account has no member of this name.
 * @throws 403 without `admin`, or if the caller is not an admin of the whole account.
 */
export async function findMemberAccess(
  ctx: RequestContext,
  accountId: string,
  name: string,
): Promise<MemberAccess | null> {
  const authorized = authorizeAccount(ctx, 'admin', accountId);
  requireAccountAdmin(authorized, 'can see the access of its members');
  const canonical = canonicalUserName(name);
  if (canonical === undefined) return null;
  const db = await authorized.db.$prisma();
  const principal = await db.principal.findUnique({ where: { name: canonical }, select: { id: true } });
  if (principal === null) return null;
  const principalId = principal.id;
  const member = await readMember(authorized, { accountId, workspaceId: null }, principalId);
  if (member === undefined) return null;
  return {
    member,
    sessions: await listSessionsIn(db, accountId, principalId, ctx.now()),
    authorizations: await listConsents(db, principalId, { accountId }),
    workspaceRoles: await listWorkspaceRoles(db, accountId, principalId),
  };
}

/** The sessions in which the user authorized a program, such as the console, in the account. */
async function listSessionsIn(
  db: Transaction,
  accountId: string,
  principalId: string,
  now: Date,
): Promise<OwnSession[]> {
  const uses = await db.oauthAuthorization.groupBy({
    by: ['sessionId'],
    where: { accountId, principalId, endedAt: null, sessionId: { not: null } },
    _max: { lastUsedAt: true },
  });
  const lastUses = new Map(uses.map(({ sessionId, _max }) => [sessionId ?? '', _max.lastUsedAt]));
  const sessions = await listSessions(db, principalId, now, [...lastUses.keys()]);
  return sessions.map((session) => ({ ...session, lastUsedAt: lastUses.get(session.id) ?? null }));
}

async function listWorkspaceRoles(db: Transaction, accountId: string, principalId: string): Promise<WorkspaceRole[]> {
  const rows = await db.workspaceMember.findMany({
    where: { principalId, workspace: { accountId } },
    include: { workspace: { select: { name: true } } },
    orderBy: { workspace: { name: 'asc' } },
    take: workspaceRolesMax,
  });
  return rows.map(({ workspace, role, origin, createdAt }) => ({
    workspaceName: workspace.name,
    role,
    origin,
    memberSince: createdAt,
  }));
}
