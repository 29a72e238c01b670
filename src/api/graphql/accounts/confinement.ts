import { AccountType, WorkspaceType } from './accounts.js';
import { findAccessibleAccounts, findAccessibleWorkspaces } from '../../../accounts/accessible.js';
import type { ObjectFields } from '../builder.js';

/** The account, and possibly the workspace, that a credential is restricted to. */
interface Confined {
  accountId: string | null;
  workspaceId: string | null;
}

/** The same by their names. */
interface ConfinedByName {
  account: { name: string } | null;
  workspace: { name: string } | null;
}

/** The fields `accountName` and `workspaceName` of a credential, which admins of the platform see of any account. */
export function confinementNames<Item extends ConfinedByName>(t: ObjectFields<Item>) {
  return {
    accountName: t.string({
      description: 'Name of the account that the credential is restricted to, or null for the operator of the service.',
      resolve: ({ account }) => account?.name,
    }),
    workspaceName: t.string({
      description: 'Name of the workspace that the credential is restricted to, or null for the whole account.',
      resolve: ({ workspace }) => workspace?.name,
    }),
  };
}

/**
 * The fields `account` and `workspace` of a credential that is restricted to an account, or to one of its workspaces.
 *
 * @param none the meaning of a null workspace, such as "the whole account".
 */
export function confinementFields<Item extends Confined>(t: ObjectFields<Item>, none: string) {
  return {
    account: t.field({
      type: AccountType,
      description: 'The account that the credential is restricted to, or null for the operator of the service.',
      resolve: ({ accountId }, _args, ctx) => (accountId === null ? null : findAccessibleAccounts(ctx, [accountId])[0]),
    }),
    workspace: t.field({
      type: WorkspaceType,
      description: `The workspace that the credential is restricted to, or null for ${none}.`,
      resolve: ({ workspaceId }, _args, ctx) =>
        workspaceId === null ? null : findAccessibleWorkspaces(ctx, [workspaceId])[0],
    }),
  };
}
