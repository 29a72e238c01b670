// All workspaces, for operators. These functions do not authorize the caller.
import { holdingTables } from '../../accounts/workspace-deletion.js';
import { Prisma } from '../../database/client/client.js';
import type { Account, Workspace } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { ApiError, invalidRequest, notFound } from '../../errors.js';
import { findAccount } from './all-accounts.js';
import { insertNamed } from '../../database/taken-name.js';
import { recordAsOperator } from './record-as-operator.js';

export interface WorkspaceInput {
  name: string;
  displayName?: string | undefined;
  /** The account's name. */
  account: string;
}

export type WorkspaceOfAccount = Workspace & { account: Account };

/** @throws 404 `not_found` without the account, 409 `conflict` if any account has a workspace of that name. */
export async function createWorkspace(db: Database, input: WorkspaceInput): Promise<WorkspaceOfAccount> {
  const { name, displayName = null } = input;
  const account = await findAccount(db, input.account);
  return insertNamed('a workspace', name, () =>
    db.workspace.create({ data: { name, displayName, accountId: account.id }, include: { account: true } }),
  );
}

/** Workspaces of all accounts or of one, by name. @throws 404 `not_found` without the account. */
export async function listWorkspaces(db: Database, account?: string): Promise<WorkspaceOfAccount[]> {
  const where = account === undefined ? {} : { accountId: (await findAccount(db, account)).id };
  return db.workspace.findMany({ where, include: { account: true }, orderBy: { name: 'asc' } });
}

/** Updates the display name of a workspace. @throws 404 `not_found` */
export async function updateWorkspace(
  db: Database,
  name: string,
  { displayName }: { displayName?: string | undefined },
  now: Date,
): Promise<void> {
  const { workspace } = await findPlace(db, { workspace: name });
  const id = workspace?.id ?? '';
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT "id" FROM "workspace" WHERE "id" = ${id}::uuid FOR NO KEY UPDATE`;
    const before = await tx.workspace.findUniqueOrThrow({ where: { id } });
    if (displayName === undefined || displayName === before.displayName) return;
    const data = { displayName, version: before.version + 1, updatedAt: now };
    const after = await tx.workspace.update({ where: { id }, data });
    const change = { kind: 'WORKSPACE', verb: 'updated', resourceId: id, workspaceId: id, name } as const;
    const states = { before: shownWorkspace(before), after: shownWorkspace(after), message: 'Updated' };
    await recordAsOperator(tx, before.accountId, now, [{ ...change, ...states }]);
  });
}

function shownWorkspace({ name, displayName }: Workspace): object {
  return { metadata: { name, displayName: displayName ?? undefined } };
}

/**
 * Deletes an empty workspace, and the memberships, keys, clients and tokens that are restricted to it.
 *
 * @throws 404 `not_found`, 409 `not_deletable` if it is not empty. An admin of its account can delete it.
 */
export async function deleteWorkspace(db: Database, name: string, now: Date): Promise<void> {
  const { account, workspace } = await findPlace(db, { workspace: name });
  const id = workspace?.id ?? '';
  await db.$transaction(async (tx) => {
    // From here on, nothing can be created in it, because that locks the workspace first.
    await tx.$queryRaw`SELECT "id" FROM "workspace" WHERE "id" = ${id}::uuid FOR UPDATE`;
    const counts = holdingTables.map(
      ([table]) => Prisma.sql`SELECT ${table}::text AS "what" WHERE EXISTS (
        SELECT FROM ${Prisma.raw(`"${table}"`)} WHERE "workspace_id" = ${id}::uuid)`,
    );
    const held = await tx.$queryRaw<{ what: string }[]>(Prisma.join(counts, ' UNION ALL '));
    if (held.length > 0) {
      const told = held.map(({ what }) => what.replaceAll('_', ' ')).join(', ');
      const message = `The workspace ${name} is not empty (${told}). An admin of the account can delete it with deleteWorkspace.`;
      throw new ApiError('not_deletable', message);
    }
    await tx.workspace.delete({ where: { id } });
    const change = { kind: 'WORKSPACE', verb: 'deleted', resourceId: id, workspaceId: id, name } as const;
    await recordAsOperator(tx, account.id, now, [{ ...change, message: 'Deleted' }]);
  });
}

/** An account, and optionally one of its workspaces. */
export interface Place {
  account: Account;
  workspace: Workspace | undefined;
}

/**
 * Finds an account and workspace by name. If only a workspace is named, its account is returned too.
 *
 * @throws 400 `invalid_request` if neither is named, 404 `not_found`, 409 `conflict` if the workspace
 *   belongs to another account.
 */
export async function findPlace(
  db: Database,
  named: { account?: string | undefined; workspace?: string | undefined },
): Promise<Place> {
  const account = named.account === undefined ? undefined : await findAccount(db, named.account);
  if (named.workspace === undefined) {
    if (account === undefined) throw invalidRequest('Name an account or a workspace.');
    return { account, workspace: undefined };
  }
  const workspace = await db.workspace.findUnique({ where: { name: named.workspace }, include: { account: true } });
  if (workspace === null) throw notFound('workspace', named.workspace);
  if (account !== undefined && account.id !== workspace.accountId) {
    throw new ApiError(
      'conflict',
      `The workspace ${workspace.name} belongs to the account ${workspace.account.name}, not to ${account.name}.`,
    );
  }
  return { account: workspace.account, workspace };
}
