// Accounts and workspaces by name, for admins of the platform and operators. These functions do not authorize the caller.
import { tenantText } from '../changes/member-change.js';
import type { NamedTenant } from '../changes/member-change.js';
import type { Account, Workspace } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { ApiError, invalidRequest, notFound } from '../errors.js';

/** @throws 404 `not_found` */
export async function findAccount(db: Transaction, name: string): Promise<Account> {
  // PostgreSQL cannot store NUL, so no account has such a name.
  const account = name.includes('\0') ? null : await db.account.findUnique({ where: { name } });
  if (account === null) throw notFound('account', name);
  return account;
}

/** The error for a name that no member has. */
export function noMember(name: string, tenant: NamedTenant): ApiError {
  return new ApiError('not_found', `${name} is not a member of ${tenantText(tenant)}.`);
}

/** The names of an account and of a workspace. */
export interface NamedScope {
  account?: string | null | undefined;
  workspace?: string | null | undefined;
}

/** An account, and optionally one of its workspaces. */
export interface Tenant {
  account: Account;
  workspace: Workspace | undefined;
}

/**
 * Finds an account and workspace by name. If only a workspace is named, its account is returned too.
 *
 * @throws 400 `invalid_request` if neither is named, 404 `not_found`, 409 `conflict` if the workspace
 *   belongs to another account.
 */
export async function findTenant(db: Transaction, named: NamedScope): Promise<Tenant> {
  const account = named.account == null ? undefined : await findAccount(db, named.account);
  if (named.workspace == null) {
    if (account === undefined) throw invalidRequest('Name an account or a workspace.');
    return { account, workspace: undefined };
  }
  const workspace = named.workspace.includes('\0')
    ? null
    : await db.workspace.findUnique({ where: { name: named.workspace }, include: { account: true } });
  if (workspace === null) throw notFound('workspace', named.workspace);
  if (account !== undefined && account.id !== workspace.accountId) {
    throw new ApiError(
      'conflict',
      `The workspace ${workspace.name} belongs to the account ${workspace.account.name}, not to ${account.name}.`,
    );
  }
  return { account: workspace.account, workspace };
}
