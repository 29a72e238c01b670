// What a token may carry: never more than was asked for, what the client is registered for, what the user
// agreed to, and what its owner's roles allow.
import type { Reach } from '../reach.js';
import { scopes } from '../scopes.js';
import { OauthError } from './oauth-error.js';

/** Scopes that are nothing in the hands of somebody who is an admin of no account and no workspace. */
export const adminRoleScopes: readonly string[] = [
  'apiKey:write',
  'workspaces:create',
  'workspaces:delete',
  'workspaces:invite',
  'workspaces:remove',
  'workspaces:update',
];

/** The names in a scope, each once, in the order of the specification; unknown ones are left out. */
export function scopeNames(scope: string): string[] {
  const given = new Set(scope.split(' '));
  return scopes.filter((name) => given.has(name));
}

/**
 * The scopes that a client asks for: all that it is registered for when it names none (RFC 6749, section 3.3).
 *
 * @throws `invalid_scope` for a scope that there is none of, and for one that the client is not registered for.
 */
export function requestedScopes(asked: string | undefined, registered: string): string[] {
  if (asked === undefined || asked.trim() === '') return scopeNames(registered);
  const names = asked.split(' ').filter((name) => name !== '');
  const unknown = names.find((name) => !scopes.includes(name));
  if (unknown !== undefined) throw new OauthError('invalid_scope', `There is no scope ${printable(unknown)}.`);
  const beyond = names.find((name) => !includesScope(registered, name));
  if (beyond !== undefined) throw new OauthError('invalid_scope', `This client may not ask for the scope ${beyond}.`);
  return scopeNames(names.join(' '));
}

/** Of some scopes those that an owner's roles allow. */
export function allowedScopes(names: string[], reach: Reach): string[] {
  const isAdmin =
    reach.accounts.some(({ role }) => role === 'admin') ||
    Array.from(reach.workspaces.values()).some(({ role }) => role === 'admin');
  return isAdmin ? names : names.filter((name) => !adminRoleScopes.includes(name));
}

/** Whether a scope includes another: `admin` includes all. */
export function includesScope(scope: string, name: string): boolean {
  const held = scope.split(' ');
  return held.includes('admin') || held.includes(name);
}

/** RFC 6749, section 5.2: a description holds no quotes, backslashes or control characters. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?').slice(0, 100);
}
