// An OpenID provider of a test: discovery, keys, authorization, token and user info, as OpenID Connect Core has them.
// The test chooses the user, and can make it return invalid responses.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey } from 'jose';
import type { ProviderSettings } from '../../../src/auth/sign-in/provider.js';

export interface TestProvider {
  issuer: string;
  /** The claims of the signed-in user. */
  claims: Record<string, unknown>;
  /** The user info besides `sub`. */
  info: Record<string, unknown>;
  /** Replacements for claims of an ID token. */
  lies: Record<string, unknown>;
  /** The error with which it answers instead of a code. */
  refusal: string | undefined;
  /** Signs with a key that it does not publish. */
  isForging: boolean;
  /** Whether it names itself in its response (RFC 9207). */
  namesItself: boolean;
  /** Answers nothing but 503. */
  isAway: boolean;
  /** The authorization requests that came. */
  requests: URLSearchParams[];
  /** Token requests that it granted. */
  granted: number;
  /** The codes that came to its token endpoint. */
  codes: string[];
  /** Signs a logout token. Claims replace the defaults; undefined omits one. */
  logoutToken: (claims?: Record<string, unknown>, header?: Record<string, unknown>) => Promise<string>;
  close: () => void;
}

/** The settings of a provider without domains of its own. Fields replace the defaults. */
export function providerSettings(more: Partial<ProviderSettings>): ProviderSettings {
  return {
    id: 'default',
    issuer: 'http://127.0.0.1:1',
    clientId: 'x',
    clientSecret: 'x',
    name: 'Nobody',
    scope: 'openid email',
    userClaim: 'email',
    groupsClaim: 'groups',
    domains: undefined,
    createsUsersOf: [],
    accounts: [],
    ...more,
  };
}

interface Code {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

/** @param client as which this service is registered there. */
export async function openTestProvider(client: {
  id: string;
  secret: string;
  callback: string;
}): Promise<TestProvider> {
  const [published, hidden] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
  const jwk = { ...(await exportJWK(published.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const codes = new Map<string, Code>();

  const server = createServer((request, response) => {
    void (async () => {
      const { status = 200, location, body } = await answer(request);
      const headers = { 'content-type': 'application/json', ...(location === undefined ? {} : { location }) };
      response.writeHead(status, headers).end(JSON.stringify(body ?? {}));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

  const provider: TestProvider = {
    issuer,
    claims: {},
    info: {},
    lies: {},
    refusal: undefined,
    isForging: false,
    namesItself: true,
    isAway: false,
    requests: [],
    granted: 0,
    codes: [],
    logoutToken: (claims = {}, header = {}) => signedLogout(claims, header),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;

  interface Answer {
    status?: number;
    location?: string;
    body?: unknown;
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (provider.isAway) return { status: 503 };
    const url = new URL(request.url ?? '', issuer);
    if (url.pathname === '/.well-known/openid-configuration') return { body: metadata() };
    if (url.pathname === '/jwks') return { body: { keys: [jwk] } };
    if (url.pathname === '/authorize') return authorize(url.searchParams);
    if (url.pathname === '/token') return token(request, new URLSearchParams(await text(request)));
    if (url.pathname === '/userinfo') return { body: { sub: provider.claims['sub'] ?? 'subject-1', ...provider.info } };
    return { status: 404 };
  }

  function metadata(): Record<string, unknown> {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      ...(provider.namesItself ? { authorization_response_iss_parameter_supported: true } : {}),
    };
  }

  function authorize(search: URLSearchParams): Answer {
    provider.requests.push(search);
    const one = (name: string) => search.get(name) ?? '';
    const isRight = one('client_id') === client.id && one('redirect_uri') === client.callback;
    if (!isRight || one('code_challenge_method') !== 'S256') return { status: 400 };
    const back = new URL(client.callback);
    back.searchParams.set('state', one('state'));
    if (provider.namesItself) back.searchParams.set('iss', issuer);
    if (provider.refusal === undefined) {
      const code = randomBytes(16).toString('hex');
      codes.set(code, { nonce: one('nonce'), challenge: one('code_challenge'), redirectUri: one('redirect_uri') });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', provider.refusal);
    return { status: 302, location: back.href };
  }

  async function token(request: IncomingMessage, form: URLSearchParams): Promise<Answer> {
    const refused = (error: string): Answer => ({ status: 400, body: { error } });
    provider.codes.push(form.get('code') ?? '');
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const basic = Buffer.from(String(request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    const isClient = form.get('client_secret') === client.secret || basic === `${client.id}:${client.secret}`;
    if (!isClient) return { status: 401, body: { error: 'invalid_client' } };
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || code.challenge !== challenge) return refused('invalid_grant');
    if (form.get('redirect_uri') !== code.redirectUri) return refused('invalid_grant');
    provider.granted++;
    const idToken = await signed(code.nonce, provider.isForging ? hidden.privateKey : published.privateKey);
    return { body: { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 60, id_token: idToken } };
  }

  function signed(nonce: string, key: CryptoKey): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: client.id, sub: 'subject-1', iat: now, exp: now + 60, nonce };
    return new SignJWT({ ...claims, ...provider.claims, ...provider.lies })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(key);
  }

  function signedLogout(claims: Record<string, unknown>, header: Record<string, unknown>): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const standard = { iss: issuer, aud: client.id, iat: now, exp: now + 120, jti: randomUUID(), events };
    return new SignJWT({ ...standard, sub: 'subject-1', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'logout+jwt', ...header })
      .sign(provider.isForging ? hidden.privateKey : published.privateKey);
  }
}
