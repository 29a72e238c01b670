// Who the user of an access token is: OpenID Connect Core, section 5.3.
import { scopeRequired, unauthorized } from '../../errors.js';
import { loadReach } from '../reach.js';
import { includesScope } from '../scopes.js';
import { findAccessToken } from './token-state.js';
import type { TokenStateReader } from './token-state.js';

/** Section 5.1. What the token has no scope for is left out. */
export interface UserInfo {
  /** The same as in ID tokens, access tokens and introspection. */
  sub: string;
  name?: string;
  preferred_username?: string;
  email?: string;
  /** This service never asks an address whether it is its user's: whoever made the user said so. */
  email_verified?: false;
}

/** Every claim that an ID token or the user info can have. */
export const claimNames: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'iat',
  'exp',
  'auth_time',
  'nonce',
  'at_hash',
  'name',
  'preferred_username',
  'email',
  'email_verified',
];

/**
 * @param bearer an access token of this service.
 * @throws 401 `unauthorized` for anything else, and for one that has ended; 403 `forbidden` without the scope `openid`.
 */
export async function readUserInfo(
  reader: Pick<TokenStateReader, 'db' | 'verifier' | 'now'>,
  bearer: string,
): Promise<UserInfo> {
  const found = await findAccessToken(reader, bearer);
  const reach = found?.isLive === true ? await loadReach(reader.db, found) : undefined;
  if (found === undefined || reach === undefined) {
    throw unauthorized('The access token is invalid, expired or revoked.');
  }
  const { scope } = found;
  if (!includesScope(scope, 'openid')) throw scopeRequired('openid');
  const { id, name, displayName } = reach.principal;
  return {
    sub: id,
    ...(includesScope(scope, 'profile') ? { name: displayName ?? name, preferred_username: name } : {}),
    ...(includesScope(scope, 'email') && name.includes('@') ? { email: name, email_verified: false } : {}),
  };
}
