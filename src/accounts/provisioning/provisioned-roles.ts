// The memberships of provisioned users: each active one is a member of the account, and the group roles of the provider
// "scim" give more.
import type { AuthorizedAccount } from '../../auth/authorize.js';
import type { Role } from '../../auth/caller.js';
import { provisionedGroups } from '../../auth/sign-in/providers.js';
import type { MemberChange } from '../../changes/member-change.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import { applyGivenRoles, higherRole } from '../given-roles.js';
import type { WantedRoles } from '../given-roles.js';

/**
 * Updates the memberships of active provisioned users, whose account's members are locked.
 *
 * @returns the changes to record.
 */
export async function applyProvisionedRoles(
  within: AuthorizedAccount,
  principalIds: readonly string[],
): Promise<NewChange[]> {
  if (principalIds.length === 0) return [];
  const { db, account, ctx } = within;
  // Without joins of the ids: a plan for few rows would take minutes for a group with thousands of users.
  const active = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(u."principal_id"), '[]')::text FROM "provisioned_user" AS u
      WHERE u."account_id" = ${account.id}::uuid AND u."principal_id" = ANY(${[...principalIds]}::uuid[])
        AND u."deactivated_at" IS NULL`,
  );
  const users = await readJson<{ id: string; name: string }[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('id', p."id", 'name', p."name") ORDER BY p."id"), '[]')::text
      FROM "principal" AS p WHERE p."id" = ANY(${active}::uuid[])`,
  );
  const given = new Map(
    users.map(({ id }): [string, WantedRoles] => [id, { account: undefined, workspaces: new Map() }]),
  );
  for (const { principalId, workspaceId, role } of await rolesOf(within, active)) {
    const wanted = given.get(principalId);
    if (workspaceId === null && wanted !== undefined) wanted.account = higherRole(wanted.account, role);
    else if (workspaceId !== null) {
      wanted?.workspaces.set(workspaceId, higherRole(wanted.workspaces.get(workspaceId), role));
    }
  }
  const wantedRoles = users.map((user) => {
    const { account: role = 'member', workspaces } = given.get(user.id) ?? { workspaces: new Map<string, Role>() };
    return { user, wanted: { account: role, workspaces } };
  });
  const changes = await applyGivenRoles(await db.$prisma(), account, wantedRoles, ctx.now());
  const hasNewAdmin = changes.some(({ workspaceId, after }) => workspaceId === undefined && after?.role === 'admin');
  // One of the admins may have kept the role only as the last one.
  const concerned = hasNewAdmin ? await givenAdmins(within) : [];
  const others = concerned.filter((id) => !active.includes(id));
  return [...changes.map(memberRecord), ...(await applyProvisionedRoles(within, others))];
}

/** The admins of the account to whom a group gave the role. */
function givenAdmins({ db, account }: AuthorizedAccount): Promise<string[]> {
  return readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(m."principal_id" ORDER BY m."principal_id"), '[]')::text FROM "account_member" AS m
      WHERE m."account_id" = ${account.id}::uuid AND m."role" = 'admin' AND m."origin" = 'provider'`,
  );
}

interface RoleOfUser {
  principalId: string;
  /** Null for a role in the account. */
  workspaceId: string | null;
  role: Role;
}

/** The roles that the groups of users give. */
function rolesOf({ db, account }: AuthorizedAccount, principalIds: readonly string[]): Promise<RoleOfUser[]> {
  return readJson<RoleOfUser[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('principalId', m."principal_id", 'workspaceId', r."workspace_id",
        'role', r."role")), '[]')::text
      FROM "group_role" AS r
      JOIN "provisioned_group" AS g ON g."account_id" = r."account_id" AND g."display_name" = r."name"
      JOIN "provisioned_group_member" AS m ON m."group_id" = g."id"
      WHERE r."account_id" = ${account.id}::uuid AND r."provider" = ${provisionedGroups}
        AND m."principal_id" = ANY(${[...principalIds]}::uuid[])`,
  );
}

/** Updates the memberships that the group with a name gives, after its roles changed. @returns the changes to record. */
export async function applyRolesOfGroup(within: AuthorizedAccount, displayName: string): Promise<NewChange[]> {
  const ids = await readJson<string[]>(
    within.db,
    Prisma.sql`
      SELECT coalesce(json_agg(m."principal_id"), '[]')::text
      FROM "provisioned_group_member" AS m JOIN "provisioned_group" AS g ON g."id" = m."group_id"
      WHERE g."account_id" = ${within.account.id}::uuid AND g."display_name" = ${displayName}`,
  );
  return applyProvisionedRoles(within, ids);
}

/** The change of a membership by an identity provider. */
export function memberRecord({ event, ...change }: MemberChange): NewChange {
  return { ...change, event: { ...event, message: `${event.message}, by the identity provider` } };
}
