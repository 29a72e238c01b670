// ID tokens, which tell a client who signed in and when (OpenID Connect Core, section 2). They are not accepted by the
// API, because type (`typ`) and audience differ from access tokens.
import { createHash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Transaction } from '../../database/open.js';
import type { Encryption } from '../../encryption.js';
import { accessTokenLifeMinutes } from '../access-token.js';
import type { TokenSettings } from '../access-token.js';
import { currentSigningKey } from '../signing-keys.js';

export const idTokenAlgorithm = 'RS256';

export interface SignIn {
  principalId: string;
  clientId: string;
  /** When the user signed in; null for old authorizations, which did not record it. */
  signedInAt: Date | null;
  /** From the authorization request; a refreshed ID token has none (section 12.2). */
  nonce: string | undefined;
  /** The access token issued together with it. */
  accessToken: string;
  now: Date;
}

/** Signs an ID token with the lifetime of the access token. */
export async function signIdToken(
  db: Transaction,
  encryption: Encryption,
  { issuer }: TokenSettings,
  { principalId, clientId, signedInAt, nonce, accessToken, now }: SignIn,
): Promise<string> {
  const { kid, privateKey } = await currentSigningKey(db, encryption, now);
  const issuedAtSeconds = secondsOf(now);
  const claims = {
    iss: issuer,
    sub: principalId,
    aud: clientId,
    iat: issuedAtSeconds,
    exp: issuedAtSeconds + accessTokenLifeMinutes * 60,
    at_hash: accessTokenHash(accessToken),
    ...(signedInAt === null ? {} : { auth_time: secondsOf(signedInAt) }),
    ...(nonce === undefined ? {} : { nonce }),
  };
  return jwt.sign(claims, privateKey, { algorithm: idTokenAlgorithm, keyid: kid });
}

/** Returns `at_hash`: the left half of the access token's SHA-256 (OpenID Connect Core, section 3.1.3.6). */
function accessTokenHash(accessToken: string): string {
  return createHash('sha256').update(accessToken, 'ascii').digest().subarray(0, 16).toString('base64url');
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
