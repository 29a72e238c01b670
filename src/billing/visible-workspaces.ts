import type { AuthorizedAccount } from '../auth/authorize.js';

/**
 * The workspaces whose usage a caller sees; absent for an account admin, who sees all of it (decision 36). A
 * credential that is confined to a workspace sees no other, whoever owns it.
 */
export function visibleWorkspaces({ caller, account }: AuthorizedAccount): string[] | undefined {
  if (account.role === 'admin' && caller.confinedTo === undefined) return undefined;
  return Array.from(caller.workspaces.values())
    .filter((workspace) => workspace.account.id === account.id)
    .map(({ name }) => name)
    .toSorted();
}
