// Tokens of an identity provider that the operator trusts: JWTs, verified with the keys at its JWKS URL. One claim has
// the user, another the account. A token gives access to what the user has access to.
import { createHash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../database/open.js';
import { unauthorized } from '../errors.js';
import type { Caller } from './caller.js';
import { loadAccess } from './caller-access.js';
import { remoteKeys } from './remote-keys.js';
import { scopes } from './scopes.js';
import { canonicalUserName } from './user-name.js';

/** The accepted algorithms. A token with another one is rejected, whatever its key supports. */
const algorithms = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];

/** The accepted `typ` values: RFC 9068, section 2.1, and those of older providers. */
const tokenTypes = new Set(['at+jwt', 'application/at+jwt', 'jwt']);

/** How long a valid signature is cached (ms). It is short, because its key may be removed meanwhile. */
const verifiedAgeMsMax = 10_000;

/** Tolerance for differences between the clocks of both services. */
const clockSkewSeconds = 30;

export interface TrustedIssuerSettings {
  issuer: string;
  jwksUrl: string;
  audience: string;
  /** The claim with the name of a user or service account of this service. */
  userClaim: string;
  /** The claim with the name of an account; required for users with several accounts. */
  accountClaim: string;
  /** The id of the sign-in provider with the same issuer, for accounts that require a provider. */
  signInProvider: string | null;
  /** The scopes of a token without a scope claim. */
  defaultScopes: readonly string[];
}

export interface TrustedClaims {
  user: string;
  account: string | undefined;
  scopes: string[];
  expiresAt: Date;
  /** The id of the sign-in provider with the same issuer. */
  signInProvider: string | null;
  /** Identifies the token. */
  id: string;
}

export interface TrustedIssuer {
  /** Whether an unverified token claims to be from this issuer. */
  isIssuerOf: (token: string) => boolean;
  /** @throws 401 `unauthorized`; 503 `unavailable` when its key is unknown and cannot be fetched. */
  verify: (token: string) => Promise<TrustedClaims>;
}

export function createTrustedIssuer(settings: TrustedIssuerSettings, now: () => Date, log: Logger): TrustedIssuer {
  const keys = remoteKeys(settings.jwksUrl, log);
  const verified = new LRUCache<string, { claims: TrustedClaims; verifiedAtMs: number }>({ max: 10_000 });

  async function verifySignature(token: string, id: string): Promise<TrustedClaims> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header) => keys.find(header), {
        algorithms,
        issuer: settings.issuer,
        audience: settings.audience,
        requiredClaims: ['exp'],
        clockTolerance: clockSkewSeconds,
        currentDate: now(),
      });
      const { typ } = protectedHeader;
      if (typ !== undefined && !tokenTypes.has(typ.toLowerCase())) {
        throw unauthorized('The token of the trusted issuer is not an access token.');
      }
      return readClaims(settings, payload, id);
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthorized('The access token has expired.');
      if (error instanceof errors.JOSEError) throw unauthorized('The access token of the trusted issuer is not valid.');
      throw error;
    }
  }

  return {
    isIssuerOf: (token) => {
      try {
        return decodeJwt(token).iss === settings.issuer;
      } catch {
        // Not a JWT. Another authenticator handles it.
        return false;
      }
    },
    verify: async (token) => {
      const id = createHash('sha256').update(token).digest('base64url');
      const known = verified.get(id);
      const isFresh = known !== undefined && performance.now() - known.verifiedAtMs < verifiedAgeMsMax;
      const claims = isFresh ? known.claims : await verifySignature(token, id);
      if (claims.expiresAt.getTime() + clockSkewSeconds * 1000 <= now().getTime()) {
        throw unauthorized('The access token has expired.');
      }
      if (!isFresh) verified.set(id, { claims, verifiedAtMs: performance.now() });
      return claims;
    },
  };
}

/** Maps claims to a user, an account and scopes. @throws 401 `unauthorized` without a user. */
function readClaims(settings: TrustedIssuerSettings, payload: JWTPayload, id: string): TrustedClaims {
  const claim = payload[settings.userClaim];
  const user = typeof claim === 'string' ? canonicalUserName(claim) : undefined;
  if (user === undefined) {
    throw unauthorized(`The access token has no claim ${settings.userClaim} with the user name.`);
  }
  // With many providers, users can claim any email address. Only a verified one identifies a user.
  if (settings.userClaim === 'email' && payload['email_verified'] !== true) {
    throw unauthorized('The access token names an email address that its issuer has not verified.');
  }
  const account = payload[settings.accountClaim];
  return {
    user,
    account: typeof account === 'string' && account !== '' ? account : undefined,
    scopes: scopesOf(payload) ?? [...settings.defaultScopes],
    expiresAt: new Date((payload.exp ?? 0) * 1000),
    signInProvider: settings.signInProvider,
    id,
  };
}

/** Returns the scopes: `scope` as text (RFC 8693), or `scp` as text or a list. Unknown names are ignored. */
function scopesOf(payload: JWTPayload): string[] | undefined {
  const value = payload['scope'] ?? payload['scp'];
  if (value === undefined) return undefined;
  const names = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return scopes.filter((scope) => names.includes(scope));
}

/** @throws 401 `unauthorized` for an unknown or disabled user, and when the account is ambiguous. */
export async function loadTrustedCaller(db: Database, claims: TrustedClaims): Promise<Caller> {
  const principal = await db.principal.findUnique({
    where: { name: claims.user },
    include: { accounts: { include: { account: { select: { name: true } } } } },
  });
  if (principal === null) throw unauthorized('The user of this access token does not exist in this service.');
  const memberships = principal.accounts.filter(
    ({ account }) => claims.account === undefined || account.name === claims.account,
  );
  const [membership, ...others] = memberships;
  if (membership === undefined) throw unauthorized('The user of this access token is not a member of that account.');
  if (others.length > 0)
    throw unauthorized('The user of this access token is a member of several accounts. The token must name one.');
  const { accountId, principalId } = membership;
  const signIn = principal.kind === 'user' ? { provider: claims.signInProvider } : undefined;
  const access = await loadAccess(db, { principalId, accountId, workspaceId: null }, signIn);
  if (access === undefined) throw unauthorized('The owner of this access token is no longer active.');
  return {
    ...access,
    credential: {
      kind: 'access_token',
      id: claims.id,
      label: 'trusted issuer',
      expiresAt: new Date(claims.expiresAt.getTime() + clockSkewSeconds * 1000),
    },
    scopes: new Set(claims.scopes),
  };
}
