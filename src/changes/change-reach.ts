// Which changes a caller may see: what they could read of the things themselves, and of the account's frame nothing
// unless they are its admin.
import { authorizeOwnAccount } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { Scope } from '../auth/scopes.js';
import { oneOf } from './change-condition.js';
import type { ChangeCondition } from './change-condition.js';
import { allKinds, changeSubjects } from './change-words.js';
import type { ChangeKind } from './change-words.js';

export interface ChangeReach {
  accountId: string;
  /** What the caller sees all of: also what is in no workspace, or in one that is gone, and from where it was done. */
  isWholeAccount: boolean;
  /** What of the account's history they may see. */
  conditions: ChangeCondition[];
}

/** The right to read what the caller may see of their account's history. @throws 403 without any scope for it. */
export function authorizeChanges(ctx: RequestContext): { within: AuthorizedAccount; reach: ChangeReach } {
  const kinds = kindsSeenBy(ctx.caller);
  const [kind = 'AGENT'] = kinds;
  const within = authorizeOwnAccount(ctx, changeSubjects[kind].scope);
  const isWholeAccount = isAccountAdmin(ctx.caller);
  const workspaceIds = Array.from(ctx.caller.workspaces.values(), ({ id }) => id);
  return {
    within,
    reach: {
      accountId: within.account.id,
      isWholeAccount,
      conditions: [
        ...(kinds.length === allKinds.length ? [] : [oneOf('kind', kinds)]),
        ...(isWholeAccount ? [] : [oneOf('workspaceId', workspaceIds)]),
      ],
    },
  };
}

function kindsSeenBy(caller: Caller): ChangeKind[] {
  const isAdmin = isAccountAdmin(caller);
  const has = (scope: Scope) => caller.scopes.has('admin') || caller.scopes.has(scope);
  return allKinds.filter(
    (kind) => has(changeSubjects[kind].scope) && (isAdmin || changeSubjects[kind].isOfAccount !== true),
  );
}

function isAccountAdmin({ accounts, confinedTo }: Caller): boolean {
  return confinedTo === undefined && accounts[0]?.role === 'admin';
}
