// All users and service accounts, for operators. These functions do not authorize the caller.
import { endAuthorizations } from '../../auth/grants/authorization.js';
import type { Role } from '../../auth/caller.js';
import { memberChange } from '../../changes/member-change.js';
import type { Principal } from '../../database/client/client.js';
import type { Database, Transaction } from '../../database/open.js';
import { notFound } from '../../errors.js';
import { insertNamed } from '../../database/name-taken.js';
import { findTenant } from './find-tenant.js';
import { recordAsOperator } from './record-as-operator.js';
import type { OperatorChange } from './record-as-operator.js';

export type PrincipalKind = Principal['kind'];

export interface PrincipalInput {
  kind: PrincipalKind;
  /** A user's email address, or a service account's name. */
  name: string;
  displayName?: string | undefined;
  account?: string | undefined;
  /** Role in the account. Default: `member`. */
  role?: Role | undefined;
  workspace?: string | undefined;
  /** Role in the workspace. Default: `member`. */
  workspaceRole?: Role | undefined;
}

/**
 * Creates a principal with its memberships. A member of a workspace is also a member of its account.
 *
 * @throws 404 `not_found` without the account or workspace, 409 `conflict` if the name is taken.
 */
export async function createPrincipal(db: Database, input: PrincipalInput): Promise<Principal> {
  const { kind, name, displayName = null, role = 'member', workspaceRole = 'member' } = input;
  const isInTenant = input.account !== undefined || input.workspace !== undefined;
  const tenant = isInTenant ? await findTenant(db, input) : undefined;
  const accounts = tenant === undefined ? {} : { create: { accountId: tenant.account.id, role } };
  const workspaces =
    tenant?.workspace === undefined ? {} : { create: { workspaceId: tenant.workspace.id, role: workspaceRole } };
  const create = async (tx: Transaction): Promise<Principal> => {
    const principal = await tx.principal.create({ data: { kind, name, displayName, accounts, workspaces } });
    if (tenant === undefined) return principal;
    const { account, workspace } = tenant;
    await recordAsOperator(tx, account.id, principal.createdAt, [
      memberChange(principal, { account, workspace: undefined }, undefined, role),
      ...(workspace === undefined ? [] : [memberChange(principal, tenant, undefined, workspaceRole)]),
    ]);
    return principal;
  };
  return insertNamed('user or service account', name, () => db.$transaction(create));
}

export interface PrincipalWithRoles extends Principal {
  accounts: { account: { name: string }; role: Role }[];
  workspaces: { workspace: { name: string }; role: Role }[];
}

/** Principals of one kind with their memberships, by name. */
export async function listPrincipals(db: Database, kind: PrincipalKind): Promise<PrincipalWithRoles[]> {
  return db.principal.findMany({
    where: { kind },
    include: {
      accounts: { select: { role: true, account: { select: { name: true } } }, orderBy: { account: { name: 'asc' } } },
      workspaces: {
        select: { role: true, workspace: { select: { name: true } } },
        orderBy: { workspace: { name: 'asc' } },
      },
    },
    orderBy: { name: 'asc' },
  });
}

/**
 * Disables or enables a principal. While it is disabled, none of its credentials work. Its sessions, tokens and consents are
 * revoked permanently.
 *
 * @throws 404 `not_found`
 */
export async function setPrincipalDisabled(
  db: Database,
  which: { kind: PrincipalKind; name: string },
  disabledAt: Date | null,
  now: Date,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const [principal] = await tx.principal.updateManyAndReturn({ where: which, data: { disabledAt } });
    if (principal === undefined) throw notFound(which.kind === 'user' ? 'user' : 'service account', which.name);
    if (disabledAt !== null) await endSignIns(tx, principal.id, disabledAt);
    const { id, name } = principal;
    const message = disabledAt === null ? 'Enabled' : 'Disabled';
    await recordEverywhere(tx, id, now, { verb: 'updated', name, message });
  });
}

/**
 * Updates the name or display name of a principal. Absent fields stay. Changes that it made before stay under the old name.
 *
 * @throws 404 `not_found`, 409 `conflict` if the name is taken.
 */
export async function updatePrincipal(
  db: Database,
  which: { kind: PrincipalKind; name: string },
  changes: { name?: string | undefined; displayName?: string | undefined },
  now: Date,
): Promise<Principal> {
  const { id } = await requirePrincipal(db, which);
  const name = changes.name ?? which.name;
  return insertNamed('user or service account', name, () =>
    db.$transaction(async (tx) => {
      const before = await tx.principal.findUniqueOrThrow({ where: { id } });
      const { displayName = before.displayName } = changes;
      const after = await tx.principal.update({ where: { id }, data: { name, displayName } });
      const states = { before: shownPrincipal(before), after: shownPrincipal(after), message: 'Updated' };
      await recordEverywhere(tx, id, now, { verb: 'updated', name, ...states });
      return after;
    }),
  );
}

function shownPrincipal({ name, displayName }: Principal): object {
  return { name, displayName: displayName ?? undefined };
}

/**
 * Deletes a principal, and its memberships, keys, tokens, sessions, and the clients that act as it. Pending invitations for
 * its name end. The changes that it made stay in the change log.
 *
 * @throws 404 `not_found`
 */
export async function deletePrincipal(
  db: Database,
  which: { kind: PrincipalKind; name: string },
  now: Date,
): Promise<void> {
  const { id, name } = await requirePrincipal(db, which);
  await db.$transaction(async (tx) => {
    const accounts = await accountsOf(tx, id);
    await tx.invitation.updateMany({
      where: { status: 'pending', OR: [{ name }, { invitedById: id }] },
      data: { status: 'revoked', decidedAt: now },
    });
    await tx.principal.delete({ where: { id } });
    const change = { kind: 'USER', verb: 'deleted', resourceId: id, name, message: 'Deleted' } as const;
    for (const accountId of accounts) await recordAsOperator(tx, accountId, now, [change]);
  });
}

/** @throws 404 `not_found` */
export async function requirePrincipal(db: Database, which: { kind: PrincipalKind; name: string }): Promise<Principal> {
  const principal = await db.principal.findFirst({ where: which });
  if (principal === null) throw notFound(which.kind === 'user' ? 'user' : 'service account', which.name);
  return principal;
}

/** The change logs are locked in one order, to avoid deadlocks. */
async function accountsOf(tx: Transaction, principalId: string): Promise<string[]> {
  const rows = await tx.accountMember.findMany({ where: { principalId }, orderBy: { accountId: 'asc' } });
  return rows.map(({ accountId }) => accountId);
}

async function recordEverywhere(
  tx: Transaction,
  id: string,
  now: Date,
  change: Omit<OperatorChange, 'kind' | 'resourceId'>,
): Promise<void> {
  for (const accountId of await accountsOf(tx, id)) {
    await recordAsOperator(tx, accountId, now, [{ kind: 'USER', resourceId: id, ...change }]);
  }
}

async function endSignIns(tx: Transaction, principalId: string, now: Date): Promise<void> {
  await tx.signInSession.deleteMany({ where: { principalId } });
  await endAuthorizations(tx, { principalId }, now);
  await tx.accessToken.updateMany({ where: { principalId, revokedAt: null }, data: { revokedAt: now } });
}

/** @throws 404 `not_found` */
export async function findPrincipal(db: Database, name: string): Promise<Principal> {
  const principal = await db.principal.findUnique({ where: { name } });
  if (principal === null) throw notFound('user or service account', name);
  return principal;
}
