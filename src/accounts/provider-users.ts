// Users of identity providers: their creation at the first sign-in, and the memberships that their groups give.
//
// Each sign-in compares the groups of the user with the group roles of the accounts that the provider serves, except in
// accounts in which the user is provisioned (SCIM): there, the provisioned groups decide.
import { randomUUID } from 'node:crypto';
import { lockMembers } from '../auth/membership.js';
import { emailDomain } from '../auth/sign-in/email-domain.js';
import type { ProviderInfo, ProviderUser } from '../auth/sign-in/provider.js';
import type { MemberChange } from '../changes/member-change.js';
import { changeWithMessage } from '../changes/record-changes.js';
import { recordByProvider } from '../changes/record-by-provider.js';
import type { Database, Transaction } from '../database/open.js';
import { applyGivenRoles, higherRole } from './given-roles.js';
import type { WantedRoles } from './given-roles.js';

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
        changes: await applyGivenRoles(await tx.$prisma(), account, [{ user, wanted }], visit.now),
      });
    }
    const created = changeWithMessage('USER', 'created', user, 'Created');
    for (const { accountId, changes } of all) {
      if (changes.length === 0) continue;
      await recordByProvider(tx, accountId, about, [...(isNew ? [created] : []), ...changes]);
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

/**
 * The accounts with roles for groups of the provider, or in which a provider made the user a member, by id; without those in
 * which the user is provisioned.
 */
async function accountsOf(tx: Transaction, provider: ProviderInfo, principalId: string): Promise<NamedAccount[]> {
  const given = { some: { principalId, origin: 'provider' as const } };
  return tx.account.findMany({
    where: {
      provisionedUsers: { none: { principalId } },
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
    if (workspaceId === null) wanted.account = higherRole(wanted.account, role);
    else wanted.workspaces.set(workspaceId, higherRole(wanted.workspaces.get(workspaceId), role));
  }
  return wanted;
}
