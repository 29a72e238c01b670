// Changes of groups by the identity provider that provisions an account (SCIM). The memberships that the group roles of the
// provider "scim" give follow in the same transaction.
import type { AuthorizedAccount } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { fieldsChanged } from '../../changes/fields-changed.js';
import { changeWithMessage, recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { insertNamed } from '../../database/name-taken.js';
import { readJson } from '../../database/read-json.js';
import { invalidParameter, quoted } from '../../errors.js';
import { newResourceId } from '../../schema/resource-id.js';
import { isResourceId } from '../../schema/resource.js';
import { authorizeDirectory, changeDirectory } from './directory.js';
import type { Directory } from './directory.js';
import { readProvisionedGroup } from './groups.js';
import type { ProvisionedGroup } from './groups.js';
import { applyProvisionedRoles } from './provisioned-roles.js';

/** The maximum number of members of a group. */
export const groupMembersMax = 20_000;

/** What a provider writes of a group, besides its members. */
export interface GroupAttributes {
  displayName: string;
  externalId?: string | undefined;
}

/** A change of the members of a group. */
export interface MemberDelta {
  /** Whether users who are not added leave the group. */
  replaces: boolean;
  added: ReadonlySet<string>;
  removed: ReadonlySet<string>;
}

export interface GroupChange {
  attributes: GroupAttributes;
  members: MemberDelta | undefined;
}

/**
 * Creates a group.
 *
 * @param members the ids of provisioned users.
 * @throws 400 `invalid_parameter` for members that are no users of the directory, and for too many; 403 like
 * authorizeDirectory(); 409 `name_taken`.
 */
export async function createProvisionedGroup(
  ctx: RequestContext,
  attributes: GroupAttributes,
  members: readonly string[],
): Promise<ProvisionedGroup> {
  return changeDirectory(authorizeDirectory(ctx), async (locked) => {
    const { within } = locked;
    const now = ctx.now();
    const id = newResourceId(now);
    const db = await within.db.$prisma();
    const { displayName, externalId = null } = attributes;
    const data = { id, accountId: within.account.id, displayName, externalId, createdAt: now, updatedAt: now };
    await inOwnName(displayName, () => db.provisionedGroup.create({ data }));
    const delta = { replaces: false, added: new Set(members), removed: new Set<string>() };
    const moved = await writeMembers(locked, id, delta);
    const given = await applyProvisionedRoles(within, moved);
    const created = await readProvisionedGroup(within.db, within.account.id, id, true);
    const change = changeOf('created', created, `Created by the identity provider (members: ${moved.length})`);
    await recordChanges(within, [{ ...change, after: shown(created) }, ...given]);
    return created;
  });
}

/**
 * Changes a group. A change that results in the same group writes nothing.
 *
 * @param check is called with the group before the change, and throws to prevent it.
 * @param change returns the change of the group.
 * @param withMembers whether the returned group has its members.
 * @throws 400, 403 and 409 as for creating a group; 404.
 */
export async function changeProvisionedGroup(
  ctx: RequestContext,
  id: string,
  check: (before: ProvisionedGroup) => void,
  change: (before: GroupAttributes) => GroupChange,
  { withMembers }: { withMembers: boolean },
): Promise<ProvisionedGroup> {
  return changeDirectory(authorizeDirectory(ctx), async (locked) => {
    const { within } = locked;
    const before = await readProvisionedGroup(within.db, within.account.id, id, false);
    check(before);
    const { attributes, members } = change({ displayName: before.displayName, externalId: before.externalId });
    const moved = members === undefined ? [] : await writeMembers(locked, id, members);
    const isRenamed = attributes.displayName !== before.displayName;
    if (!isRenamed && attributes.externalId === before.externalId && moved.length === 0)
      return readProvisionedGroup(within.db, within.account.id, id, withMembers);
    const { displayName, externalId = null } = attributes;
    const db = await within.db.$prisma();
    const data = { displayName, externalId, version: { increment: 1 }, updatedAt: ctx.now() };
    await inOwnName(displayName, () => db.provisionedGroup.update({ where: { id }, data }));
    // The name of a group is part of its users, and gives its roles.
    const concerned = isRenamed ? [...new Set([...(await countInUsersOf(locked, id)), ...moved])] : moved;
    const given = await applyProvisionedRoles(within, concerned);
    const after = await readProvisionedGroup(within.db, within.account.id, id, withMembers);
    const updated = changeOf('updated', after, `Updated by the identity provider (changed members: ${moved.length})`);
    const states = { before: shown(before), after: shown(after) };
    const fields = [...fieldsChanged(states.before, states.after), ...(moved.length > 0 ? ['members'] : [])];
    await recordChanges(within, [{ ...updated, ...states, fields }, ...given]);
    return after;
  });
}

/** Deletes a group. Its users lose the roles that it gave. @throws 403 like authorizeDirectory(); 404 */
export async function deleteProvisionedGroup(
  ctx: RequestContext,
  id: string,
  check: (before: ProvisionedGroup) => void,
): Promise<void> {
  await changeDirectory(authorizeDirectory(ctx), async (locked) => {
    const { within } = locked;
    const before = await readProvisionedGroup(within.db, within.account.id, id, false);
    check(before);
    const left = await countInUsersOf(locked, id);
    await (await within.db.$prisma()).provisionedGroup.delete({ where: { id } });
    const given = await applyProvisionedRoles(within, left);
    const deleted = changeOf('deleted', before, `Deleted by the identity provider (members: ${left.length})`);
    await recordChanges(within, [{ ...deleted, before: shown(before) }, ...given]);
  });
}

/**
 * Writes the members of a group, in a number of statements that does not depend on how many there are.
 *
 * @returns the ids of the users who joined or left the group.
 * @throws 400 `invalid_parameter` for users that are not of the directory, and for too many members.
 */
async function writeMembers(
  { within }: Directory,
  groupId: string,
  { replaces, added, removed }: MemberDelta,
): Promise<string[]> {
  const { db, account } = within;
  await requireUsers({ within }, added);
  const isLeaving = replaces
    ? Prisma.sql`m."principal_id" <> ALL(${[...added]}::uuid[])`
    : Prisma.sql`m."principal_id" = ANY(${[...removed].filter(isResourceId)}::uuid[])`;
  const moved = await readJson<string[]>(
    db,
    Prisma.sql`
      WITH "left" AS (
        DELETE FROM "provisioned_group_member" AS m WHERE m."group_id" = ${groupId}::uuid AND ${isLeaving}
        RETURNING m."principal_id"),
      "joined" AS (
        INSERT INTO "provisioned_group_member" ("group_id", "account_id", "principal_id")
        SELECT ${groupId}::uuid, ${account.id}::uuid, a."id" FROM unnest(${[...added]}::uuid[]) AS a("id")
        ON CONFLICT ("group_id", "principal_id") DO NOTHING
        RETURNING "principal_id"),
      "moved" AS (SELECT "principal_id" FROM "left" UNION SELECT "principal_id" FROM "joined")
      SELECT coalesce(json_agg("principal_id"), '[]')::text FROM "moved"`,
  );
  await countInVersions({ within }, moved);
  const count = await (await db.$prisma()).provisionedGroupMember.count({ where: { groupId } });
  if (count > groupMembersMax)
    throw invalidParameter('members', `must be at most ${groupMembersMax} users of a group (got ${count})`);
  return moved;
}

/** @throws 400 `invalid_parameter` that names the first one, the same for a user of another account. */
async function requireUsers({ within }: Pick<Directory, 'within'>, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size > groupMembersMax)
    throw invalidParameter('members', `must be at most ${groupMembersMax} users of a group (got ${ids.size})`);
  const malformed = [...ids].find((id) => !isResourceId(id));
  const known = malformed === undefined ? new Set(await knownUsers(within, [...ids])) : undefined;
  const unknown = malformed ?? [...ids].find((id) => known?.has(id) !== true);
  if (unknown === undefined) return;
  throw invalidParameter('members', `must be ids of users of this directory (got ${quoted(unknown)})`);
}

function knownUsers({ db, account }: AuthorizedAccount, ids: readonly string[]): Promise<string[]> {
  return readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(u."principal_id"), '[]')::text FROM "provisioned_user" AS u
      WHERE u."account_id" = ${account.id}::uuid AND u."principal_id" = ANY(${[...ids]}::uuid[])`,
  );
}

/** Counts a change of a group in the versions of its users, because their groups are part of them. @returns their ids. */
async function countInUsersOf({ within }: Pick<Directory, 'within'>, groupId: string): Promise<string[]> {
  const ids = await readJson<string[]>(
    within.db,
    Prisma.sql`
      SELECT coalesce(json_agg(m."principal_id"), '[]')::text FROM "provisioned_group_member" AS m
      WHERE m."group_id" = ${groupId}::uuid`,
  );
  await countInVersions({ within }, ids);
  return ids;
}

async function countInVersions({ within }: Pick<Directory, 'within'>, principalIds: readonly string[]): Promise<void> {
  if (principalIds.length === 0) return;
  await within.db.$executeRaw`
    UPDATE "provisioned_user" AS u SET "version" = u."version" + 1
    WHERE u."account_id" = ${within.account.id}::uuid AND u."principal_id" = ANY(${[...principalIds]}::uuid[])`;
}

function inOwnName<Row>(displayName: string, write: () => Promise<Row>): Promise<Row> {
  return insertNamed('group', displayName, write, 'displayName');
}

function changeOf(
  verb: 'created' | 'updated' | 'deleted',
  { id, version, displayName }: ProvisionedGroup,
  message: string,
): NewChange {
  return { ...changeWithMessage('GROUP', verb, { id, name: displayName }, message), version };
}

function shown({ displayName, externalId }: ProvisionedGroup): object {
  return { displayName, externalId };
}
