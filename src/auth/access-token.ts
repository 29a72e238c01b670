// Access tokens are JWTs (RFC 9068): `typ` at+jwt, RS256, 15 minutes (decision 16). Algorithm, issuer and audience are
// pinned: the token's own header never decides how it is verified.
import { hash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Transaction } from '../database/open.js';
import { unauthorized } from '../errors.js';
import type { Encryption } from '../encryption.js';
import type { StoredCredential } from './caller-access.js';
import { currentSigningKey } from './signing-keys.js';
import type { VerificationKeys } from './signing-keys.js';

export const accessTokenLifeMinutes = 15;

const tokenType = 'at+jwt';
const algorithm = 'RS256';

export interface TokenSettings {
  issuer: string;
  audience: string;
}

const accessTokenClaims = z.object({
  jti: z.uuid(),
  sub: z.uuid(),
  iat: z.number(),
  exp: z.number(),
  scope: z.string(),
  account: z.uuid(),
  workspace: z.uuid().optional(),
});

export type AccessTokenClaims = z.output<typeof accessTokenClaims>;

export interface IssuedAccessToken {
  token: string;
  id: string;
  expiresAt: Date;
}

/** Signs a token for a principal and records it, so that it can be listed and revoked. */
export async function issueAccessToken(
  db: Transaction,
  encryption: Encryption,
  settings: TokenSettings,
  grant: StoredCredential & { scope: string; clientId: string; authorizationId?: string; now: Date },
): Promise<IssuedAccessToken> {
  const key = await currentSigningKey(db, encryption, grant.now);
  const id = randomUUID();
  const issuedAtSeconds = Math.floor(grant.now.getTime() / 1000);
  const expiresAtSeconds = issuedAtSeconds + accessTokenLifeMinutes * 60;
  const claims = {
    iss: settings.issuer,
    aud: settings.audience,
    sub: grant.principalId,
    client_id: grant.clientId,
    jti: id,
    iat: issuedAtSeconds,
    exp: expiresAtSeconds,
    scope: grant.scope,
    account: grant.accountId,
    ...(grant.workspaceId === null ? {} : { workspace: grant.workspaceId }),
  };
  const expiresAt = new Date(expiresAtSeconds * 1000);
  await db.accessToken.create({
    data: {
      id,
      principalId: grant.principalId,
      accountId: grant.accountId,
      workspaceId: grant.workspaceId,
      scope: grant.scope,
      clientId: grant.clientId,
      authorizationId: grant.authorizationId ?? null,
      issuedAt: new Date(issuedAtSeconds * 1000),
      expiresAt,
    },
  });
  const token = jwt.sign(claims, key.privateKey, {
    algorithm,
    header: { alg: algorithm, typ: tokenType, kid: key.kid },
  });
  return { token, id, expiresAt };
}

export interface AccessTokenVerifier {
  /** @throws 401 `unauthorized` for a token that is forged, expired, not yet valid, or for another audience. */
  verify: (token: string) => Promise<AccessTokenClaims>;
}

/** Returns a verifier that caches valid signatures. */
export function accessTokenVerifier(
  keys: VerificationKeys,
  settings: TokenSettings,
  now: () => Date,
): AccessTokenVerifier {
  const verified = new LRUCache<string, AccessTokenClaims>({ max: 10_000 });
  return {
    verify: async (token) => {
      const digest = hash('sha256', token, 'base64');
      const known = verified.get(digest);
      const claims = known ?? (await verifySignature(token));
      if (claims.exp * 1000 <= now().getTime()) throw unauthorized('The access token has expired.');
      if (known === undefined) verified.set(digest, claims);
      return claims;
    },
  };

  async function verifySignature(token: string): Promise<AccessTokenClaims> {
    const invalid = 'The credential is not an API key or access token of this service.';
    const header = decodedHeader(token);
    const isOurs = header?.alg === algorithm && header.typ?.toLowerCase() === tokenType;
    if (!isOurs || header.kid === undefined) throw unauthorized(invalid);
    const key = await keys.find(header.kid);
    if (key === undefined) throw unauthorized('The access token was signed with an unknown key.');
    try {
      const payload = jwt.verify(token, key, {
        algorithms: [algorithm],
        issuer: settings.issuer,
        audience: settings.audience,
        clockTimestamp: Math.floor(now().getTime() / 1000),
      });
      return accessTokenClaims.parse(payload);
    } catch (error) {
      if (error instanceof jwt.TokenExpiredError) throw unauthorized('The access token has expired.');
      if (error instanceof jwt.NotBeforeError) throw unauthorized('The access token is not valid yet.');
      if (error instanceof jwt.JsonWebTokenError || error instanceof z.ZodError) throw unauthorized(invalid);
      throw error;
    }
  }
}

const tokenHeader = z.object({ alg: z.string(), typ: z.string().optional(), kid: z.string().optional() });

/** Returns the header, unverified; undefined when the text is not a JWT. */
function decodedHeader(token: string): z.output<typeof tokenHeader> | undefined {
  try {
    return tokenHeader.safeParse(jwt.decode(token, { complete: true })?.header).data;
  } catch {
    // The text looks like a JWT, but its parts are not JSON.
    return undefined;
  }
}
