// Changes of roles, and ends of memberships, by an admin of the account or workspace or by the members themselves.
import { authorizeOwnAccount } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import {
  endGivenInvitations,
  endMembership,
  hasOtherAdmin,
  lastAdmin,
  lockMembers,
  membershipIn,
  roleIn,
  writeRoles,
} from '../auth/membership.js';
import type { MembershipOrigin, MemberTenant } from '../auth/membership.js';
import { canonicalUserName } from '../auth/user-name.js';
import { memberChange, tenantText } from '../changes/member-change.js';
import type { NamedTenant } from '../changes/member-change.js';
import { ApiError, forbidden, notFound } from '../errors.js';
import type { NamedScope } from './find-tenant.js';
import { noMember } from './find-tenant.js';
import { authorizeAnyMembers, authorizeMembers, readMember } from './members.js';
import type { Member } from './members.js';
import { findPrincipal } from './principals.js';
import { recordEverywhere } from './record-in-accounts.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';

/**
 * A principal by name, in the caller's account or a workspace of it. Admins of the platform can name another account, and
 * operators name the account or the workspace.
 */
export interface MemberInput extends NamedScope {
  name: string;
}

/**
 * Adds a user or service account to an account or workspace without an invitation, or changes the role of a member. A new
 * member of a workspace also becomes a member of its account.
 *
 * @throws 400 `invalid_request` if neither is named; 403 unless the caller is an admin of the platform; 404; 409 `conflict` if
 * the workspace belongs to another account.
 */
export async function setMember(ctx: RequestContext, input: MemberInput & DryRun & { role: Role }): Promise<Member> {
  const { authorized, tenant, named } = await authorizeAnyMembers(ctx, input);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const db = await within.db.$prisma();
    await lockMembers(db, tenant.accountId);
    const { id, name } = await findPrincipal(db, input.name);
    const { role } = input;
    const before = await roleIn(db, tenant, id);
    await writeRoles(within.db, [{ ...tenant, principalId: id, role }], ctx.now());
    if (before === 'admin' && role !== 'admin') await endGivenInvitations(within.db, tenant, id, ctx.now());
    const member = await requireRead(within, tenant, id);
    if (before !== role) await record(within, { id, name }, named, before, role);
    return member;
  });
}

/**
 * Changes the role of a member. From then on, groups of an identity provider no longer change the membership.
 *
 * @throws 403 if the caller is not an admin of the account or workspace, nor of the platform; 404 if there is no such member, or if the
 * member is in a workspace by their role in its account; 409 `last_admin` for the last admin of the account.
 */
export async function updateMember(ctx: RequestContext, input: MemberInput & DryRun & { role: Role }): Promise<Member> {
  const { authorized, tenant, named } = await authorizeMembers(ctx, 'workspaces:update', input);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const member = await lockMember(within, tenant, named, input.name);
    const { id, name, role: before, origin } = member;
    const { role } = input;
    if (role === before && origin === 'manual') return requireRead(within, tenant, id);
    if (before === 'admin' && role !== 'admin') {
      await requireOtherAdmin(within, tenant, id);
      await endGivenInvitations(within.db, tenant, id, ctx.now());
    }
    await writeRoles(within.db, [{ ...tenant, principalId: id, role }], ctx.now());
    const changed = await requireRead(within, tenant, id);
    await record(within, { id, name }, named, before, role);
    return changed;
  });
}

/**
 * Deletes a member. Removal from an account also removes the member from its workspaces. Their API keys, tokens and
 * consents there are deleted permanently.
 *
 * @returns the member before the removal.
 * @throws 403, 404 and 409 as for a change of the role.
 */
export async function removeMember(ctx: RequestContext, input: MemberInput & DryRun): Promise<Member> {
  const { authorized, tenant, named } = await authorizeMembers(ctx, 'workspaces:remove', input);
  return runInTransaction(authorized, input.validateOnly, (within) =>
    endNamedMembership(within, tenant, named, input.name),
  );
}

/**
 * Ends the caller's own membership of their account. Every role may do this.
 *
 * @throws 403 without `workspaces:leave`, or with a credential that is confined to a workspace; 404 and 409 as for
 * removing a member.
 */
export async function leaveAccount(ctx: RequestContext, { validateOnly }: DryRun): Promise<Member> {
  const authorized = authorizeOwnAccount(ctx, 'workspaces:leave');
  const { caller } = authorized;
  if (caller.confinedTo !== undefined) {
    throw forbidden('This credential is restricted to a workspace and cannot leave the account.');
  }
  return leave(authorized, undefined, validateOnly);
}

/**
 * Ends the caller's own membership of a workspace. Every role may do this.
 *
 * @throws 403 without `workspaces:leave`, or for an inaccessible workspace; 404 and 409 as for removing a member.
 */
export async function leaveWorkspace(ctx: RequestContext, input: DryRun & { workspace: string }): Promise<Member> {
  const authorized = authorizeOwnAccount(ctx, 'workspaces:leave');
  const { caller } = authorized;
  const workspace = caller.workspaces.get(input.workspace);
  if (workspace === undefined) {
    throw forbidden('The workspace does not exist, or this credential cannot access it.');
  }
  return leave(authorized, workspace, input.validateOnly);
}

async function leave(
  authorized: AuthorizedAccount,
  workspace: NamedTenant['workspace'],
  validateOnly: DryRun['validateOnly'],
): Promise<Member> {
  const { account, caller } = authorized;
  const tenant = { accountId: account.id, workspaceId: workspace?.id ?? null };
  return runInTransaction(authorized, validateOnly, (within) =>
    endNamedMembership(within, tenant, { account, workspace }, caller.principal.name),
  );
}

async function endNamedMembership(
  within: AuthorizedAccount,
  tenant: MemberTenant,
  named: NamedTenant,
  name: string,
): Promise<Member> {
  const { id, role, ...member } = await lockMember(within, tenant, named, name);
  if (role === 'admin') await requireOtherAdmin(within, tenant, id);
  const before = await requireRead(within, tenant, id);
  await endMembership(await within.db.$prisma(), tenant, id, within.ctx.now());
  await record(within, { id, name: member.name }, named, role, undefined);
  return before;
}

/** A member by name. The members of the account, and the member against deletion, are locked until the transaction ends. */
export async function lockMember(
  { db }: AuthorizedAccount,
  tenant: MemberTenant,
  named: NamedTenant,
  requestedName: string,
): Promise<{ id: string; name: string; role: Role; origin: MembershipOrigin }> {
  const name = canonicalUserName(requestedName);
  const prisma = await db.$prisma();
  await lockMembers(prisma, tenant.accountId);
  const [principal] =
    name === undefined
      ? []
      : await prisma.$queryRaw<{ id: string }[]>`
          SELECT "id" FROM "principal" WHERE "name" = ${name} FOR KEY SHARE`;
  const member = principal && (await membershipIn(prisma, tenant, principal.id));
  if (principal !== undefined && name !== undefined && member !== undefined) {
    return { id: principal.id, name, role: member.role, origin: member.origin };
  }
  const inAccount = principal && (await roleIn(prisma, { ...tenant, workspaceId: null }, principal.id));
  if (inAccount === 'admin' || inAccount === 'viewer') {
    const message = `${name} has access to ${tenantText(named)} as ${inAccount} of the account, not as a member of it. Change the role in the account.`;
    throw new ApiError('not_found', message, { field: 'name' });
  }
  if (name === undefined) throw notFound('member', requestedName);
  throw noMember(name, named);
}

/** Admins of the platform may remove the last admin: they can add another one. @throws 409 `last_admin` */
export async function requireOtherAdmin(
  { db, isByPlatform }: AuthorizedAccount,
  tenant: MemberTenant,
  principalId: string,
): Promise<void> {
  if (
    isByPlatform ||
    tenant.workspaceId !== null ||
    (await hasOtherAdmin(await db.$prisma(), tenant.accountId, principalId))
  )
    return;
  throw lastAdmin();
}

async function requireRead(within: AuthorizedAccount, tenant: MemberTenant, id: string): Promise<Member> {
  const member = await readMember(within, tenant, id);
  if (member === undefined) throw new Error('a locked member does not exist');
  return member;
}

async function record(
  within: AuthorizedAccount,
  principal: { id: string; name: string },
  named: NamedTenant,
  before: Role | undefined,
  after: Role | undefined,
): Promise<void> {
  await recordEverywhere(within, [within.account.id], memberChange(principal, named, before, after));
}
