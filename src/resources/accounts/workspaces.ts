// Workspaces as an operator sees them. Like those of accounts, these functions authorise nobody.
import type { Account, Workspace } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { ApiError, invalidRequest, notFound } from '../../errors.js';
import { findAccount } from './accounts.js';
import { insertNamed } from './taken-name.js';

export interface WorkspaceInput {
  name: string;
  displayName?: string | undefined;
  /** The account's name. */
  account: string;
}

export type WorkspaceOfAccount = Workspace & { account: Account };

/** @throws 404 `not_found` without the account, 409 `conflict` when any account has a workspace of that name. */
export async function createWorkspace(db: Database, input: WorkspaceInput): Promise<WorkspaceOfAccount> {
  const { name, displayName = null } = input;
  const account = await findAccount(db, input.account);
  return insertNamed('a workspace', name, () =>
    db.workspace.create({ data: { name, displayName, accountId: account.id }, include: { account: true } }),
  );
}

/** Workspaces by name, of every account or of one. @throws 404 `not_found` without the account. */
export async function listWorkspaces(db: Database, account?: string): Promise<WorkspaceOfAccount[]> {
  const where = account === undefined ? {} : { accountId: (await findAccount(db, account)).id };
  return db.workspace.findMany({ where, include: { account: true }, orderBy: { name: 'asc' } });
}

/** An account, and one of its workspaces if one is named. */
export interface Place {
  account: Account;
  workspace: Workspace | undefined;
}

/**
 * The place that names stand for. A workspace alone stands for its account, too.
 *
 * @throws 400 `invalid_request` when neither is named, 404 `not_found`, 409 `conflict` when the workspace
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
