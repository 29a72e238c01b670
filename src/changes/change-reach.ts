// Which changes a caller may see: what they could read of the things themselves, and of the account's frame nothing
// unless they are its admin.
import { authorizeOwnAccount } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { Scope } from '../auth/scopes.js';
import { oneOf } from './change-condition.js';
import type { ChangeCondition } from './change-condition.js';
import type { ChangeKind } from './change-words.js';

/** The scope that reads the changes of a kind: the one by which `node` reads one of it. */
export const scopesByKind = {
  AGENT: 'agents:get',
  SANDBOX: 'sandboxes:get',
  SANDBOX_PREVIEW: 'admin',
  AGENT_INVOCATION: 'agents:get',
  JOB: 'jobs:get',
  JOB_EXECUTION: 'admin',
  VOLUME: 'volumes:get',
  VPC: 'admin',
  EGRESS_GATEWAY: 'admin',
  EGRESS_IP: 'admin',
  IMAGE: 'admin',
  IMAGE_TAG: 'admin',
  IMAGE_SHARE: 'admin',
  WORKSPACE: 'workspaces:get',
  ACCOUNT: 'admin',
  API_KEY: 'apiKey:list',
  OAUTH_CLIENT: 'admin',
  MEMBER: 'admin',
  INVITATION: 'invitations:list',
  USER: 'admin',
  SIGN_IN: 'admin',
  ACCESS: 'admin',
  USAGE: 'admin',
  BUDGET: 'admin',
  BILLING_DIMENSION: 'admin',
  RESOURCE_TYPE: 'admin',
  PRICE: 'admin',
  WEBHOOK: 'admin',
  GONE: 'admin',
} as const satisfies Record<ChangeKind, Scope>;

/** Who may come in, and by what: the business of the account's admins, in whichever workspace it is. */
export const accountKinds: ReadonlySet<ChangeKind> = new Set([
  'ACCOUNT',
  'API_KEY',
  'OAUTH_CLIENT',
  'MEMBER',
  'INVITATION',
  'USER',
  'SIGN_IN',
  'ACCESS',
]);

const isKind = (word: string): word is ChangeKind => word in scopesByKind;
export const allKinds = Object.keys(scopesByKind).filter(isKind);

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
  const within = authorizeOwnAccount(ctx, scopesByKind[kind]);
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
  return allKinds.filter((kind) => has(scopesByKind[kind]) && (isAdmin || !accountKinds.has(kind)));
}

function isAccountAdmin({ accounts, confinedTo }: Caller): boolean {
  return confinedTo === undefined && accounts[0]?.role === 'admin';
}
