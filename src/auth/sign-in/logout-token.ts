// Verifies logout tokens of a sign-in provider (OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6).
import { createHash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import { z } from 'zod';
import { OauthError } from '../grants/oauth-error.js';
import { remoteKeys } from '../remote-keys.js';
import type { RemoteKeys } from '../remote-keys.js';
import type { SignInProvider } from './provider.js';

/** Signatures with a shared secret, or none, are rejected. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Section 2.4 recommends the explicit type; older providers send the general one or none. */
const tokenTypes = ['logout+jwt', 'application/logout+jwt', 'jwt'];

/** The maximum age of a logout token. Its `jti` is stored for this time, so that it works once. */
const ageSecondsMax = 5 * 60;
const clockSkewSeconds = 30;

const event = 'http://schemas.openid.net/event/backchannel-logout';

/** PostgreSQL cannot store NUL. */
const text = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[^\0]*$/);
const claims = z.looseObject({
  jti: text,
  iat: z.number(),
  sub: text.optional(),
  sid: text.optional(),
  events: z.looseObject({ [event]: z.looseObject({}) }),
});

export interface Logout {
  /** The id of the provider. */
  provider: string;
  subject: string | undefined;
  sessionId: string | undefined;
  /** SHA-256 of the provider and the token's `jti`. */
  hash: Uint8Array<ArrayBuffer>;
  /** Until then the token could be used again. */
  expiresAt: Date;
}

export interface LogoutTokenVerifier {
  /** @throws 400 `invalid_request` for a token that is not a valid logout token of one of the providers. */
  verify: (token: string) => Promise<Logout>;
}

export function createLogoutTokenVerifier(
  providers: readonly SignInProvider[],
  now: () => Date,
  log: Logger,
): LogoutTokenVerifier {
  const keys = new Map<string, RemoteKeys>();

  function keysAt(jwksUrl: string): RemoteKeys {
    const known = keys.get(jwksUrl) ?? remoteKeys(jwksUrl, log);
    keys.set(jwksUrl, known);
    return known;
  }

  return {
    verify: async (token) => {
      const issuer = issuerIn(token);
      const provider = providers.find((each) => each.issuer === issuer);
      if (provider === undefined) throw invalid('It is not from a sign-in provider of this service.');
      const { clientId, jwksUrl } = await provider.logoutTokens();
      if (jwksUrl === undefined) throw invalid('Its provider publishes no keys.');
      try {
        const { payload, protectedHeader } = await jwtVerify(token, (header) => keysAt(jwksUrl).find(header), {
          algorithms,
          issuer: provider.issuer,
          audience: clientId,
          requiredClaims: ['iat', 'jti', 'events'],
          maxTokenAge: ageSecondsMax,
          clockTolerance: clockSkewSeconds,
          currentDate: now(),
        });
        const { typ } = protectedHeader;
        if (typ !== undefined && !tokenTypes.includes(typ.toLowerCase())) throw invalid('Its type is not logout+jwt.');
        return logoutIn(provider.id, payload);
      } catch (error) {
        if (error instanceof errors.JOSEError) throw invalid('Its signature or one of its claims is not valid.');
        throw error;
      }
    },
  };
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw invalid('It is not a JWT.');
    throw error;
  }
}

function logoutIn(provider: string, payload: Record<string, unknown>): Logout {
  // An ID token could otherwise be passed for a logout token (section 2.6).
  if ('nonce' in payload) throw invalid('It must not have the claim nonce.');
  const read = claims.safeParse(payload);
  if (!read.success) throw invalid('One of its claims is not valid.');
  const { jti, iat, sub, sid } = read.data;
  if (sub === undefined && sid === undefined) throw invalid('It has neither sub nor sid.');
  return {
    provider,
    subject: sub,
    sessionId: sid,
    hash: Uint8Array.from(
      createHash('sha256')
        .update(JSON.stringify([provider, jti]))
        .digest(),
    ),
    expiresAt: new Date((iat + ageSecondsMax + 2 * clockSkewSeconds) * 1000),
  };
}

function invalid(why: string): OauthError {
  return new OauthError('invalid_request', `The logout token is invalid. ${why}`);
}
