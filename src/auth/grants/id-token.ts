// ID tokens: what tells a client who signed in, and when. OpenID Connect Core, section 2. They open nothing here: an
// access token is of another type (`typ`) and for another audience.
import { createHash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Transaction } from '../../database/open.js';
import type { Seal } from '../../encryption.js';
import { accessTokenLifeMinutes } from '../access-token.js';
import type { TokenSettings } from '../access-token.js';
import { currentSigningKey } from '../signing-keys.js';

export const idTokenAlgorithm = 'RS256';

export interface SignIn {
  principalId: string;
  clientId: string;
  /** When the user signed in; null for what was granted before that was kept. */
  signedInAt: Date | null;
  /** Of the authorization request; a refreshed ID token has none (section 12.2). */
  nonce: string | undefined;
  /** The access token that it comes with. */
  accessToken: string;
  now: Date;
}

/** Signs an ID token, which lives as long as the access token beside it. */
export async function signIdToken(
  db: Transaction,
  seal: Seal,
  { issuer }: TokenSettings,
  { principalId, clientId, signedInAt, nonce, accessToken, now }: SignIn,
): Promise<string> {
  const { kid, privateKey } = await currentSigningKey(db, seal, now);
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

/** The left half of the SHA-256 of an access token: OpenID Connect Core, section 3.1.3.6. */
function accessTokenHash(accessToken: string): string {
  return createHash('sha256').update(accessToken, 'ascii').digest().subarray(0, 16).toString('base64url');
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
