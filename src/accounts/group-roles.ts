// Group roles: what the members of a group of an identity provider become in an account or a workspace, when they sign
// in. Admins of the account manage them, for the providers that the operator has assigned to the account, and for groups that
// are provisioned with SCIM, whose members change at once.
import { authorizeAccount, authorizeOwnAccount, requireAccountAdmin } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { ProviderInfo } from '../auth/sign-in/provider.js';
import { provisionedGroups } from '../auth/sign-in/providers.js';
import type { ChangeAction } from '../changes/change-subjects.js';
import { recordChanges } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { GroupRole as GroupRoleRow } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { foldedSql } from '../database/search-pattern.js';
import { ApiError, forbidden, invalidInput, invalidParameter, notFound } from '../errors.js';
import { applyRolesOfGroup } from './provisioning/provisioned-roles.js';
import { readTogether } from '../schema/read-together.js';
import { newResourceId } from '../schema/resource-id.js';
import { nameForPeople } from '../schema/text.js';
import type { Conditions, DryRun } from '../store/write/change-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { requireVersion } from '../store/write/require-version.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';

/** The maximum number of group roles of an account. Each sign-in reads them. */
export const groupRolesMax = 500;

/** The maximum length of the name of a group (characters). */
export const groupNameLengthMax = 256;

export interface GroupRole extends Omit<GroupRoleRow, 'accountId' | 'workspaceId'> {
  workspace: { id: string; name: string } | null;
}

/**
 * The providers that serve an account.
 *
 * @throws 403 `access_denied` for an inaccessible account; 403 unless the caller is its admin, with a credential that is
 * not confined to a workspace.
 */
export function listSignInProviders(ctx: RequestContext, accountId: string): ProviderInfo[] {
  return providersOf(requireAdmin(authorizeAccount(ctx, 'admin', accountId)));
}

const groupRoleList = defineList({
  label: 'group role',
  table: 'group_role',
  source: Prisma.sql`(
    SELECT g."id", g."name", g."created_at", g."account_id", ${foldedSql(Prisma.sql`g."name" || E'\n' || g."provider"`)} AS "search"
    FROM "group_role" AS g)`,
  isAcrossWorkspaces: true,
  parent: Prisma.sql`r."account_id"`,
  columns: {},
});

/** One page of the group roles of an account. @throws 400; 403 as for the providers. */
export async function listGroupRoles(
  ctx: RequestContext,
  accountId: string,
  input: ListInput,
): Promise<ListPage<Placed<GroupRole>>> {
  const authorized = requireAdmin(authorizeAccount(ctx, 'admin', accountId));
  const lists = { parents: [{ id: accountId }], query: { account: accountId } };
  return readPageById(authorized, groupRoleList, lists, input, async (ids) => {
    const prisma = await authorized.db.$prisma();
    return prisma.groupRole.findMany({ where: { id: { in: ids } }, ...withWorkspace });
  });
}

const withWorkspace = { include: { workspace: { select: { id: true, name: true } } } } as const;

/** A group of a provider, in the caller's account or a workspace of it. */
export interface GroupInput {
  /** The id of the provider. */
  provider: string;
  name: string;
  workspace?: string | null | undefined;
}

/**
 * Gives a role to a group. Its members get it at their next sign-in; those of a provisioned group get it at once.
 *
 * @throws 400 for an invalid name, or a provider that does not serve the account; 403 as for the list, or for an
 * inaccessible workspace; 409 `name_taken`; 409 `conflict` if the account has the maximum number of group roles.
 */
export async function createGroupRole(
  ctx: RequestContext,
  input: GroupInput & DryRun & { role: Role },
): Promise<GroupRole> {
  const authorized = requireAdmin(authorizeOwnAccount(ctx, 'admin'));
  const workspace = workspaceOf(authorized, input.workspace);
  readTogether({
    provider: () => requireGroupProvider(authorized, input.provider),
    name: () => requireGroup(input.name),
  });
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const { account, db } = within;
    // Serialize creations, so that concurrent ones cannot exceed the limit.
    await db.$executeRaw`SELECT FROM "account" WHERE "id" = ${account.id}::uuid FOR NO KEY UPDATE`;
    const count = await (await db.$prisma()).groupRole.count({ where: { accountId: account.id } });
    if (count >= groupRolesMax) {
      throw new ApiError('conflict', `An account can have at most ${groupRolesMax} group roles.`, {
        exceeded: { limit: groupRolesMax, actual: count + 1 },
      });
    }
    const now = ctx.now();
    const { provider, name, role } = input;
    const row = { id: newResourceId(now), version: 1, provider, name, role, createdAt: now, updatedAt: now };
    const insert = () =>
      db.$executeRaw`
        INSERT INTO "group_role" ("id", "account_id", "workspace_id", "provider", "name", "role", "created_at", "updated_at")
        VALUES (${row.id}::uuid, ${account.id}::uuid, ${workspace?.id ?? null}::uuid, ${provider}, ${name},
          ${role}::text::role, ${now}::timestamptz, ${now}::timestamptz)`;
    await insertNamed('group role', name, insert, 'name');
    const created: GroupRole = { ...row, workspace };
    const given = await membershipsOf(within, created);
    await recordChanges(within, [changeOf('created', created, undefined, created), ...given]);
    return created;
  });
}

/**
 * Changes the role of a group. Its members get it like a new one.
 *
 * @throws 403 as for the list; 404; 409 `version_mismatch`.
 */
export async function updateGroupRole(
  ctx: RequestContext,
  input: GroupInput & Conditions & { role: Role },
): Promise<GroupRole> {
  return changeLocked(ctx, input, async (within, before) => {
    const { role } = input;
    if (role === before.role) return before;
    const { id, version } = before;
    const after = { ...before, role, version: version + 1, updatedAt: ctx.now() };
    await (
      await within.db.$prisma()
    ).groupRole.update({
      where: { id },
      data: { role, version: after.version, updatedAt: after.updatedAt },
    });
    const given = await membershipsOf(within, after);
    await recordChanges(within, [changeOf('updated', after, before, after), ...given]);
    return after;
  });
}

/**
 * Takes the role from a group. Its members lose it as they got it.
 *
 * @returns the deleted group role.
 * @throws 403 as for the list; 404; 409 `version_mismatch`.
 */
export async function deleteGroupRole(ctx: RequestContext, input: GroupInput & Conditions): Promise<GroupRole> {
  return changeLocked(ctx, input, async (within, before) => {
    await (await within.db.$prisma()).groupRole.delete({ where: { id: before.id } });
    const given = await membershipsOf(within, before);
    await recordChanges(within, [changeOf('deleted', before, before, undefined), ...given]);
    return before;
  });
}

async function changeLocked(
  ctx: RequestContext,
  input: GroupInput & Conditions,
  change: (within: AuthorizedAccount, before: GroupRole) => Promise<GroupRole>,
): Promise<GroupRole> {
  const authorized = requireAdmin(authorizeOwnAccount(ctx, 'admin'));
  const workspace = workspaceOf(authorized, input.workspace);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const { account, db } = within;
    await db.$executeRaw`SELECT FROM "account" WHERE "id" = ${account.id}::uuid FOR NO KEY UPDATE`;
    // PostgreSQL cannot store NUL, so no group has such a name.
    const isPossible = !`${input.provider}${input.name}`.includes('\0');
    const { provider, name } = input;
    const where = { accountId: account.id, workspaceId: workspace?.id ?? null, provider, name };
    const row = isPossible ? await (await db.$prisma()).groupRole.findFirst({ where }) : null;
    if (row === null) throw notFound('group role', name.slice(0, groupNameLengthMax));
    await requireVersion(within, 'group role', row, input.ifVersion);
    return change(within, { ...row, workspace });
  });
}

/** A request that concerns an account. */
interface OfAccount {
  ctx: RequestContext;
  account: { name: string };
}

/** The providers that the operator has assigned to the account. */
export function providersOf({ ctx, account }: OfAccount): ProviderInfo[] {
  return ctx.signInProviders.filter(({ accounts }) => accounts.includes(account.name));
}

/** @throws 400 `invalid_parameter` for a provider that does not serve the account, whether it exists or not. */
export function requireProvider(request: OfAccount, id: string, field = 'provider'): void {
  const ids = providersOf(request).map((provider) => provider.id);
  if (ids.includes(id)) return;
  const rule =
    ids.length === 0 ? 'cannot be set: no identity provider serves this account' : `must be one of: ${ids.join(', ')}`;
  throw invalidParameter(field, rule);
}

/** @throws 400 like requireProvider(); the groups that SCIM provisions also have roles, if the account has any. */
function requireGroupProvider(authorized: AuthorizedAccount, id: string): void {
  const { ctx, account } = authorized;
  if (id === provisionedGroups && ctx.provisionedDomains?.has(account.name) === true) return;
  requireProvider(authorized, id);
}

/** Updates the memberships that a provisioned group gives. @returns the changes to record. */
async function membershipsOf(within: AuthorizedAccount, { provider, name }: GroupRole): Promise<NewChange[]> {
  return provider === provisionedGroups ? applyRolesOfGroup(within, name) : [];
}

function requireGroup(name: string): void {
  const read = nameForPeople(groupNameLengthMax).safeParse(name);
  if (read.success) return;
  const rule = read.error.issues[0]?.message ?? '';
  throw invalidInput([{ path: ['name'], code: 'invalid_format', message: `name ${rule}` }]);
}

function requireAdmin(authorized: AuthorizedAccount): AuthorizedAccount {
  return requireAccountAdmin(authorized, 'can manage its identity providers');
}

function workspaceOf(
  { account, caller }: AuthorizedAccount,
  name: string | null | undefined,
): { id: string; name: string } | null {
  if (name == null) return null;
  const workspace = caller.workspaces.get(name);
  if (workspace !== undefined && workspace.account.id === account.id) return { id: workspace.id, name };
  throw forbidden('The workspace does not exist, or this credential cannot access it.');
}

function changeOf(
  verb: Extract<ChangeAction, 'created' | 'updated' | 'deleted'>,
  { id, name, version, workspace }: GroupRole,
  before: GroupRole | undefined,
  after: GroupRole | undefined,
): NewChange {
  return {
    kind: 'GROUP_ROLE',
    verb,
    resourceId: id,
    workspaceId: workspace?.id,
    name,
    version,
    before: before && shown(before),
    after: after && shown(after),
    event: { type: verb, status: verb.toUpperCase(), message: `The role of the group ${name} was ${verb}.` },
  };
}

function shown({ provider, name, workspace, role }: GroupRole): object {
  return { provider, name, workspace: workspace?.name, role };
}
