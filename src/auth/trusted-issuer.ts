// Tokens of an identity provider that the operator trusts beside this service: JWTs, by the keys at its JWKS
// address. One claim names the user, another the account; a token reaches what that user reaches, no more.
import { createHash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../database/open.js';
import { unauthorized } from '../errors.js';
import type { Caller } from './caller.js';
import { loadReach } from './reach.js';
import { remoteKeys } from './remote-keys.js';
import { scopes } from './scopes.js';
import { canonicalUserName } from './user-name.js';

/** A token that says something else of itself is refused, whatever its key is good for. */
const algorithms = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];

/** What an access token may say that it is: RFC 9068, section 2.1, and what providers say that are older than it. */
const tokenTypes = new Set(['at+jwt', 'application/at+jwt', 'jwt']);

/** How long a signature that was found good is not computed again: its key may have left meanwhile. */
const verifiedAgeMsMax = 10_000;

/** Clocks of two organisations differ a little. */
const clockSkewSeconds = 30;

export interface TrustedIssuerSettings {
  issuer: string;
  jwksUrl: string;
  audience: string;
  /** The claim that holds the name of a user or service account here. */
  userClaim: string;
  /** The claim that holds the name of an account here; needed by those who belong to several. */
  accountClaim: string;
  /** What a token may do that carries no scope at all. */
  defaultScopes: readonly string[];
}

export interface TrustedClaims {
  user: string;
  account: string | undefined;
  scopes: string[];
  expiresAt: Date;
  /** What tells one token from another. */
  id: string;
}

export interface TrustedIssuer {
  /** Whether a token says, unverified, that this issuer made it. */
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
        throw unauthorized('The token of the trusted issuer is no access token.');
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
        // It is no JWT: whoever reads other credentials refuses it.
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

/** The rule from claims to a user, an account and scopes. @throws 401 `unauthorized` without a user. */
function readClaims(settings: TrustedIssuerSettings, payload: JWTPayload, id: string): TrustedClaims {
  const claim = payload[settings.userClaim];
  const user = typeof claim === 'string' ? canonicalUserName(claim) : undefined;
  if (user === undefined) {
    throw unauthorized(`The access token has no claim ${settings.userClaim} that names a user.`);
  }
  // Anybody can claim an address at many providers; only one that was verified names somebody.
  if (settings.userClaim === 'email' && payload['email_verified'] !== true) {
    throw unauthorized('The access token names an email address that its issuer has not verified.');
  }
  const account = payload[settings.accountClaim];
  return {
    user,
    account: typeof account === 'string' && account !== '' ? account : undefined,
    scopes: scopesOf(payload) ?? [...settings.defaultScopes],
    expiresAt: new Date((payload.exp ?? 0) * 1000),
    id,
  };
}

/** RFC 8693 has `scope` as text; others have `scp` as text or a list. Names that are not ours are for others. */
function scopesOf(payload: JWTPayload): string[] | undefined {
  const value = payload['scope'] ?? payload['scp'];
  if (value === undefined) return undefined;
  const given = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return scopes.filter((scope) => given.includes(scope));
}

/** @throws 401 `unauthorized` for an unknown or disabled user, and one whose account cannot be told. */
export async function loadTrustedCaller(db: Database, claims: TrustedClaims): Promise<Caller> {
  const principal = await db.principal.findUnique({
    where: { name: claims.user },
    include: { accounts: { include: { account: { select: { name: true } } } } },
  });
  if (principal === null) throw unauthorized('The user of this access token is not known here.');
  const memberships = principal.accounts.filter(
    ({ account }) => claims.account === undefined || account.name === claims.account,
  );
  const [membership, ...others] = memberships;
  if (membership === undefined) throw unauthorized('The user of this access token belongs to no such account.');
  if (others.length > 0)
    throw unauthorized('The user of this access token belongs to several accounts: it must name one.');
  const { accountId, principalId } = membership;
  const reach = await loadReach(db, { principalId, accountId, workspaceId: null });
  if (reach === undefined) throw unauthorized('The owner of this access token is no longer active.');
  return {
    ...reach,
    credential: {
      kind: 'access_token',
      id: claims.id,
      label: 'trusted issuer',
      expiresAt: new Date(claims.expiresAt.getTime() + clockSkewSeconds * 1000),
    },
    scopes: new Set(claims.scopes),
  };
}
