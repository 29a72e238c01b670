// Sign-in with the operator's OpenID provider (OpenID Connect Core, section 3.1, with PKCE, using openid-client). One
// claim has the name of an existing user; users are not created.
import * as openid from 'openid-client';
import type { Logger } from 'pino';
import type { Database } from '../../database/open.js';
import { unavailable } from '../../errors.js';
import { canonicalUserName } from '../user-name.js';

/** How long the provider's discovery document is cached (ms). */
const discoveredAgeMsMax = 60 * 60_000;
const answerSecondsMax = 5;

export interface ProviderSettings {
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
}

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

export interface SignInProvider {
  name: string;
  issuer: string;
  /** Returns the authorization URL. @throws 503 `unavailable` when the provider cannot be reached. */
  addressFor: (trip: ProviderTrip, state: string, callback: string, demands: SignInDemands) => Promise<URL>;
  /**
   * Returns the user that the provider authenticated.
   *
   * @param callback the URL that the browser returned to, with the provider's parameters.
   * @throws {ProviderRefusal}; 503 `unavailable` when the provider cannot be reached.
   */
  identify: (trip: ProviderTrip, state: string, callback: URL) => Promise<ProviderUser>;
}

export interface ProviderUser {
  /** In its canonical form. */
  name: string;
  /** When the user authenticated, if the provider says so. */
  signedInAt: Date | undefined;
}

export function createTrip(maxAgeSeconds: number | undefined): ProviderTrip {
  return { nonce: openid.randomNonce(), verifier: openid.randomPKCECodeVerifier(), maxAgeSeconds };
}

export function createSignInProvider(settings: ProviderSettings, log: Logger): SignInProvider {
  const { issuer, name, scope } = settings;
  const configuration = discoveredConfiguration(settings, log);
  return {
    name,
    issuer,
    addressFor: async (trip, state, callback, { prompt, loginHint }) =>
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
  { userClaim }: ProviderSettings,
  configuration: openid.Configuration,
  { state, nonce, verifier, maxAgeSeconds }: ProviderTrip & { state: string },
  callback: URL,
): Promise<ProviderUser> {
  const tokens = await openid.authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
    ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new ProviderRefusal('no ID token', 'The sign-in provider did not identify you.');
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  // Some providers return these claims only from UserInfo (OpenID Connect Core, section 5.4).
  const userClaims =
    claims[userClaim] === undefined && hasUserInfo
      ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  const { auth_time: seconds } = claims;
  return {
    name: userNameIn(userClaims, userClaim),
    signedInAt: seconds === undefined ? undefined : new Date(seconds * 1000),
  };
}

/** An email address must be verified by the provider, like in tokens of a trusted issuer. */
function userNameIn(claims: Record<string, unknown>, userClaim: string): string {
  const claim = claims[userClaim];
  const name = typeof claim === 'string' ? canonicalUserName(claim) : undefined;
  if (name === undefined) {
    throw new ProviderRefusal(
      `no claim ${userClaim}`,
      'The sign-in provider did not return the claim that identifies you.',
    );
  }
  if (userClaim === 'email' && claims['email_verified'] !== true) {
    throw new ProviderRefusal('email not verified', 'The sign-in provider has not verified your email address.');
  }
  return name;
}

/** @returns the user; undefined for an unknown or disabled user, and for a service account. */
export async function findUserByName(db: Database, name: string): Promise<{ id: string; name: string } | undefined> {
  const user = await db.principal.findFirst({ where: { name, kind: 'user', disabledAt: null } });
  return user === null ? undefined : { id: user.id, name: user.name };
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
