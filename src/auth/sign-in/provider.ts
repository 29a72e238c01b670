// Sign-in with an OpenID provider of the operator (OpenID Connect Core, section 3.1, with PKCE, using openid-client).
// One claim has the name of the user.
import * as openid from 'openid-client';
import type { Logger } from 'pino';
import { unavailable } from '../../errors.js';
import { canonicalUserName } from '../user-name.js';
import { emailDomain, isPlainAddress } from './email-domain.js';

/** How long the provider's discovery document is cached (ms). */
const discoveredAgeMsMax = 60 * 60_000;
const answerSecondsMax = 5;

/** The maximum number of groups of a user. A larger list is an error of the provider's configuration. */
const groupsMax = 1_000;

export interface ProviderSettings {
  /** Identifies the provider in this service. */
  id: string;
  /** The issuer of the provider. */
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** The label of the sign-in button. */
  name: string;
  scope: string;
  /** The claim with the user's name in this service. */
  userClaim: string;
  /** The claim with the names of the user's groups. */
  groupsClaim: string;
  /** The email domains whose users it signs in; undefined for all that belong to no other provider. */
  domains: readonly string[] | undefined;
  /** The email domains for which the first sign-in creates the user. */
  createsUsersOf: readonly string[];
  /** The names of the accounts whose admins can map its groups to roles, and can require it. */
  accounts: readonly string[];
}

/** What the API shows of a provider. */
export type ProviderInfo = Omit<ProviderSettings, 'clientId' | 'clientSecret' | 'scope' | 'userClaim'>;

/** The sign-in options passed to the provider. */
export interface SignInDemands {
  prompt: 'login' | 'select_account' | undefined;
  loginHint: string | undefined;
}

/** The secrets of one sign-in (state of the redirect), kept until the browser returns. */
export interface ProviderTrip {
  nonce: string;
  verifier: string;
  maxAgeSeconds: number | undefined;
}

/** Why the provider's response is rejected. `reason` is for the log, the message for the user. */
export class ProviderRefusal extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'ProviderRefusal';
    this.reason = reason;
  }
}

export interface SignInProvider extends ProviderInfo {
  /** Returns the authorization URL. @throws 503 `unavailable` when the provider cannot be reached. */
  authorizationUrl: (trip: ProviderTrip, state: string, callback: string, demands: SignInDemands) => Promise<URL>;
  /**
   * Returns the user that the provider authenticated.
   *
   * @param callback the URL that the browser returned to, with the provider's parameters.
   * @throws {ProviderRefusal}; 503 `unavailable` when the provider cannot be reached.
   */
  identify: (trip: ProviderTrip, state: string, callback: URL) => Promise<ProviderUser>;
  /** What logout tokens of the provider are verified with. @throws 503 `unavailable` when it cannot be reached. */
  logoutTokens: () => Promise<{ clientId: string; jwksUrl: string | undefined }>;
}

/** A session at a provider, from which a session or an authorization of this service follows. */
export interface ProviderSession {
  /** The id of the provider. */
  provider: string;
  /** The user's id at the provider (`sub`). */
  subject: string;
  /** The id of the session at the provider (`sid`), if it has one. */
  sessionId: string | null;
}

export interface ProviderUser {
  /** In its canonical form. */
  name: string;
  /** Whether the provider has verified that the name is an email address of the user, in a form without look-alikes. */
  isVerifiedAddress: boolean;
  /** When the user authenticated, if the provider says so. */
  signedInAt: Date | undefined;
  groups: readonly string[];
  session: ProviderSession;
}

export function createTrip(maxAgeSeconds: number | undefined): ProviderTrip {
  return { nonce: openid.randomNonce(), verifier: openid.randomPKCECodeVerifier(), maxAgeSeconds };
}

export function createSignInProvider(settings: ProviderSettings, log: Logger): SignInProvider {
  const { clientId, clientSecret: _secret, scope, userClaim: _claim, ...info } = settings;
  const configuration = discoveredConfiguration(settings, log);
  return {
    ...info,
    authorizationUrl: async (trip, state, callback, { prompt, loginHint }) =>
      openid.buildAuthorizationUrl(await configuration(), {
        redirect_uri: callback,
        scope,
        state,
        nonce: trip.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(trip.verifier),
        code_challenge_method: 'S256',
        ...(prompt === undefined ? {} : { prompt }),
        ...(trip.maxAgeSeconds === undefined ? {} : { max_age: String(trip.maxAgeSeconds) }),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      }),
    identify: async (trip, state, callback) => {
      const known = await configuration();
      try {
        return await identify(settings, known, { ...trip, state }, callback);
      } catch (error) {
        throw refusalFrom(error, log);
      }
    },
    logoutTokens: async () => ({ clientId, jwksUrl: (await configuration()).serverMetadata().jwks_uri }),
  };
}

/** Caches discovery for an hour. Concurrent requests share one. */
function discoveredConfiguration(settings: ProviderSettings, log: Logger): () => Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  let known: { configuration: Promise<openid.Configuration>; atMs: number } | undefined;
  return async () => {
    if (known === undefined || performance.now() - known.atMs > discoveredAgeMsMax) {
      const authentication = clientSecret === undefined ? openid.None() : undefined;
      const configuration = openid.discovery(new URL(issuer), clientId, clientSecret, authentication, {
        timeout: answerSecondsMax,
        // Verify the signature even though the ID token comes from the provider itself: TLS may end at a proxy.
        execute: [openid.enableNonRepudiationChecks, ...(isPlain ? [openid.allowInsecureRequests] : [])],
      });
      known = { configuration, atMs: performance.now() };
    }
    const parameters = known;
    try {
      return await parameters.configuration;
    } catch (error) {
      if (known === parameters) known = undefined;
      log.warn({ err: error, issuer }, 'cannot fetch the metadata of the sign-in provider');
      throw unavailable('The sign-in provider does not respond. Try again.', error);
    }
  };
}

async function identify(
  settings: ProviderSettings,
  configuration: openid.Configuration,
  { state, nonce, verifier, maxAgeSeconds }: ProviderTrip & { state: string },
  callback: URL,
): Promise<ProviderUser> {
  const { id, userClaim, groupsClaim, accounts } = settings;
  const tokens = await openid.authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
    ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new ProviderRefusal('no ID token', 'The sign-in provider did not identify you.');
  const readsGroups = accounts.length > 0;
  const lacks = claims[userClaim] === undefined || (readsGroups && claims[groupsClaim] === undefined);
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  // Some providers return these claims only from UserInfo (OpenID Connect Core, section 5.4).
  const more =
    lacks && hasUserInfo ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  const userClaims = claims[userClaim] === undefined ? more : claims;
  const elsewhere = { _claim_names: claims['_claim_names'] };
  const groups = claims[groupsClaim] === undefined ? { ...elsewhere, ...more } : claims;
  const { auth_time: seconds, sid } = claims;
  // PostgreSQL cannot store NUL.
  if (claims.sub.includes('\0') || String(sid).includes('\0')) {
    throw new ProviderRefusal('NUL', 'The sign-in provider did not identify you.');
  }
  return {
    ...userIn(userClaims, settings),
    signedInAt: seconds === undefined ? undefined : new Date(seconds * 1000),
    groups: readsGroups ? groupsIn(groups, groupsClaim) : [],
    session: { provider: id, subject: claims.sub, sessionId: typeof sid === 'string' ? sid : null },
  };
}

/** An email address must be verified by the provider, like in tokens of a trusted issuer. */
function userIn(
  claims: Record<string, unknown>,
  { userClaim, domains }: ProviderSettings,
): Pick<ProviderUser, 'name' | 'isVerifiedAddress'> {
  const claim = claims[userClaim];
  const name = typeof claim === 'string' ? canonicalUserName(claim) : undefined;
  if (name === undefined || typeof claim !== 'string') {
    throw new ProviderRefusal(
      `no claim ${userClaim}`,
      'The sign-in provider did not return the claim that identifies you.',
    );
  }
  const isVerified = claims['email_verified'] === true;
  if (userClaim === 'email' && !isVerified) {
    throw new ProviderRefusal('email not verified', 'The sign-in provider has not verified your email address.');
  }
  const isPlain = isPlainAddress(claim);
  // A provider with domains of its own says nothing about the users of others.
  if (domains !== undefined && !(isPlain && domains.includes(emailDomain(name) ?? ''))) {
    throw new ProviderRefusal('domain', 'The sign-in provider cannot sign in users of your email domain.');
  }
  return { name, isVerifiedAddress: isPlain && isVerified && isSameName(claims['email'], name) };
}

function isSameName(email: unknown, name: string): boolean {
  return typeof email === 'string' && isPlainAddress(email) && canonicalUserName(email) === name;
}

/**
 * Returns the names of the groups. Without the claim, the user is in no group: several providers omit an empty list.
 *
 * @throws {ProviderRefusal} for a list that is not in the token because it is too long, or that is malformed. To take
 * it for an empty list would remove memberships.
 */
function groupsIn(claims: Record<string, unknown>, groupsClaim: string): string[] {
  const claim = claims[groupsClaim];
  const elsewhere = claims['_claim_names'];
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim);
  const groups: unknown[] | undefined =
    typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : claim == null && !isElsewhere ? [] : undefined;
  const names = groups?.filter((group) => typeof group === 'string');
  if (groups === undefined || names === undefined || names.length !== groups.length || names.length > groupsMax) {
    throw new ProviderRefusal(
      `invalid claim ${groupsClaim}`,
      'The sign-in provider did not return a complete list of your groups. Ask its admin to limit the groups of this application.',
    );
  }
  return [...new Set(names)];
}

/** Translates a failure. The provider's response may contain tokens, so only protocol error codes are logged. */
function refusalFrom(error: unknown, log: Logger): unknown {
  if (error instanceof ProviderRefusal) return error;
  if (error instanceof openid.AuthorizationResponseError) {
    return new ProviderRefusal(`provider: ${error.error}`, 'The sign-in provider rejected the sign-in.');
  }
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  log.warn({ reason }, 'the sign-in provider returned an invalid response');
  const message = 'The response of the sign-in provider is invalid or has expired. Start again.';
  const isAway = reason === 'OAUTH_TIMEOUT' || reason === 'fetch failed';
  return isAway
    ? unavailable('The sign-in provider does not respond. Try again.')
    : new ProviderRefusal(reason, message);
}

/** Returns undefined unless it is a protocol or network error. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof openid.ResponseBodyError) return `token endpoint: ${error.error}`;
  if (error instanceof openid.ClientError || error instanceof openid.WWWAuthenticateChallengeError) {
    return error.code ?? error.name;
  }
  return error instanceof TypeError && error.message === 'fetch failed' ? error.message : undefined;
}
