import type { ObjectFieldBuilder } from '@pothos/core';
import type { builder } from '../builder.js';
import { AccountType, WorkspaceType } from './accounts.js';
import { findReachableAccounts, findReachableWorkspaces } from '../../../accounts/reachable.js';

type Types = (typeof builder)['$inferSchemaTypes'];

/** What a credential is confined to. */
interface Confined {
  accountId: string | null;
  workspaceId: string | null;
}

/**
 * The fields `account` and `workspace` of what is confined to an account, or to one workspace of it.
 *
 * @param none what its workspace being null means, such as "all of the account".
 */
export function confinementFields<Item extends Confined>(t: ObjectFieldBuilder<Types, Item>, none: string) {
  return {
    account: t.field({
      type: AccountType,
      description: 'The account to which it is confined.',
      resolve: ({ accountId }, _args, ctx) => (accountId === null ? null : findReachableAccounts(ctx, [accountId])[0]),
    }),
    workspace: t.field({
      type: WorkspaceType,
      description: `The workspace to which it is confined; null for ${none}.`,
      resolve: ({ workspaceId }, _args, ctx) =>
        workspaceId === null ? null : findReachableWorkspaces(ctx, [workspaceId])[0],
    }),
  };
}
