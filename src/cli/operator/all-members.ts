// Memberships of accounts and workspaces, for operators. These functions do not authorize the caller.
import type { Role } from '../../auth/caller.js';
import { endInvitations, endMembership, lockMembers, roleIn, writeRoles } from '../../auth/membership.js';
import type { MemberTenant } from '../../auth/membership.js';
import { loadAccess } from '../../auth/caller-access.js';
import type { StoredCredential } from '../../auth/caller-access.js';
import { memberChange } from '../../changes/member-change.js';
import type { Database } from '../../database/open.js';
import { ApiError } from '../../errors.js';
import { findPrincipal } from '../../accounts/principals.js';
import { findTenant } from '../../accounts/find-tenant.js';
import { recordAsOperator } from './record-as-operator.js';
import type { Tenant } from '../../accounts/find-tenant.js';

/** A principal, and an account or a workspace, all by name. */
export interface MemberInput {
  principal: string;
  account?: string | undefined;
  workspace?: string | undefined;
}

/**
 * Adds a member, or changes the role of one. A new member of a workspace also becomes a member of its account, because
 * the workspace is not accessible without the account.
 *
 * @throws 404 `not_found`
 */
export async function setMember(db: Database, input: MemberInput, role: Role, now: Date): Promise<void> {
  const { tenant, principalId } = await findMembership(db, input);
  const where = idsOf(tenant);
  await db.$transaction(async (tx) => {
    await lockMembers(tx, where.accountId);
    const before = await roleIn(tx, where, principalId);
    await writeRoles(tx, [{ ...where, principalId, role }], now);
    if (before === role) return;
    if (before === 'admin') await endInvitations(tx, where, principalId, now);
    const change = memberChange({ id: principalId, name: input.principal }, tenant, before, role);
    await recordAsOperator(tx, tenant.account.id, now, [change]);
  });
}

/**
 * Removes a member. Removing one from an account also removes it from its workspaces. Keys, tokens and consents there
 * are revoked permanently: a new membership does not restore them.
 *
 * @throws 404 `not_found`, also if the principal is not a member.
 */
export async function removeMember(db: Database, input: MemberInput, now: Date): Promise<void> {
  const { tenant, principalId } = await findMembership(db, input);
  const where = idsOf(tenant);
  await db.$transaction(async (tx) => {
    await lockMembers(tx, where.accountId);
    const before = await roleIn(tx, where, principalId);
    if (!(await endMembership(tx, where, principalId, now))) throw noMember(input.principal, tenant);
    const change = memberChange({ id: principalId, name: input.principal }, tenant, before, undefined);
    await recordAsOperator(tx, tenant.account.id, now, [change]);
  });
}

function idsOf({ account, workspace }: Tenant): MemberTenant {
  return { accountId: account.id, workspaceId: workspace?.id ?? null };
}

/**
 * The account and workspace of a new credential, once it is certain that its owner can access them.
 *
 * @throws 404 `not_found`, 409 `conflict` if the owner is disabled.
 */
export async function findGrant(
  db: Database,
  input: { owner: string; account: string; workspace?: string | undefined },
): Promise<StoredCredential> {
  const owner = await findPrincipal(db, input.owner);
  if (owner.disabledAt !== null) throw new ApiError('conflict', `${owner.name} is disabled.`);
  const { account, workspace } = await findTenant(db, input);
  const grant = { principalId: owner.id, accountId: account.id, workspaceId: workspace?.id ?? null };
  const access = await loadAccess(db, grant);
  if (access === undefined) throw noMember(owner.name, { account, workspace: undefined });
  if (workspace !== undefined && !access.workspaces.has(workspace.name)) {
    throw noMember(owner.name, { account, workspace });
  }
  return grant;
}

async function findMembership(db: Database, input: MemberInput): Promise<{ tenant: Tenant; principalId: string }> {
  const tenant = await findTenant(db, input);
  const { id } = await findPrincipal(db, input.principal);
  return { tenant, principalId: id };
}

function noMember(principal: string, { account, workspace }: Tenant): ApiError {
  const tenant = workspace === undefined ? `account ${account.name}` : `workspace ${workspace.name}`;
  return new ApiError('not_found', `${principal} is not a member of the ${tenant}.`);
}
