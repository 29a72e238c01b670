import { isAccountAdmin } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';

/**
 * Returns the workspaces whose usage the caller sees; undefined for an account admin, who sees all usage (decision 36).
 * A credential confined to a workspace sees only that workspace, even if its owner is an account admin.
 */
export function visibleWorkspaces(authorized: AuthorizedAccount): string[] | undefined {
  if (isAccountAdmin(authorized)) return undefined;
  const { caller, account } = authorized;
  return Array.from(caller.workspaces.values())
    .filter((workspace) => workspace.account.id === account.id)
    .map(({ name }) => name)
    .toSorted();
}
