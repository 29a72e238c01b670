// An OpenID provider of the operator's, by which people sign in on the pages: OpenID Connect Core, section 3.1, with PKCE,
// by openid-client. One claim names a user who exists here; nobody is made.
import * as openid from 'openid-client';
import type { Logger } from 'pino';
import type { Database } from '../../database/open.js';
import { unavailable } from '../../errors.js';
import { canonicalUserName } from '../user-name.js';

/** How long what the provider says of itself is believed. */
const discoveredAgeMsMax = 60 * 60_000;
const answerSecondsMax = 5;

export interface ProviderSettings {
  /** As it names itself. */
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** What the button says. */
  name: string;
  scope: string;
  /** The claim that holds the name of a user here. */
  userClaim: string;
}

/** What of a request to sign in the provider has to see to. */
export interface SignInDemands {
  prompt: 'login' | 'select_account' | undefined;
  loginHint: string | undefined;
}

/** What is kept from the way there for the way back. It is for nobody else. */
export interface ProviderTrip {
  nonce: string;
  verifier: string;
  maxAgeSeconds: number | undefined;
}

/** Why the provider's answer signs nobody in. `reason` is for the log, the message for whoever tried. */
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
  /** Where the browser goes. @throws 503 `unavailable` when the provider cannot be reached. */
  addressFor: (trip: ProviderTrip, state: string, callback: string, demands: SignInDemands) => Promise<URL>;
  /**
   * Who the provider says that came back.
   *
   * @param callback the address that the browser came back to, with what the provider put there.
   * @throws {ProviderRefusal}; 503 `unavailable` when the provider cannot be reached.
   */
  identify: (trip: ProviderTrip, state: string, callback: URL) => Promise<ProviderUser>;
}

export interface ProviderUser {
  /** In its canonical form. */
  name: string;
  /** When they proved to the provider who they are, where it says so. */
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

/** Discovers once for all who ask at the same time, and again when that is an hour ago. */
function discoveredConfiguration(settings: ProviderSettings, log: Logger): () => Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  let known: { configuration: Promise<openid.Configuration>; atMs: number } | undefined;
  return async () => {
    if (known === undefined || performance.now() - known.atMs > discoveredAgeMsMax) {
      const authentication = clientSecret === undefined ? openid.None() : undefined;
      const configuration = openid.discovery(new URL(issuer), clientId, clientSecret, authentication, {
        timeout: answerSecondsMax,
        // The signature is checked although the ID token comes from the provider itself: TLS may end before it.
        execute: [openid.enableNonRepudiationChecks, ...(isPlain ? [openid.allowInsecureRequests] : [])],
      });
      known = { configuration, atMs: performance.now() };
    }
    const asked = known;
    try {
      return await asked.configuration;
    } catch (error) {
      if (known === asked) known = undefined;
      log.warn({ err: error, issuer }, 'cannot fetch the metadata of the sign-in provider');
      throw unavailable('The provider for signing in does not answer now. Try again.', error);
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
  if (claims === undefined) throw new ProviderRefusal('no ID token', 'The provider did not say who you are.');
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  // Some tell only there what is more than who it is: OpenID Connect Core, section 5.4.
  const said =
    claims[userClaim] === undefined && hasUserInfo
      ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  const { auth_time: seconds } = claims;
  return {
    name: userNameIn(said, userClaim),
    signedInAt: seconds === undefined ? undefined : new Date(seconds * 1000),
  };
}

/** As with tokens of a trusted issuer, an address counts only when the provider has verified it. */
function userNameIn(claims: Record<string, unknown>, userClaim: string): string {
  const claim = claims[userClaim];
  const name = typeof claim === 'string' ? canonicalUserName(claim) : undefined;
  if (name === undefined) {
    throw new ProviderRefusal(
      `no claim ${userClaim}`,
      'The provider did not say who you are in a way that is known here.',
    );
  }
  if (userClaim === 'email' && claims['email_verified'] !== true) {
    throw new ProviderRefusal('email not verified', 'The provider has not verified that the email address is yours.');
  }
  return name;
}

/** @returns the user of a name; undefined for one who is unknown or disabled, and for a service account. */
export async function findUserByName(db: Database, name: string): Promise<{ id: string; name: string } | undefined> {
  const user = await db.principal.findFirst({ where: { name, kind: 'user', disabledAt: null } });
  return user === null ? undefined : { id: user.id, name: user.name };
}

/** What can be told of a failure. What the provider sent may hold tokens: of it only words of the protocol are logged. */
function refusalFrom(error: unknown, log: Logger): unknown {
  if (error instanceof ProviderRefusal) return error;
  if (error instanceof openid.AuthorizationResponseError) {
    return new ProviderRefusal(`provider: ${error.error}`, 'The provider did not sign you in.');
  }
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  log.warn({ reason }, 'the sign-in provider returned an invalid response');
  const message = 'The answer of the provider is not valid, or no longer. Start again.';
  const isAway = reason === 'OAUTH_TIMEOUT' || reason === 'fetch failed';
  return isAway
    ? unavailable('The provider for signing in does not answer now. Try again.')
    : new ProviderRefusal(reason, message);
}

/** Undefined for what is no failure of the protocol or the network. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof openid.ResponseBodyError) return `token endpoint: ${error.error}`;
  if (error instanceof openid.ClientError || error instanceof openid.WWWAuthenticateChallengeError) {
    return error.code ?? error.name;
  }
  return error instanceof TypeError && error.message === 'fetch failed' ? error.message : undefined;
}
