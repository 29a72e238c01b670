// Users of identity providers: their creation at the first sign-in, and the memberships that their groups give.
//
// Each sign-in compares the groups of the user with the group roles of the accounts that the provider serves. It changes
// only memberships that a provider gave; those that people gave stay as they are.
import { randomUUID } from 'node:crypto';
import { roles } from '../auth/caller.js';
import type { Role } from '../auth/caller.js';
import { endInvitations, endMembership, hasOtherAdmin, lockMembers, writeRole } from '../auth/membership.js';
import type { MemberTenant } from '../auth/membership.js';
import { emailDomain } from '../auth/sign-in/email-domain.js';
import type { ProviderInfo, ProviderUser } from '../auth/sign-in/provider.js';
import { memberChange } from '../changes/member-change.js';
import type { MemberChange, NamedTenant } from '../changes/member-change.js';
import { recordByProvider } from '../changes/record-by-provider.js';
import type { Database, Transaction } from '../database/open.js';

export interface AdmittedUser {
  /** Undefined if the user does not exist and is not created, or is disabled. */
  user: { id: string; name: string } | undefined;
  /** The number of changed memberships. */
  changes: number;
}

/**
 * Finds or creates the user whom a provider has authenticated, and updates the memberships that the user's groups give.
 *
 * A user is created only if the provider creates users of this email domain and has verified the address.
 */
export async function admitProviderUser(
  db: Database,
  provider: ProviderInfo,
  identified: ProviderUser,
  visit: { now: Date; requestId: string },
): Promise<AdmittedUser> {
  const { name } = identified;
  return db.$begin(async (tx) => {
    const isNew = mayCreate(provider, identified) && (await insertUser(await tx.$prisma(), name, visit.now));
    const user = await (await tx.$prisma()).principal.findFirst({ where: { name, kind: 'user', disabledAt: null } });
    if (user === null) return { user: undefined, changes: 0 };
    const accounts = await accountsOf(await tx.$prisma(), provider, user.id);
    const about = { ...visit, provider: provider.id };
    const all: { accountId: string; changes: MemberChange[] }[] = [];
    // All accounts are locked before the first change, in the order of their ids, so that sign-ins cannot deadlock.
    for (const { id } of accounts) await lockMembers(await tx.$prisma(), id);
    for (const account of accounts) {
      const wanted = await wantedRoles(await tx.$prisma(), provider, identified, account);
      all.push({
        accountId: account.id,
        changes: await applyRoles(await tx.$prisma(), account, user, wanted, visit.now),
      });
    }
    const created = { kind: 'USER', verb: 'created', resourceId: user.id, name, message: 'Created' } as const;
    for (const { accountId, changes } of all) {
      if (changes.length === 0) continue;
      await recordByProvider(await tx.$prisma(), accountId, about, [...(isNew ? [created] : []), ...changes]);
    }
    return { user: { id: user.id, name }, changes: all.reduce((sum, { changes }) => sum + changes.length, 0) };
  });
}

function mayCreate({ createsUsersOf }: ProviderInfo, { name, isVerifiedAddress }: ProviderUser): boolean {
  return isVerifiedAddress && createsUsersOf.includes(emailDomain(name) ?? '');
}

/** @returns false if a principal with the name exists. Of concurrent sign-ins, one creates the user. */
async function insertUser(tx: Transaction, name: string, now: Date): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO "principal" ("id", "kind", "name", "created_at") VALUES (${randomUUID()}::uuid, 'user', ${name}, ${now})
    ON CONFLICT ("name") DO NOTHING`;
  return count > 0;
}

interface NamedAccount {
  id: string;
  name: string;
}

/** The accounts with roles for groups of the provider, or in which a provider made the user a member, by id. */
async function accountsOf(tx: Transaction, provider: ProviderInfo, principalId: string): Promise<NamedAccount[]> {
  const given = { some: { principalId, origin: 'provider' as const } };
  return tx.account.findMany({
    where: {
      OR: [
        { name: { in: [...provider.accounts] }, groupRoles: { some: { provider: provider.id } } },
        { members: given },
        { workspaces: { some: { members: given } } },
      ],
    },
    select: { id: true, name: true },
    orderBy: { id: 'asc' },
  });
}

/** The roles that the groups of a user give in an account, and in its workspaces by id. */
interface WantedRoles {
  account: Role | undefined;
  workspaces: Map<string, Role>;
}

async function wantedRoles(
  tx: Transaction,
  provider: ProviderInfo,
  { groups }: ProviderUser,
  account: NamedAccount,
): Promise<WantedRoles> {
  const wanted: WantedRoles = { account: undefined, workspaces: new Map() };
  // The operator may have withdrawn the account from the provider.
  if (!provider.accounts.includes(account.name)) return wanted;
  const rows = await tx.groupRole.findMany({ where: { accountId: account.id, provider: provider.id } });
  for (const { name, role, workspaceId } of rows) {
    if (!groups.includes(name)) continue;
    if (workspaceId === null) wanted.account = higher(wanted.account, role);
    else wanted.workspaces.set(workspaceId, higher(wanted.workspaces.get(workspaceId), role));
  }
  return wanted;
}

function higher(one: Role | undefined, other: Role): Role {
  return one === undefined || roles.indexOf(other) < roles.indexOf(one) ? other : one;
}

interface Membership {
  tenant: MemberTenant;
  named: NamedTenant;
  role: Role;
  isGiven: boolean;
}

/** Changes the memberships of a user in an account. Its members are locked. */
async function applyRoles(
  tx: Transaction,
  account: NamedAccount,
  user: { id: string; name: string },
  wanted: WantedRoles,
  now: Date,
): Promise<MemberChange[]> {
  const changes: MemberChange[] = [];
  const { inAccount, inWorkspaces } = await membershipsOf(tx, account, user.id);
  const hasOwn = wanted.workspaces.size > 0 || inWorkspaces.some(({ isGiven }) => !isGiven);
  // A member of a workspace has to be a member of its account.
  const accountRole = wanted.account ?? (hasOwn ? 'member' : undefined);
  const accountTenant = {
    tenant: { accountId: account.id, workspaceId: null },
    named: { account, workspace: undefined },
  };
  const set = async (to: Pick<Membership, 'tenant' | 'named'>, before: Role | undefined, after: Role | undefined) => {
    if (before === after) return;
    if (after === undefined) await endMembership(tx, to.tenant, user.id, now);
    else {
      if (before === 'admin') await endInvitations(tx, to.tenant, user.id, now);
      await writeRole(tx, to.tenant, user.id, after, now, 'provider');
    }
    changes.push(memberChange(user, to.named, before, after));
  };
  // Workspaces that are lost first: the end of the membership of the account would leave no records of them.
  for (const each of inWorkspaces) {
    const { workspaceId } = each.tenant;
    if (each.isGiven && workspaceId !== null) await set(each, each.role, wanted.workspaces.get(workspaceId));
  }
  if (inAccount?.isGiven !== false) {
    const keepsAdmin =
      inAccount?.role === 'admin' && accountRole !== 'admin' && !(await hasOtherAdmin(tx, account.id, user.id));
    if (!keepsAdmin) await set(accountTenant, inAccount?.role, accountRole);
  }
  const missing = [...wanted.workspaces.keys()].filter(
    (id) => !inWorkspaces.some(({ tenant }) => tenant.workspaceId === id),
  );
  const workspaces = await tx.workspace.findMany({ where: { id: { in: missing } }, orderBy: { name: 'asc' } });
  for (const { id, name } of workspaces) {
    const to = { tenant: { accountId: account.id, workspaceId: id }, named: { account, workspace: { id, name } } };
    await set(to, undefined, wanted.workspaces.get(id));
  }
  return changes;
}

async function membershipsOf(
  tx: Transaction,
  account: NamedAccount,
  principalId: string,
): Promise<{ inAccount: Membership | undefined; inWorkspaces: Membership[] }> {
  const member = await tx.accountMember.findFirst({ where: { accountId: account.id, principalId } });
  const rows = await tx.workspaceMember.findMany({
    where: { principalId, workspace: { accountId: account.id } },
    include: { workspace: { select: { id: true, name: true } } },
    orderBy: { workspaceId: 'asc' },
  });
  return {
    inAccount:
      member === null
        ? undefined
        : {
            tenant: { accountId: account.id, workspaceId: null },
            named: { account, workspace: undefined },
            role: member.role,
            isGiven: member.origin === 'provider',
          },
    inWorkspaces: rows.map(({ workspace, workspaceId, role, origin }) => ({
      tenant: { accountId: account.id, workspaceId },
      named: { account, workspace },
      role,
      isGiven: origin === 'provider',
    })),
  };
}
