// Computes the scope of a token: the intersection of the requested scope, the client's registration, the user's
// agreement and the owner's roles.
import type { CallerAccess } from '../caller-access.js';
import { grantableNames, includesScope, isChangingScope, knownScopes } from '../scopes.js';
import { OauthError } from './oauth-error.js';

/** Scopes without effect for a user who is admin of no account and no workspace. */
export const adminRoleScopes: readonly string[] = [
  'apiKey:write',
  'workspaces:create',
  'workspaces:delete',
  'workspaces:invite',
  'workspaces:remove',
  'workspaces:update',
];

/**
 * Returns the requested scopes; without a request all registered ones (RFC 6749, section 3.3). Leaves out scopes that
 * have no effect in this product, and unknown scopes beside `openid`, such as `offline_access` (OpenID Connect Core,
 * section 3.1.2.1).
 *
 * @throws `invalid_scope` for a scope that is unknown or not registered, and when none is left.
 */
export function requestedScopes(requested: string | undefined, registered: string): string[] {
  const names = namedScopes(requested, registered);
  const grantable = grantableNames(names.join(' '));
  if (grantable.length > 0) return grantable;
  throw new OauthError('invalid_scope', 'None of the requested scopes grants access in this service.');
}

function namedScopes(requested: string | undefined, registered: string): string[] {
  if (requested === undefined || requested.trim() === '') return registered.split(' ');
  const all = requested.split(' ').filter((name) => name !== '');
  const names = all.filter((name) => knownScopes.includes(name));
  const unknown = all.find((name) => !names.includes(name));
  const isOpenId = names.includes('openid') && includesScope(registered, 'openid');
  if (unknown !== undefined && !isOpenId)
    throw new OauthError('invalid_scope', `There is no scope ${unknown.slice(0, 100)}.`);
  const beyond = names.find((name) => !includesScope(registered, name));
  if (beyond !== undefined) throw new OauthError('invalid_scope', `This client cannot request the scope ${beyond}.`);
  return names;
}

/** Returns the scopes that an owner's roles allow. */
export function allowedScopes(names: string[], access: CallerAccess): string[] {
  const isAdmin =
    access.accounts.some(({ role }) => role === 'admin') ||
    Array.from(access.workspaces.values()).some(({ role }) => role === 'admin');
  if (isAdmin) return names;
  const allowed = names.filter((name) => !adminRoleScopes.includes(name));
  const roles = [...access.accounts, ...access.workspaces.values()].map(({ role }) => role);
  return roles.every((role) => role === 'viewer') ? allowed.filter((name) => !isChangingScope(name)) : allowed;
}
