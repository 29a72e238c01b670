// The service as an OpenID provider: the claims of ID tokens, and that they give no access to the API.
import { createHash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { grantableScopes, scopes } from '../../../src/auth/scopes.js';
import { createKey, createTenant, graphql, rest, useApp } from '../../harness.js';
import type { Answer, Tenant, TestApp } from '../../harness.js';
import {
  authorizeAddress,
  callback,
  callEndpoint,
  createVerifier,
  givePassword,
  obtainCode,
  ownerOf,
  redeem,
  registerClient,
  registerService,
  Visitor,
  setDisabled,
} from './visitor.js';
import type { RegisteredClient } from './visitor.js';

const publicUrl = 'https://control.example.com';
const issuer = new URL(`${publicUrl}/v0`);
const running = useApp({ PUBLIC_URL: publicUrl, TOKEN_AUDIENCE: 'the-audience' });
let tenant: Tenant;
let email: string;
let portal: RegisteredClient;

beforeAll(async () => {
  const { app } = running;
  // The libraries compare with the time that it is.
  app.clock.now = new Date();
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(app, 'northwind');
  await app.services.db.principal.update({ where: { id: tenant.principalId }, data: { displayName: 'Nora Wind' } });
  portal = await registerClient(app, { id: 'portal', scope: 'openid profile email agents:list' });
});

/** Simulates a proxy that ends TLS in front of the gateway. */
function proxied(app: TestApp) {
  return (url: string, { body, ...options }: SentOptions): Promise<Response> =>
    fetch(url.replace(publicUrl, app.origin), { ...options, body: body?.toString() ?? null });
}

interface SentOptions {
  method: string;
  headers: Record<string, string>;
  redirect: 'manual';
  body?: { toString: () => string } | null | undefined;
}

/** Signs in and allows, in a browser; gives the address that the browser is sent back to. */
async function browse(address: URL): Promise<URL> {
  const visitor = new Visitor(running.app);
  const page = await visitor.open(`${address.pathname}${address.search}`);
  const next = await visitor.signIn(page, email);
  return new URL(next.status === 303 ? next.location : (await visitor.allow(next)).location);
}

async function tokensOf(scope: string, more: Record<string, string> = {}, scopesGiven?: string[]) {
  const choice = scopesGiven === undefined ? {} : { scopes: scopesGiven };
  const given = await obtainCode(
    running.app,
    email,
    { client_id: 'portal', scope, prompt: 'consent', ...more },
    choice,
  );
  const { status, body } = await redeem(running.app, portal, given);
  expect(status).toBe(200);
  return body;
}

async function userInfo(token: string | undefined, method = 'GET'): Promise<Answer> {
  return rest(running.app, '/oauth/userinfo', { method, ...(token === undefined ? {} : { key: token }) });
}

/** The content of a JWT, unverified. */
function said(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

describe('openid-client, without code specific to this service', () => {
  async function configure() {
    return openid.discovery(issuer, 'portal', portal.secret, undefined, {
      [openid.customFetch]: proxied(running.app),
    });
  }

  async function signIn(configuration: openid.Configuration, more: Record<string, string> = {}, maxAge?: number) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedNonce = openid.randomNonce();
    const expectedState = openid.randomState();
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: 'openid profile email agents:list',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      nonce: expectedNonce,
      state: expectedState,
      ...more,
    });
    const checks = { pkceCodeVerifier, expectedNonce, expectedState, idTokenExpected: true };
    const answer = await browse(address);
    return openid.authorizationCodeGrant(configuration, answer, maxAge === undefined ? checks : { ...checks, maxAge });
  }

  it('signs a user in with verified nonce and at_hash, and reads the claims', async () => {
    const configuration = await configure();
    openid.enableNonRepudiationChecks(configuration);
    const tokens = await signIn(configuration);
    const claims = tokens.claims();
    expect(claims).toMatchObject({ iss: issuer.href, aud: 'portal', sub: tenant.principalId });
    const info = await openid.fetchUserInfo(configuration, tokens.access_token, claims?.sub ?? '');
    expect(info).toEqual({
      sub: tenant.principalId,
      name: 'Nora Wind',
      preferred_username: email,
      email,
      email_verified: false,
    });
    const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ sub: claims?.sub, auth_time: claims?.auth_time });
    expect(refreshed.claims()).not.toHaveProperty('nonce');
    await openid.tokenRevocation(configuration, refreshed.access_token);
    await expect(
      openid.fetchUserInfo(configuration, refreshed.access_token, openid.skipSubjectCheck),
    ).rejects.toMatchObject({ cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }] });
  });

  it('accepts auth_time for the requested max_age', async () => {
    const configuration = await configure();
    const tokens = await signIn(configuration, { max_age: '30' }, 30);
    expect(tokens.claims()?.auth_time).toBe(Math.floor(running.app.clock.now.getTime() / 1000));
  });

  it('rejects an ID token of another request', async () => {
    const configuration = await configure();
    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce: 'one',
    });
    const checks = { pkceCodeVerifier: verifier, expectedNonce: 'another' };
    await expect(openid.authorizationCodeGrant(configuration, await browse(address), checks)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('nonce') },
    });
  });
});

describe('An ID token', () => {
  it('is returned only if the client requested openid and the user consented', async () => {
    expect(await tokensOf('agents:list')).not.toHaveProperty('id_token');
    expect(await tokensOf('openid agents:list', {}, ['agents:list'])).not.toHaveProperty('id_token');
    const { id_token: idToken, scope, access_token: accessToken } = await tokensOf('openid', { nonce: 'n-0S6_WzA2Mj' });
    expect(scope).toBe('openid');
    const now = Math.floor(running.app.clock.now.getTime() / 1000);
    expect(said(idToken)).toEqual({
      iss: issuer.href,
      sub: tenant.principalId,
      aud: 'portal',
      iat: now,
      exp: now + 900,
      auth_time: now,
      nonce: 'n-0S6_WzA2Mj',
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
    });
  });

  it('comes with a token that opens nothing of the API if the user granted nothing of it', async () => {
    const { access_token: token } = await tokensOf('openid profile agents:list', {}, ['openid']);
    const { status, body } = await graphql(running.app, token, '{ viewer { name accounts { name } } }');
    expect([status, body.errors[0].extensions.code]).toEqual([403, 'forbidden']);
    expect((await rest(running.app, '/accounts', { key: token })).status).toBe(403);
  });

  it('contains the time of the sign-in, not of the request', async () => {
    const { app } = running;
    const { now } = app.clock;
    const visitor = new Visitor(app);
    await visitor.signIn(await visitor.open(authorizeAddress({ client_id: 'portal', scope: 'openid' })), email);
    app.clock.now = new Date(now.getTime() + 60_000);
    const { verifier, challenge } = createVerifier();
    const ask = { client_id: 'portal', scope: 'openid', prompt: 'consent', code_challenge: challenge };
    const { location } = await visitor.allow(await visitor.open(authorizeAddress(ask)));
    const code = new URL(location).searchParams.get('code') ?? '';
    const { body } = await redeem(app, portal, { code, verifier });
    app.clock.now = now;
    expect(said(body.id_token)['auth_time']).toBe(Math.floor(now.getTime() / 1000));
  });

  it('is the same when a refresh token returns the same response twice', async () => {
    const { refresh_token: token } = await tokensOf('openid');
    const refresh = () =>
      callEndpoint(running.app, 'token', {
        grant_type: 'refresh_token',
        refresh_token: token,
        ...portal.credentials,
      });
    const [one, other] = await Promise.all([refresh(), refresh()]);
    expect(said(one.body.id_token)['sub']).toBe(tenant.principalId);
    expect(other.body).toEqual(one.body);
  });

  it('is not accepted by REST, GraphQL, user info or introspection', async () => {
    const { app } = running;
    const { id_token: idToken } = await tokensOf('openid agents:list');
    expect((await rest(app, '/agents', { key: idToken })).status).toBe(401);
    expect((await graphql(app, idToken, '{ viewer { name } }')).status).toBe(401);
    expect((await userInfo(idToken)).status).toBe(401);
    const known = await callEndpoint(app, 'introspect', { token: idToken, ...portal.credentials });
    expect(known.body).toEqual({ active: false });
  });

  it('has no auth_time for a grant from before sign-in times were stored', async () => {
    const { app } = running;
    const { refresh_token: token } = await tokensOf('openid');
    await app.services.db.oauthAuthorization.updateMany({ data: { signedInAt: null } });
    const form = { grant_type: 'refresh_token', refresh_token: token, ...portal.credentials };
    const { body } = await callEndpoint(app, 'token', form);
    expect(said(body.id_token)).toMatchObject({ sub: tenant.principalId });
    expect(said(body.id_token)).not.toHaveProperty('auth_time');
  });

  it('is not returned to a client that acts for itself', async () => {
    const { app } = running;
    const robot = await registerService(app, ownerOf(tenant), { id: 'robot', scope: 'openid agents:list' });
    const form = { grant_type: 'client_credentials', ...robot.credentials };
    const all = await callEndpoint(app, 'token', form);
    expect(all.body).toMatchObject({ scope: 'agents:list' });
    expect(all.body).not.toHaveProperty('id_token');
    expect((await callEndpoint(app, 'token', { ...form, scope: 'openid' })).body.error).toBe('invalid_scope');
  });

  it.each([
    ['the character NUL', 'a\0b'],
    ['a line break', 'a\nb'],
    ['513 characters', 'a'.repeat(513)],
  ])('is rejected for a nonce with %s', async (_what, nonce) => {
    const visitor = new Visitor(running.app);
    const page = await visitor.open(authorizeAddress({ client_id: 'portal', scope: 'openid', nonce }));
    expect(new URL(page.location).searchParams.get('error')).toBe('invalid_request');
  });
});

describe('An unknown scope', () => {
  const wishes = 'openid profile email offline_access groups roles address phone';

  it('is ignored beside openid, and the response says what was granted', async () => {
    const { app } = running;
    const client = await registerClient(app, {
      id: 'wishful',
      scope: 'openid profile email',
      grantTypes: ['authorization_code', 'refresh_token', 'device_code'],
    });
    const given = await obtainCode(app, email, { client_id: 'wishful', scope: wishes });
    const { body } = await redeem(app, client, given);
    expect(body).toMatchObject({ scope: 'openid profile email', id_token: expect.any(String) });
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...client.credentials };
    const refreshed = await callEndpoint(app, 'token', { ...form, scope: wishes });
    expect(refreshed.body).toMatchObject({ scope: 'openid profile email', id_token: expect.any(String) });
    const device = await callEndpoint(app, 'device_authorization', { scope: wishes, ...client.credentials });
    expect(device.status).toBe(200);
  });

  it.each(['profile offline_access', 'offline_access'])('is an error without openid: %s', async (scope) => {
    const page = await new Visitor(running.app).open(authorizeAddress({ client_id: 'portal', scope }));
    expect(new URL(page.location).searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('The identity scopes', () => {
  it('require a client that is registered for them: admin does not include them', async () => {
    await registerClient(running.app, { id: 'mighty', scope: 'admin' });
    const visitor = new Visitor(running.app);
    const page = await visitor.open(authorizeAddress({ client_id: 'mighty', scope: 'openid email' }));
    expect(new URL(page.location).searchParams.get('error')).toBe('invalid_scope');
  });

  it('require consent, also from a user who granted the client everything else', async () => {
    const { app } = running;
    await registerClient(app, { id: 'all', scope: 'admin openid email' });
    const { visitor } = await obtainCode(app, email, { client_id: 'all', scope: 'admin' }, { scopes: ['admin'] });
    const page = await visitor.open(authorizeAddress({ client_id: 'all', scope: 'openid email' }));
    expect(page.text).toContain('Read your email address');
  });

  it('require no role: viewers can grant them, without write access', async () => {
    const { app } = running;
    const { accountId } = await createTenant(app, { account: 'southwind', workspaces: ['southwind-main'] });
    await app.services.db.accountMember.updateMany({ where: { accountId }, data: { role: 'viewer' } });
    const viewer = await givePassword(app, 'southwind');
    const wide = await registerClient(app, { id: 'wide', scope: 'openid email agents:list agents:delete' });
    const given = await obtainCode(app, viewer, { client_id: 'wide', scope: undefined });
    const { body } = await redeem(app, wide, given);
    expect(body.scope).toBe('openid email agents:list');
  });

  it('grant no access to the APIs, and cannot be part of an API key', async () => {
    const { app } = running;
    const { access_token: token } = await tokensOf('openid profile email');
    expect((await rest(app, '/agents', { key: token })).status).toBe(403);
    expect((await graphql(app, token, '{ agents(first: 1) { totalCount } }')).body.errors[0].extensions).toMatchObject({
      status: 403,
    });
    expect(scopes).not.toEqual(expect.arrayContaining(['openid']));
  });
});

describe('The user info', () => {
  it('returns the claims of the granted scopes, for GET and POST', async () => {
    const expected = [
      ['openid', { sub: tenant.principalId }],
      ['openid email', { sub: tenant.principalId, email, email_verified: false }],
      ['openid profile', { sub: tenant.principalId, name: 'Nora Wind', preferred_username: email }],
    ] as const;
    for (const [scope, info] of expected) {
      const { access_token: token } = await tokensOf(scope);
      for (const method of ['GET', 'POST']) {
        const answer = await userInfo(token, method);
        expect([answer.status, answer.body]).toEqual([200, info]);
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    }
  });

  it('returns errors as RFC 6750 requires', async () => {
    const { app } = running;
    const none = await userInfo(undefined);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const { key } = await createKey(app, tenant);
    for (const bearer of [key, 'x', 'a.b.c', jwt.sign({ sub: tenant.principalId }, 'a secret of somebody else')]) {
      const answer = await userInfo(bearer);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
    }
    const { access_token: token } = await tokensOf('agents:list');
    const narrow = await userInfo(token);
    expect([narrow.status, narrow.body.error]).toEqual([403, 'insufficient_scope']);
    expect(narrow.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="openid"');
    expect((await userInfo(token, 'DELETE')).status).toBe(405);
  });

  it('returns 401 after the token has expired, or its user is disabled', async () => {
    const { app } = running;
    const { access_token: token } = await tokensOf('openid');
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 15 * 60_000);
    expect((await userInfo(token)).status).toBe(401);
    app.clock.now = now;
    expect((await userInfo(token)).status).toBe(200);
    await setDisabled(app, email, true);
    expect((await userInfo(token)).status).toBe(401);
    await setDisabled(app, email, false);
  });
});

describe('The discovery document', () => {
  async function discovered(algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
    const options = { algorithm, [oauth.customFetch]: proxied(running.app) };
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  }

  it('has the fields that OpenID Connect Discovery, section 3, requires, for both kinds of client', async () => {
    const document = await discovered('oidc');
    for (const required of [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'jwks_uri',
      'response_types_supported',
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
    ]) {
      expect(document).toHaveProperty(required);
    }
    expect(await discovered('oauth2')).toEqual(document);
  });

  it('names only existing endpoints', async () => {
    const document = await discovered('oidc');
    const addresses = Object.entries(document).filter(([name]) => /_endpoint$|_uri$/.test(name));
    expect(addresses.length).toBeGreaterThan(5);
    for (const [name, address] of addresses) {
      const response = await fetch(String(address).replace(publicUrl, running.app.origin), { redirect: 'manual' });
      // Each answers, if only that it wants another method, a client or a token.
      expect([200, 400, 401, 405], `${name} ${response.status}`).toContain(response.status);
    }
  });

  it('lists only supported grants, authentication methods and scopes', async () => {
    const { app } = running;
    const document = await discovered('oidc');
    expect(document.scopes_supported).toEqual(grantableScopes);
    for (const grant of document.grant_types_supported ?? []) {
      const { body } = await callEndpoint(app, 'token', { grant_type: grant, ...portal.credentials });
      expect(body.error).not.toBe('unsupported_grant_type');
    }
    const unknown = await callEndpoint(app, 'token', { grant_type: 'password', ...portal.credentials });
    expect(unknown.body.error).toBe('unsupported_grant_type');
  });

  it('lists exactly the claims that are returned', async () => {
    const tokens = await tokensOf('openid profile email', { nonce: 'x' });
    const { body } = await userInfo(tokens.access_token);
    const given = new Set([...Object.keys(said(tokens.id_token)), ...Object.keys(body)]);
    const { claims_supported: claims = [] } = await discovered('oidc');
    expect([...given].toSorted()).toEqual([...claims].toSorted());
  });
});

describe('Protected-resource metadata', () => {
  it.each(['/v0', '/graphql'])(
    'of %s is validated by oauth4webapi, and its resource accepts the token',
    async (path) => {
      const { app } = running;
      const resource = new URL(`${publicUrl}${path}`);
      const fetching = { [oauth.customFetch]: proxied(app) };
      const metadata = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, fetching),
      );
      expect(metadata.authorization_servers).toEqual([issuer.href]);
      const robot = { id: `robot-of${path.replace('/', '-')}`, scope: 'agents:list' };
      const { credentials } = await registerService(app, ownerOf(tenant), robot);
      const form = { grant_type: 'client_credentials', ...credentials };
      const granted = await callEndpoint(app, 'token', { ...form, resource: metadata.resource });
      expect(said(granted.body.access_token)['aud']).toBe('the-audience');
      const foreign = await callEndpoint(app, 'token', { ...form, resource: 'https://other.example.com' });
      expect(foreign.body.error).toBe('invalid_target');
    },
  );

  it('is linked from the response to a request without access', async () => {
    const { app } = running;
    const pointedTo = (answer: Answer) =>
      /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1];
    for (const [answer, path] of [
      [await rest(app, '/agents'), '/v0'],
      [await rest(app, '/agents', { key: 'x' }), '/v0'],
      [await graphql(app, undefined, '{ viewer { name } }'), '/graphql'],
    ] as const) {
      expect(answer.status).toBe(401);
      const address = pointedTo(answer) ?? '';
      expect(address).toBe(`${publicUrl}/.well-known/oauth-protected-resource${path}`);
      expect((await fetch(address.replace(publicUrl, app.origin))).status).toBe(200);
    }
  });
});
