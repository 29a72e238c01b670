// Authorization requests (RFC 6749, section 4.1.1), with mandatory PKCE (RFC 7636). Errors of the client or redirect
// URI are shown to the user; all other errors are redirected to the client.
import type { Database } from '../../database/open.js';
import { cutText } from '../../errors.js';
import type { TokenSettings } from '../access-token.js';
import { findClient } from './oauth-client.js';
import type { OauthClient } from './oauth-client.js';
import { OauthError } from './oauth-error.js';
import type { OauthErrorCode } from './oauth-error.js';
import { challengeMethod, isChallenge } from './pkce.js';
import { isRegisteredRedirectUri } from './redirect-uri.js';
import { requireResources } from './protected-resource.js';
import { requestedScopes } from './scope-request.js';

export interface AuthorizationRequest {
  client: OauthClient;
  redirectUri: string;
  state: string | undefined;
  scopes: string[];
  challenge: string;
  /** Which prompts the client requests or excludes (OpenID Connect Core, section 3.1.2.1). */
  prompts: string[];
  /** The maximum age of the sign-in; undefined for any. */
  maxAgeSeconds: number | undefined;
  /** Copied to the ID token, so that the client can match it to this request. */
  nonce: string | undefined;
  /** The user name to prefill. */
  loginHint: string | undefined;
}

/** The redirect target of a response. */
export interface RedirectTarget {
  redirectUri: string;
  state: string | undefined;
}

/** An invalid request whose error is redirected to the client. */
export class RedirectableError extends Error {
  readonly target: RedirectTarget;
  readonly reason: OauthError;

  constructor(target: RedirectTarget, reason: OauthError) {
    super(reason.message);
    this.name = 'RedirectableError';
    this.target = target;
    this.reason = reason;
  }
}

export interface AuthorizationSettings {
  publicUrl: string;
  tokens: TokenSettings;
}

/**
 * Parses an authorization request.
 *
 * @throws {OauthError} to show to the user, when the redirect URI is not known to be the client's, or nobody has
 * verified the client.
 * @throws {RedirectableError} to redirect to the client.
 */
export async function readAuthorizationRequest(
  db: Database,
  search: URLSearchParams,
  settings: AuthorizationSettings,
): Promise<AuthorizationRequest> {
  const one = (name: string) => onlyValue(search, name);
  const clientId = one('client_id') ?? missing('client_id');
  const client = await findClient(db, clientId, settings.publicUrl);
  if (client === undefined) {
    throw new OauthError('invalid_client', 'The application that sent you here is not registered with this service.', {
      client: clientId,
    });
  }
  const redirectUri = one('redirect_uri') ?? missing('redirect_uri');
  if (!isRegisteredRedirectUri(client.redirectUris, redirectUri)) {
    const description = 'The redirect_uri of the application that sent you here is not registered for it.';
    throw new OauthError('invalid_request', description, { client: client.id, reason: 'redirect URI' });
  }
  const states = search.getAll('state');
  const target = { redirectUri, state: states.length === 1 ? states[0] : undefined };
  try {
    return { client, ...target, ...readRest(search, client, settings) };
  } catch (error) {
    // Anyone can register a client. A redirect that no user decided on would make this service an open redirector (RFC
    // 9700, section 4.11.2).
    if (error instanceof OauthError && !client.selfRegistered) throw new RedirectableError(target, error);
    throw error;
  }
}

function readRest(
  search: URLSearchParams,
  client: OauthClient,
  settings: AuthorizationSettings,
): Omit<AuthorizationRequest, 'client' | 'redirectUri' | 'state'> {
  const subject = { client: client.id };
  const refuse = (code: OauthErrorCode, description: string): never => {
    throw new OauthError(code, description, subject);
  };
  requireOnce(search);
  const one = (name: string) => onlyValue(search, name);
  if (one('request') !== undefined) refuse('request_not_supported', 'Request objects are not supported.');
  if (one('request_uri') !== undefined) refuse('request_uri_not_supported', 'Request objects are not supported.');
  if (one('response_type') === undefined) missing('response_type');
  if (one('response_type') !== 'code') refuse('unsupported_response_type', 'The only response_type is code.');
  if (!client.grantTypes.includes('authorization_code')) {
    refuse('unauthorized_client', 'This client is not registered for the grant authorization_code.');
  }
  if ((one('response_mode') ?? 'query') !== 'query') refuse('invalid_request', 'The only response_mode is query.');
  const challenge = one('code_challenge') ?? missing('code_challenge');
  // The default is `plain` (RFC 7636, section 4.3), which is rejected as well.
  if (one('code_challenge_method') !== challengeMethod) {
    refuse('invalid_request', `code_challenge_method must be ${challengeMethod}.`);
  }
  if (!isChallenge(challenge)) refuse('invalid_request', 'code_challenge must be the base64url of a SHA-256.');
  const resources = search.getAll('resource').filter((resource) => resource !== '');
  requireResources(settings.tokens, resources, client.id);
  const prompts = (one('prompt') ?? '').split(' ').filter((prompt) => prompt !== '');
  if (prompts.includes('none') && prompts.length > 1)
    refuse('invalid_request', 'The prompt none cannot be combined with others.');
  if (prompts.includes('none') && client.selfRegistered)
    refuse(
      'consent_required',
      'An application that registered itself always asks the user, so prompt must not be none.',
    );
  const maxAge = one('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
    refuse('invalid_request', 'max_age must be a number of seconds.');
  const nonce = one('nonce');
  if (nonce !== undefined && !/^[^\p{C}]{1,512}$/u.test(nonce)) {
    refuse('invalid_request', 'nonce must be at most 512 characters, without control characters.');
  }
  return {
    nonce,
    maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    scopes: requestedScopes(one('scope'), client.scope),
    challenge,
    prompts,
    loginHint: one('login_hint'),
  };
}

/** @throws `invalid_request` if any parameter but `resource` is repeated, known or not (RFC 6749, section 3.1). */
function requireOnce(search: URLSearchParams): void {
  const names = new Set<string>();
  for (const name of search.keys()) {
    if (names.has(name) && name !== 'resource') throw repeated(name);
    names.add(name);
  }
}

/**
 * Returns a parameter's value. Repeated parameters are rejected, and an empty one counts as absent (RFC 6749, section
 * 3.1).
 */
export function onlyValue(search: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = search.getAll(name);
  if (others.length > 0) throw repeated(name);
  return value === '' ? undefined : value;
}

/** The error for a parameter that is repeated. */
export function repeated(name: string): OauthError {
  return new OauthError('invalid_request', `The parameter ${cutText(name, 40)} is repeated.`);
}

function missing(name: string): never {
  throw new OauthError('invalid_request', `The parameter ${name} is missing.`);
}
