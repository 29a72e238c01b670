import type { Database } from '../database/open.js';
import type { Caller, ReachableAccount, ReachableWorkspace } from './caller.js';

/** A credential as it is stored: whose it is, and to what it is confined. */
export interface StoredCredential {
  principalId: string;
  accountId: string;
  workspaceId: string | null;
}

export type Reach = Pick<Caller, 'principal' | 'accounts' | 'confinedTo' | 'workspaces'>;

/**
 * What a credential reaches: its account, and of that account's workspaces those that its owner is a
 * member of, or all of them for an account admin; one alone when the credential is confined to it.
 * Undefined when the owner is disabled, or no longer belongs to the account.
 */
export async function loadReach(db: Database, credential: StoredCredential): Promise<Reach | undefined> {
  const { principalId, accountId, workspaceId } = credential;
  const [principal, account, memberships, workspaces] = await Promise.all([
    db.principal.findUnique({ where: { id: principalId } }),
    db.accountMember.findUnique({
      where: { accountId_principalId: { accountId, principalId } },
      include: { account: true },
    }),
    db.workspaceMember.findMany({ where: { principalId, workspace: { accountId } } }),
    db.workspace.findMany({
      where: {
        accountId,
        ...(workspaceId === null ? {} : { id: workspaceId }),
        OR: [
          { members: { some: { principalId } } },
          { account: { members: { some: { principalId, role: 'admin' } } } },
        ],
      },
      orderBy: { name: 'asc' },
    }),
  ]);
  if (principal === null || principal.disabledAt !== null || account === null) return undefined;
  const reachable: ReachableAccount = {
    id: accountId,
    name: account.account.name,
    displayName: account.account.displayName ?? undefined,
    plan: account.account.plan,
    role: account.role,
    createdAt: account.account.createdAt,
    updatedAt: account.account.updatedAt,
  };
  const roles = new Map(memberships.map((membership) => [membership.workspaceId, membership.role]));
  return {
    principal: {
      id: principal.id,
      kind: principal.kind,
      name: principal.name,
      displayName: principal.displayName ?? undefined,
    },
    accounts: [reachable],
    confinedTo: workspaceId ?? undefined,
    workspaces: new Map(
      workspaces.map((workspace): [string, ReachableWorkspace] => [
        workspace.name,
        {
          id: workspace.id,
          name: workspace.name,
          displayName: workspace.displayName ?? undefined,
          account: reachable,
          role: account.role === 'admin' ? 'admin' : (roles.get(workspace.id) ?? 'member'),
          createdAt: workspace.createdAt,
          updatedAt: workspace.updatedAt,
        },
      ]),
    ),
  };
}
