// Changes of users and service accounts by admins of the platform and by operators. The change log of the platform's account
// records every change, and those of the accounts that the user belongs to.
//
// The functions that take an authorization run in its transaction, and record the change last. They do not check who the
// caller is.
import { z } from 'zod';
import { authorizePlatform } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { endAuthorizations } from '../auth/grants/authorization.js';
import { writeRoles } from '../auth/membership.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { hashPassword, writePassword } from '../auth/sign-in/password.js';
import { canonicalUserName } from '../auth/user-name.js';
import { memberChange } from '../changes/member-change.js';
import { changeWithMessage } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import type { Transaction } from '../database/open.js';
import { invalidInput, invalidParameter, notFound } from '../errors.js';
import { problemAt } from '../schema/problem.js';
import { displayName, resourceName } from '../schema/resource.js';
import { newResourceId } from '../schema/resource-id.js';
import { readInput, refuseNull } from '../schema/shape-value.js';
import type { DryRun } from '../store/write/change-input.js';
import { findTenant } from './find-tenant.js';
import type { Tenant } from './find-tenant.js';
import { accountsOf, principalLabels, readPrincipals, requirePrincipal } from './principals.js';
import type { Principal, PrincipalKind, WhichPrincipal } from './principals.js';
import { ownAccountId, recordEverywhere, recordInAccounts } from './record-in-accounts.js';

const userName = z
  .string()
  .transform((typed) => canonicalUserName(typed) ?? '')
  .pipe(z.email('must be an email address'));

const names = { user: userName, service_account: resourceName } as const;

export interface NewPrincipal {
  kind: PrincipalKind;
  /** A user's email address, or a service account's name. */
  name: string;
  displayName?: string | null | undefined;
  /** Name of the account to add it to. */
  account?: string | null | undefined;
  /** Role in the account. Default: `member`. */
  role?: Role | null | undefined;
  /** Name of the workspace to add it to. */
  workspace?: string | null | undefined;
  /** Role in the workspace. Default: `member`. */
  workspaceRole?: Role | null | undefined;
}

/**
 * Creates a user or service account, and adds it to an account or workspace if one is named. A member of a workspace is also
 * a member of its account.
 *
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404 for an unknown account or workspace;
 * 409 `conflict` if the workspace belongs to another account; 409 `name_taken`.
 */
export async function createPrincipal(ctx: RequestContext, input: NewPrincipal & DryRun): Promise<Principal> {
  const authorized = authorizePlatform(ctx);
  requireTenants(input);
  return runInTransaction<Authorized, Principal>(authorized, input.validateOnly, async (within) => {
    const { account, workspace } = input;
    const isMember = account != null || workspace != null;
    const named = { account: account ?? undefined, workspace: workspace ?? undefined };
    const tenant = isMember ? await findTenant(await within.db.$prisma(), named) : undefined;
    return insertPrincipal(within, input, tenant && { tenant, ...rolesOf(input) });
  });
}

/** The account and workspace of a new user or service account, with its roles. */
export interface NewMemberships {
  tenant: Tenant;
  role: Role;
  workspaceRole: Role;
}

/** Creates a user or service account. @throws 400 `invalid_input`; 409 `name_taken`. */
export async function insertPrincipal(
  within: Authorized,
  input: Pick<NewPrincipal, 'kind' | 'name' | 'displayName'>,
  memberships?: NewMemberships,
): Promise<Principal> {
  const { kind } = input;
  const now = within.ctx.now();
  const given = { name: input.name, displayName: input.displayName };
  const fields = readInput(z.object({ name: names[kind], displayName: displayName.optional() }), given);
  const { name, displayName: shown = null } = fields;
  const row = { id: newResourceId(now), kind, name, displayName: shown, createdAt: now };
  const db = await within.db.$prisma();
  const insert = () => db.principal.create({ data: row });
  await insertNamed('user or service account', row.name, insert, 'name');
  const changes = new Map<string, NewChange[]>();
  const own = ownAccountId(within);
  if (own !== undefined) changes.set(own, [{ ...changeWithMessage('USER', 'created', row, 'Created'), after: fields }]);
  if (memberships !== undefined) {
    const { id: accountId } = memberships.tenant.account;
    changes.set(accountId, [...(changes.get(accountId) ?? []), ...(await addMember(db, row, memberships, now))]);
  }
  await recordInAccounts(within, changes);
  return requireRead(db, row.id);
}

async function addMember(
  db: Transaction,
  principal: { id: string; name: string },
  { tenant, role, workspaceRole }: NewMemberships,
  now: Date,
): Promise<NewChange[]> {
  const { account, workspace } = tenant;
  const member = { accountId: account.id, principalId: principal.id };
  const ofWorkspace = workspace && { ...member, workspaceId: workspace.id, role: workspaceRole };
  await writeRoles(db, [{ ...member, workspaceId: null, role }, ...(ofWorkspace ? [ofWorkspace] : [])], now);
  const inAccount = memberChange(principal, { account, workspace: undefined }, undefined, role);
  if (workspace === undefined) return [inAccount];
  return [inAccount, memberChange(principal, tenant, undefined, workspaceRole)];
}

export interface PrincipalUpdate extends WhichPrincipal, DryRun {
  newName?: string | null | undefined;
  /** Absent keeps the display name, null removes it. */
  displayName?: string | null | undefined;
}

/**
 * Updates the name or the display name of a user or service account. Changes that it made before stay under the old name.
 *
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404; 409 `name_taken`.
 */
export async function updatePrincipal(ctx: RequestContext, input: PrincipalUpdate): Promise<Principal> {
  authorizePlatform(ctx);
  refuseNull(input, ['newName']);
  return change(ctx, input, (within, before) => rewritePrincipal(within, before, input));
}

/**
 * Updates a locked user or service account. Under the new name, a user keeps the pending invitations, and the keys that it
 * created for others are found when its access ends.
 *
 * @throws 400 `invalid_input`; 409 `name_taken`.
 */
export async function rewritePrincipal(
  within: Authorized,
  before: Principal,
  changes: Pick<PrincipalUpdate, 'newName' | 'displayName'>,
): Promise<Principal> {
  const { id, kind } = before;
  const given = {
    newName: changes.newName ?? before.name,
    displayName: changes.displayName === undefined ? before.displayName : changes.displayName,
  };
  // A name that is kept was accepted before.
  const nameSchema = given.newName === before.name ? z.string() : names[kind];
  const read = readInput(z.object({ newName: nameSchema, displayName: displayName.optional() }), given);
  const { newName: name, displayName: shown = null } = read;
  if (name === before.name && shown === before.displayName) return before;
  const db = await within.db.$prisma();
  const write = () => db.principal.update({ where: { id }, data: { name, displayName: shown } });
  await insertNamed('user or service account', name, write, 'newName');
  if (name !== before.name) {
    await db.apiKey.updateMany({ where: { createdBy: before.name }, data: { createdBy: name } });
    await renameInvited(within, before.name, name);
  }
  const after = { ...before, name, displayName: shown };
  const states = { before: shownPrincipal(before), after: shownPrincipal(after) };
  await recordEverywhere(within, await accountsOf(db, id), {
    ...changeWithMessage('USER', 'updated', after, 'Updated'),
    ...states,
  });
  return after;
}

/** Moves pending invitations to a new name. One to an account or workspace that also invited the new name is revoked. */
async function renameInvited({ db, ctx }: Authorized, name: string, newName: string): Promise<void> {
  const now = ctx.now().toISOString();
  await db.$executeRaw(Prisma.sql`
    UPDATE "invitation" AS i SET "name" = ${newName}, ("status", "decided_at") = (
      SELECT CASE WHEN count(*) = 0 THEN 'pending' ELSE 'revoked' END::invitation_status,
        CASE WHEN count(*) > 0 THEN ${now}::timestamptz END
      FROM "invitation" AS o
      WHERE o."name" = ${newName} AND o."status" = 'pending' AND o."account_id" = i."account_id"
        AND o."workspace_id" IS NOT DISTINCT FROM i."workspace_id")
    WHERE i."name" = ${name} AND i."status" = 'pending'`);
}

/**
 * Disables or enables a user or service account. While it is disabled, none of its credentials work. Its sessions, tokens and
 * consents end permanently; its API keys work again once it is enabled.
 *
 * @throws 400 for the caller's own name; 403 unless the caller is an admin of the platform; 404.
 */
export async function setPrincipalDisabled(
  ctx: RequestContext,
  input: WhichPrincipal & DryRun & { isDisabled: boolean },
): Promise<Principal> {
  requireOther(ctx, input);
  return change(ctx, input, (within, before) => writeDisabled(within, before, input.isDisabled));
}

/** Disables or enables a locked user or service account. */
export async function writeDisabled(within: Authorized, before: Principal, isDisabled: boolean): Promise<Principal> {
  const { id } = before;
  const now = within.ctx.now();
  const db = await within.db.$prisma();
  const disabledAt = isDisabled ? await timeOfDisabling(db, before, now) : null;
  if (disabledAt?.getTime() === before.disabledAt?.getTime()) return before;
  await db.principal.update({ where: { id }, data: { disabledAt } });
  if (isDisabled) await endSignIns(db, id, now);
  const message = isDisabled ? 'Disabled' : 'Enabled';
  await recordEverywhere(within, await accountsOf(db, id), changeWithMessage('USER', 'updated', before, message));
  return { ...before, disabledAt };
}

/**
 * Returns the time to store as `disabled_at` when an operator disables a user: that of an earlier disabling, otherwise now.
 * It is never the time at which an identity provider deactivated the user, because the provider may enable such a user again.
 */
export async function timeOfDisabling(
  db: Transaction,
  { id, disabledAt }: { id: string; disabledAt: Date | null },
  now: Date,
): Promise<Date> {
  if (disabledAt === null) return now;
  const byProvider = await db.provisionedUser.count({ where: { principalId: id, deactivatedAt: disabledAt } });
  return byProvider === 0 ? disabledAt : new Date(Math.max(now.getTime(), disabledAt.getTime() + 1));
}

async function endSignIns(db: Transaction, principalId: string, now: Date): Promise<void> {
  await db.signInSession.deleteMany({ where: { principalId } });
  await endAuthorizations(db, { principalId }, now);
  await db.accessToken.updateMany({ where: { principalId, revokedAt: null }, data: { revokedAt: now } });
}

/**
 * Deletes a user or service account, and its memberships, keys, tokens, sessions, and the clients that act as it. Pending
 * invitations to and from it end. The changes that it made stay in the change logs.
 *
 * @returns the deleted user or service account.
 * @throws 400 for the caller's own name; 403 unless the caller is an admin of the platform; 404.
 */
export async function deletePrincipal(ctx: RequestContext, input: WhichPrincipal & DryRun): Promise<Principal> {
  requireOther(ctx, input);
  return change(ctx, input, removePrincipal);
}

/** Deletes a locked user or service account. @returns it as it was. */
export async function removePrincipal(within: Authorized, before: Principal): Promise<Principal> {
  const { id, name } = before;
  const db = await within.db.$prisma();
  const accounts = await accountsOf(db, id);
  await db.invitation.updateMany({
    where: { status: 'pending', OR: [{ name }, { invitedById: id }] },
    data: { status: 'revoked', decidedAt: within.ctx.now() },
  });
  await db.$executeRaw`
    WITH "left" AS (${leftGroupsSql(within, id)}) DELETE FROM "principal" AS p WHERE p."id" = ${id}::uuid`;
  await recordEverywhere(within, accounts, changeWithMessage('USER', 'deleted', before, 'Deleted'));
  return before;
}

/**
 * Counts the end of a provisioned user in the versions of the groups that the user is in, because their members are part of
 * them.
 *
 * @param accountId the account whose groups the user leaves; of all accounts by default.
 */
export function leftGroupsSql({ ctx }: Authorized, principalId: string, accountId?: string): Prisma.Sql {
  const ofAccount = accountId === undefined ? Prisma.empty : Prisma.sql`AND u."account_id" = ${accountId}::uuid`;
  return Prisma.sql`
    UPDATE "provisioned_group" AS g SET "version" = g."version" + 1, "updated_at" = ${ctx.now()}::timestamptz
    FROM "provisioned_user" AS u
    JOIN "provisioned_group_member" AS m ON m."account_id" = u."account_id" AND m."principal_id" = u."principal_id"
    WHERE u."principal_id" = ${principalId}::uuid ${ofAccount} AND g."id" = m."group_id"`;
}

/**
 * Sets the password of a user. Their browser sessions and authorizations end. The password is part of no change record,
 * log or error.
 *
 * @throws 400 `invalid_parameter` for a password that is too short or too long; 403 unless the caller is an admin of the
 * platform; 404.
 */
export async function setUserPassword(
  ctx: RequestContext,
  { password, ...input }: DryRun & { name: string; password: string },
): Promise<Principal> {
  authorizePlatform(ctx);
  const hash = await hashPassword(password);
  return change(ctx, { ...input, kind: 'user' }, async (within, user) => {
    const db = await within.db.$prisma();
    await writePassword(db, user.id, hash, ctx.now());
    await recordEverywhere(
      within,
      await accountsOf(db, user.id),
      changeWithMessage('USER', 'updated', user, 'Password set'),
    );
    return user;
  });
}

async function change(
  ctx: RequestContext,
  which: WhichPrincipal & DryRun,
  act: (within: Authorized, before: Principal) => Promise<Principal>,
): Promise<Principal> {
  return runInTransaction<Authorized, Principal>(authorizePlatform(ctx), which.validateOnly, async (within) =>
    act(within, await lockPrincipal(within, which)),
  );
}

/** A user or service account, locked until the transaction ends. @throws 404 `not_found` */
export async function lockPrincipal(within: Authorized, which: WhichPrincipal): Promise<Principal> {
  const { id } = await requirePrincipal(await within.db.$prisma(), which);
  const locked = await lockPrincipalById(within, id);
  if (locked === undefined) throw notFound(principalLabels[which.kind], which.name);
  return locked;
}

/** Locks a user or service account until the transaction ends. @returns undefined if it was deleted during the wait. */
export async function lockPrincipalById({ db }: Authorized, id: string): Promise<Principal | undefined> {
  const prisma = await db.$prisma();
  await prisma.$queryRaw`SELECT "id" FROM "principal" WHERE "id" = ${id}::uuid FOR UPDATE`;
  // It may have changed during the wait for the lock.
  const [locked] = await readPrincipals(prisma, { id });
  return locked;
}

async function requireRead(db: Transaction, id: string): Promise<Principal> {
  const [principal] = await readPrincipals(db, { id });
  if (principal === undefined) throw new Error('a created user does not exist');
  return principal;
}

function rolesOf({ role, workspaceRole }: NewPrincipal): { role: Role; workspaceRole: Role } {
  return { role: role ?? 'member', workspaceRole: workspaceRole ?? 'member' };
}

/** @throws 400 `invalid_input` for a role without its account or workspace. */
function requireTenants({ account, role, workspace, workspaceRole }: NewPrincipal): void {
  const problems = [
    ...(role != null && account == null ? [problemAt(['role'], 'invalid_value', 'requires account')] : []),
    ...(workspaceRole != null && workspace == null
      ? [problemAt(['workspaceRole'], 'invalid_value', 'requires workspace')]
      : []),
  ];
  if (problems.length > 0) throw invalidInput(problems);
}

/** Prevents admins from locking themselves out. @throws 400 `invalid_parameter` */
function requireOther({ caller }: RequestContext, { name }: WhichPrincipal): void {
  if (caller.isOperator !== true && canonicalUserName(name) === caller.principal.name)
    throw invalidParameter('name', 'must not be your own name');
}

function shownPrincipal({ name, displayName: shown }: Principal): object {
  return { name, displayName: shown ?? undefined };
}
