// The UserInfo endpoint (OpenID Connect Core, section 5.3).
import { scopeRequired, unauthorized } from '../../errors.js';
import { loadAccess } from '../caller-access.js';
import { includesScope } from '../scopes.js';
import { findAccessToken } from './token-state.js';
import type { TokenStateReader } from './token-state.js';

/** Section 5.1. Claims outside the token's scope are left out. */
export interface UserInfo {
  /** The same as in ID tokens, access tokens and introspection. */
  sub: string;
  name?: string;
  preferred_username?: string;
  email?: string;
  /** Always false: this service does not verify email addresses. */
  email_verified?: false;
}

/** All claims of ID tokens and UserInfo. */
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
 * @throws 401 `unauthorized` for any other or an invalid token; 403 `forbidden` without the scope `openid`.
 */
export async function readUserInfo(
  reader: Pick<TokenStateReader, 'db' | 'verifier' | 'now'>,
  bearer: string,
): Promise<UserInfo> {
  const found = await findAccessToken(reader, bearer);
  const access = found?.isLive === true ? await loadAccess(reader.db, found, found.signIn) : undefined;
  if (found === undefined || access === undefined) {
    throw unauthorized('The access token is invalid, expired or revoked.');
  }
  const { scope } = found;
  if (!includesScope(scope, 'openid')) throw scopeRequired('openid');
  const { id, name, displayName } = access.principal;
  return {
    sub: id,
    ...(includesScope(scope, 'profile') ? { name: displayName ?? name, preferred_username: name } : {}),
    ...(includesScope(scope, 'email') && name.includes('@') ? { email: name, email_verified: false } : {}),
  };
}
