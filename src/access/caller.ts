import type { RequestContext } from '../context.js';
import { ApiError, forbidden } from '../errors.js';
import type { Scope } from './scopes.js';

export type Role = 'admin' | 'member';

export interface ReachableAccount {
  id: string;
  name: string;
  displayName: string | undefined;
  plan: string;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

export interface ReachableWorkspace {
  id: string;
  name: string;
  displayName: string | undefined;
  account: ReachableAccount;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

/** Who is calling, and all that the credential lets them reach. */
export interface Caller {
  principal: { id: string; kind: 'user' | 'service_account'; name: string; displayName: string | undefined };
  credential: { kind: 'api_key' | 'access_token'; id: string; expiresAt: Date | undefined };
  /** What the token was given. An API key is not narrowed: it counts as `admin` (decision 17). */
  scopes: ReadonlySet<string>;
  accounts: ReachableAccount[];
  /** The id of the workspace that the credential is confined to, if it is confined. */
  confinedTo: string | undefined;
  /** By name. */
  workspaces: ReadonlyMap<string, ReachableWorkspace>;
}

/** Refuses with 403 `forbidden` unless the credential carries the scope, or `admin`. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has('admin') || caller.scopes.has(scope)) return;
  throw forbidden(`This credential lacks the scope ${scope}.`);
}

/**
 * The workspace of a request: the one that is named, else the one of the header, else the only one that
 * the caller reaches (decision 3).
 *
 * @throws 403 `forbidden` without the scope, and for a workspace that is unknown or out of reach, alike.
 * @throws 400 `workspace_required` when none is named and the caller reaches several.
 */
export function authorizeWorkspace(ctx: RequestContext, scope: Scope, named?: string | null): ReachableWorkspace {
  requireScope(ctx.caller, scope);
  const name = named ?? ctx.workspaceName;
  if (name !== undefined) {
    const workspace = ctx.caller.workspaces.get(name);
    if (workspace === undefined) throw forbidden('There is no such workspace within reach of this credential.');
    return workspace;
  }
  const [only, ...others] = ctx.caller.workspaces.values();
  if (only === undefined) throw forbidden('This credential reaches no workspace.');
  if (others.length > 0) {
    throw new ApiError(
      'workspace_required',
      'This credential reaches several workspaces: name one in the workspace header.',
    );
  }
  return only;
}
