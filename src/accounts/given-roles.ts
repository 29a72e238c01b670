// The memberships that the groups of an identity provider give. Only memberships that a provider gave change; those that
// people gave stay as they are. These functions do not authorize; their callers do.
import { roles } from '../auth/caller.js';
import type { Role } from '../auth/caller.js';
import { endGivenInvitations, endMembership, hasOtherAdmin, writeRoles } from '../auth/membership.js';
import type { MemberTenant } from '../auth/membership.js';
import { memberChange } from '../changes/member-change.js';
import type { MemberChange, NamedTenant } from '../changes/member-change.js';
import type { Transaction } from '../database/open.js';

/** The roles that the groups of a user give in an account, and in its workspaces by id. */
export interface WantedRoles {
  account: Role | undefined;
  workspaces: Map<string, Role>;
}

/** A user, and the roles that the user's groups give. */
export interface GivenRoles {
  user: { id: string; name: string };
  wanted: WantedRoles;
}

/** The higher of two roles. */
export function higherRole(one: Role | undefined, other: Role): Role {
  return one === undefined || roles.indexOf(other) < roles.indexOf(one) ? other : one;
}

interface Membership {
  tenant: MemberTenant;
  named: NamedTenant;
  role: Role;
  isGiven: boolean;
}

interface Memberships {
  inAccount: Membership | undefined;
  inWorkspaces: Membership[];
}

/** A change of one membership. */
interface Step extends Pick<Membership, 'tenant' | 'named'> {
  before: Role | undefined;
  after: Role | undefined;
}

type StepOfUser = Step & Pick<GivenRoles, 'user'>;

/**
 * Changes the memberships of users in an account, whose members are locked. The last admin of the account keeps the role.
 * The number of statements grows with the memberships that end and with the admins who lose the role; others are written
 * together.
 *
 * @returns the changes to record.
 */
export async function applyGivenRoles(
  tx: Transaction,
  account: { id: string; name: string },
  users: readonly GivenRoles[],
  now: Date,
): Promise<MemberChange[]> {
  const memberships = await membershipsOf(
    tx,
    account,
    users.map(({ user }) => user.id),
  );
  const named = await namedWorkspaces(tx, account, users);
  const steps = users.flatMap(({ user, wanted }) =>
    stepsOf(account, memberships.get(user.id), wanted, named).map((step) => ({ ...step, user })),
  );
  // First, because another user can be the last admin until then.
  const gained = steps.filter((step) => !isLoss(step));
  const written = gained.flatMap(({ tenant, user, after: role }) =>
    role === undefined ? [] : [{ ...tenant, principalId: user.id, role }],
  );
  await writeRoles(tx, written, now, 'provider');
  const changes: MemberChange[] = [];
  for (const step of steps) {
    if (isLoss(step) && !(await lose(tx, step, now))) continue;
    changes.push(memberChange(step.user, step.named, step.before, step.after));
  }
  return changes;
}

/** Whether a step ends a membership or the role of an admin. */
function isLoss({ before, after }: Step): boolean {
  return after === undefined || before === 'admin';
}

/** @returns false for the last admin of the account, who keeps the role. */
async function lose(tx: Transaction, { tenant, user, before, after }: StepOfUser, now: Date): Promise<boolean> {
  const isAdmin = before === 'admin' && tenant.workspaceId === null;
  if (isAdmin && !(await hasOtherAdmin(tx, tenant.accountId, user.id))) return false;
  if (after === undefined) await endMembership(tx, tenant, user.id, now);
  else {
    await endGivenInvitations(tx, tenant, user.id, now);
    await writeRoles(tx, [{ ...tenant, principalId: user.id, role: after }], now, 'provider');
  }
  return true;
}

/** The steps in the order of their records: lost and changed workspaces, then the account, then new workspaces. */
function stepsOf(
  account: { id: string; name: string },
  { inAccount, inWorkspaces }: Memberships = { inAccount: undefined, inWorkspaces: [] },
  wanted: WantedRoles,
  named: readonly { id: string; name: string }[],
): Step[] {
  const hasOwn = wanted.workspaces.size > 0 || inWorkspaces.some(({ isGiven }) => !isGiven);
  // A member of a workspace has to be a member of its account.
  const accountRole = wanted.account ?? (hasOwn ? 'member' : undefined);
  const held = new Set(inWorkspaces.map(({ tenant }) => tenant.workspaceId));
  const steps: Step[] = inWorkspaces
    .filter(({ isGiven }) => isGiven)
    .map(({ role, ...of }) => ({
      ...of,
      before: role,
      after: wanted.workspaces.get(of.tenant.workspaceId ?? ''),
    }));
  if (inAccount?.isGiven !== false) {
    steps.push({ ...tenantOf(account, undefined), before: inAccount?.role, after: accountRole });
  }
  for (const workspace of named) {
    const after = wanted.workspaces.get(workspace.id);
    if (after !== undefined && !held.has(workspace.id))
      steps.push({ ...tenantOf(account, workspace), before: undefined, after });
  }
  return steps.filter(({ before, after }) => before !== after);
}

function tenantOf(
  account: { id: string; name: string },
  workspace: { id: string; name: string } | undefined,
): Pick<Membership, 'tenant' | 'named'> {
  return {
    tenant: { accountId: account.id, workspaceId: workspace?.id ?? null },
    named: { account, workspace },
  };
}

/** The workspaces in which any of the users gets a role, by name. */
async function namedWorkspaces(
  tx: Transaction,
  account: { id: string },
  users: readonly GivenRoles[],
): Promise<{ id: string; name: string }[]> {
  const ids = new Set(users.flatMap(({ wanted }) => [...wanted.workspaces.keys()]));
  if (ids.size === 0) return [];
  return tx.workspace.findMany({
    where: { id: { in: [...ids] }, accountId: account.id },
    select: { id: true, name: true },
    orderBy: { name: 'asc' },
  });
}

interface MembershipRow {
  principalId: string;
  /** Null for the account. */
  workspaceId: string | null;
  workspaceName: string | null;
  role: Role;
  isGiven: boolean;
}

async function membershipsOf(
  tx: Transaction,
  account: { id: string; name: string },
  principalIds: string[],
): Promise<Map<string, Memberships>> {
  // Without joins of the ids: a plan for few rows would take minutes for a group with thousands of users.
  const rows = await tx.$queryRaw<MembershipRow[]>`
    SELECT m."principal_id"::text AS "principalId", m."role"::text AS "role", m."origin" = 'provider' AS "isGiven",
      NULL::text AS "workspaceId", NULL::text AS "workspaceName"
    FROM "account_member" AS m WHERE m."account_id" = ${account.id}::uuid AND m."principal_id" = ANY(${principalIds}::uuid[])
    UNION ALL
    SELECT m."principal_id"::text, m."role"::text, m."origin" = 'provider', w."id"::text, w."name"
    FROM "workspace" AS w JOIN "workspace_member" AS m ON m."workspace_id" = w."id"
    WHERE w."account_id" = ${account.id}::uuid AND m."principal_id" = ANY(${principalIds}::uuid[])
    ORDER BY "workspaceId"`;
  const byUser = new Map<string, Memberships>();
  const ofUser = (id: string): Memberships => {
    const known = byUser.get(id) ?? { inAccount: undefined, inWorkspaces: [] };
    byUser.set(id, known);
    return known;
  };
  for (const { principalId, workspaceId, workspaceName, role, isGiven } of rows) {
    if (workspaceId === null || workspaceName === null) {
      ofUser(principalId).inAccount = { ...tenantOf(account, undefined), role, isGiven };
    } else {
      const workspace = { id: workspaceId, name: workspaceName };
      ofUser(principalId).inWorkspaces.push({ ...tenantOf(account, workspace), role, isGiven });
    }
  }
  return byUser;
}
