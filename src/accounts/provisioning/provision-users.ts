// Changes of users by the identity provider that provisions an account (SCIM).
//
// The provider governs its users: those with an email domain of the account who are a member of no other account. It renames,
// disables and deletes only these. Of other users, it ends only what they have in this account.
import type { RequestContext } from '../../auth/context.js';
import { endAuthorizations } from '../../auth/grants/authorization.js';
import {
  endCredentials,
  endInvitations,
  endMembership,
  isLastAdmin,
  lastAdmin,
  roleIn,
} from '../../auth/membership.js';
import { emailDomain } from '../../auth/sign-in/email-domain.js';
import { canonicalUserName } from '../../auth/user-name.js';
import { fieldsChanged } from '../../changes/fields-changed.js';
import { memberChange } from '../../changes/member-change.js';
import { changeWithMessage, recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { nameTakenFrom } from '../../database/name-taken.js';
import { ApiError, cutText, unknownId } from '../../errors.js';
import { providersOf } from '../group-roles.js';
import type { Principal } from '../principals.js';
import {
  insertPrincipal,
  leftGroupsSql,
  lockPrincipal,
  lockPrincipalById,
  removePrincipal,
  rewritePrincipal,
  writeDisabled,
} from '../user-changes.js';
import { authorizeDirectory, changeDirectory, requireUserName } from './directory.js';
import type { Directory } from './directory.js';
import { applyProvisionedRoles, memberRecord } from './provisioned-roles.js';
import { readProvisionedUser } from './users.js';
import type { PersonAttributes, ProvisionedUser, UserAttributes } from './users.js';

/** The maximum length of the display name of a user in this service. */
const displayNameLengthMax = 63;

/**
 * Provisions a user: creates the user, or takes over an existing one with the name. An active user is a member of the account.
 *
 * @throws 400 `invalid_parameter` for a userName that is no email address of the directory; 403 like authorizeDirectory();
 * 409 `name_taken`; 409 `last_admin` for an existing user who is inactive here, and the last admin of the account.
 */
export async function createProvisionedUser(ctx: RequestContext, attributes: UserAttributes): Promise<ProvisionedUser> {
  const directory = authorizeDirectory(ctx);
  const name = requireUserName(directory, attributes.userName);
  return changeDirectory(directory, async (locked) => {
    const { within } = locked;
    const { account } = within;
    const now = ctx.now();
    const principal = await principalNamed(locked, name, attributes);
    const { id } = principal;
    const db = await within.db.$prisma();
    const key = { accountId: account.id, principalId: id };
    if ((await db.provisionedUser.count({ where: key })) > 0) throw nameTaken(attributes.userName);
    const ended = attributes.active ? undefined : await endAccess(locked, principal);
    const deactivatedAt = ended?.at ?? null;
    const data = { ...key, ...columnsOf(attributes), deactivatedAt, createdAt: now, updatedAt: now };
    await inOwnName(attributes, () => db.provisionedUser.create({ data }));
    const members = ended?.members ?? (await applyProvisionedRoles(within, [id]));
    const created = await readProvisionedUser(within.db, account.id, id);
    const provisioned = updateOf(principal.name, created, 'Provisioned by the identity provider');
    await recordChanges(within, [{ ...provisioned, after: shown(created) }, ...members]);
    return created;
  });
}

async function principalNamed({ within }: Directory, name: string, attributes: UserAttributes): Promise<Principal> {
  const db = await within.db.$prisma();
  const existing = await db.principal.findUnique({ where: { name }, select: { kind: true } });
  if (existing === null) return insertPrincipal(within, { kind: 'user', name, displayName: displayNameOf(attributes) });
  if (existing.kind !== 'user') throw nameTaken(attributes.userName);
  return lockPrincipal(within, { kind: 'user', name });
}

/**
 * Changes a provisioned user. A change that results in the same attributes writes nothing.
 *
 * @param check is called with the user before the change, and throws to prevent it.
 * @param change returns all attributes after the change.
 * @throws 400, 403 and 409 as for creating a user; 404; 409 `conflict` for a new userName of a user who is also a member of
 * another account.
 */
export async function changeProvisionedUser(
  ctx: RequestContext,
  id: string,
  check: (before: ProvisionedUser) => void,
  change: (before: UserAttributes) => UserAttributes,
): Promise<ProvisionedUser> {
  return changeDirectory(authorizeDirectory(ctx), async (locked) => {
    const { within } = locked;
    const { account } = within;
    const before = await readProvisionedUser(within.db, account.id, id);
    check(before);
    const old = attributesOf(before);
    const wanted = change(old);
    const fields = fieldsChanged(old, wanted);
    if (fields.length === 0) return before;
    const principal = await rename(locked, await lockById(locked, id), before, wanted);
    const ended = before.isActive && !wanted.active ? await endAccess(locked, principal) : undefined;
    const isActivated = !before.isActive && wanted.active;
    if (isActivated && (await isDisabledHere(locked, principal))) await writeDisabled(within, principal, false);
    const db = await within.db.$prisma();
    const deactivatedAt = isActivated ? null : ended?.at;
    const data = {
      ...columnsOf(wanted),
      ...(deactivatedAt === undefined ? {} : { deactivatedAt }),
      version: { increment: 1 },
      updatedAt: ctx.now(),
    };
    const where = { accountId_principalId: { accountId: account.id, principalId: id } };
    await inOwnName(wanted, () => db.provisionedUser.update({ where, data }));
    const members = isActivated ? await applyProvisionedRoles(within, [id]) : (ended?.members ?? []);
    const after = await readProvisionedUser(within.db, account.id, id);
    const message = `${verbOf(before, after)} by the identity provider`;
    const updated = updateOf(principal.name, after, message);
    // Names and addresses are recorded without their values.
    await recordChanges(within, [{ ...updated, fields, before: shown(before), after: shown(after) }, ...members]);
    return after;
  });
}

function verbOf(before: ProvisionedUser, after: ProvisionedUser): string {
  if (before.isActive === after.isActive) return 'Updated';
  return after.isActive ? 'Activated' : 'Deactivated';
}

/**
 * Deletes a provisioned user. A user who is a member of another account loses only the access to this one.
 *
 * @throws 403 like authorizeDirectory(); 404; 409 `last_admin` for the last admin of the account.
 */
export async function deleteProvisionedUser(
  ctx: RequestContext,
  id: string,
  check: (before: ProvisionedUser) => void,
): Promise<void> {
  await changeDirectory(authorizeDirectory(ctx), async (locked) => {
    const { within } = locked;
    const { account } = within;
    const before = await readProvisionedUser(within.db, account.id, id);
    check(before);
    const principal = await lockById(locked, id);
    const db = await within.db.$prisma();
    if (await isLastAdmin(db, account.id, id)) throw lastAdmin();
    const isGoverned = governs(locked, principal);
    const { members } = await endAccess(locked, principal);
    await db.$executeRaw`
      WITH "left" AS (${leftGroupsSql(within, id, account.id)})
      DELETE FROM "provisioned_user" AS u WHERE u."account_id" = ${account.id}::uuid AND u."principal_id" = ${id}::uuid`;
    if (isGoverned) await removePrincipal(within, principal);
    const gone = updateOf(principal.name, before, 'No longer provisioned by the identity provider');
    await recordChanges(within, isGoverned ? members : [...members, gone]);
  });
}

/** @throws 404 for a user who was deleted during the wait for the lock. */
async function lockById({ within }: Directory, id: string): Promise<Principal> {
  const locked = await lockPrincipalById(within, id);
  if (locked === undefined) throw unknownId('user');
  return locked;
}

/** Whether the provider decides about the user as a whole. */
function governs({ within, domains }: Directory, { name, memberships }: Principal): boolean {
  return (
    domains.includes(emailDomain(name) ?? '') && memberships.every(({ account }) => account === within.account.name)
  );
}

/** Whether the user was disabled by being deactivated here, and not by the operator. */
async function isDisabledHere({ within }: Directory, { id, disabledAt }: Principal): Promise<boolean> {
  const db = await within.db.$prisma();
  const key = { accountId: within.account.id, principalId: id };
  const row = await db.provisionedUser.findUniqueOrThrow({ where: { accountId_principalId: key } });
  return disabledAt !== null && disabledAt.getTime() === row.deactivatedAt?.getTime();
}

/**
 * Ends what a user can do: everything of a user whom the provider governs; of another one, the membership of this account, and
 * the sessions that began at its identity providers, with the authorizations of programs that were given in them. The last
 * admin of the account stays a member, but is disabled.
 *
 * @returns the time, which is that of `disabledAt` if the user was disabled, and the changes of memberships to record.
 * @throws 409 `last_admin` for the last admin of the account who is also a member of another one.
 */
async function endAccess(directory: Directory, principal: Principal): Promise<{ at: Date; members: NewChange[] }> {
  const { within } = directory;
  const { account, ctx } = within;
  const { id } = principal;
  const db = await within.db.$prisma();
  const tenant = { accountId: account.id, workspaceId: null };
  const staysMember = await isLastAdmin(db, account.id, id);
  const isGoverned = governs(directory, principal);
  if (staysMember && !isGoverned) throw lastAdmin();
  const isEnabled = principal.disabledAt === null;
  const disabledAt = isGoverned && isEnabled ? (await writeDisabled(within, principal, true)).disabledAt : null;
  const at = disabledAt ?? ctx.now();
  if (!isGoverned) {
    const signedIn = { principalId: id, provider: { in: providersOf(within).map((provider) => provider.id) } };
    await db.signInSession.deleteMany({ where: signedIn });
    await endAuthorizations(db, signedIn, at);
  }
  if (staysMember) {
    await endCredentials(db, tenant, id, at);
    await endInvitations(db, tenant, id, at);
    return { at, members: [] };
  }
  const role = await roleIn(db, tenant, id);
  if (!(await endMembership(db, tenant, id, at)) || role === undefined) return { at, members: [] };
  return { at, members: [memberRecord(memberChange(principal, { account, workspace: undefined }, role, undefined))] };
}

/** Writes the name and the display name that the provider changed. Other accounts keep seeing a user as before. */
async function rename(
  directory: Directory,
  principal: Principal,
  before: ProvisionedUser,
  wanted: UserAttributes,
): Promise<Principal> {
  const isGoverned = governs(directory, principal);
  const isRenamed = canonicalUserName(wanted.userName) !== canonicalUserName(before.userName);
  if (isRenamed && !isGoverned) {
    throw new ApiError(
      'conflict',
      'userName cannot be changed: the user is also a member of another account. Ask the operator to rename the user.',
      { field: 'userName' },
    );
  }
  const newName = isRenamed ? requireUserName(directory, wanted.userName) : principal.name;
  const shownBefore = displayNameOf(before);
  const shownAfter = displayNameOf(wanted);
  if (!isGoverned || (!isRenamed && shownBefore === shownAfter)) return principal;
  const displayName = shownBefore === shownAfter ? undefined : (shownAfter ?? null);
  return inOwnName(wanted, () => rewritePrincipal(directory.within, principal, { newName, displayName }));
}

function displayNameOf({ displayName, name }: PersonAttributes): string | undefined {
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' ');
  const full = displayName ?? name?.formatted ?? (parts === '' ? undefined : parts);
  return full === undefined ? undefined : cutText(full, displayNameLengthMax - 1);
}

/** The attributes as the provider wrote them: `active` does not say whether the operator has disabled the user. */
function attributesOf({ userName, externalId, displayName, name, emails, isActive }: ProvisionedUser): UserAttributes {
  return { userName, externalId, displayName, name, emails, active: isActive };
}

function columnsOf({ userName, externalId, displayName, name, emails }: UserAttributes) {
  return { userName, externalId: externalId ?? null, attributes: { displayName, name, emails } };
}

async function inOwnName<Row>({ userName }: UserAttributes, write: () => Promise<Row>): Promise<Row> {
  try {
    return await write();
  } catch (error) {
    throw nameTakenFrom(error, 'user', userName, 'userName');
  }
}

function nameTaken(userName: string): ApiError {
  return new ApiError('name_taken', `The name ${JSON.stringify(userName)} is taken by another user.`, {
    field: 'userName',
  });
}

function updateOf(name: string, { id, version }: ProvisionedUser, message: string): NewChange {
  return { ...changeWithMessage('USER', 'updated', { id, name }, message), version };
}

function shown({ userName, externalId, displayName, isActive }: ProvisionedUser): object {
  return { userName, externalId, displayName, active: isActive };
}
