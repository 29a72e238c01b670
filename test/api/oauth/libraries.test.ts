// Two OAuth libraries that others use, against the running gateway, without a line that is particular to it.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createTenant, graphql, rest, useApp } from '../../harness.js';
import type { Tenant, TestApp } from '../../harness.js';
import { callback, givePassword, ownerOf, registerClient, registerService, Visitor } from './visitor.js';
import type { RegisteredClient } from './visitor.js';

const publicUrl = 'https://control.example.com';
const issuer = new URL(`${publicUrl}/v0`);
const running = useApp({ PUBLIC_URL: publicUrl });
let tenant: Tenant;
let email: string;
let dashboard: RegisteredClient;
let service: RegisteredClient;

beforeAll(async () => {
  const { app } = running;
  // The libraries compare with the time that it is.
  app.clock.now = new Date();
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(app, 'northwind');
  dashboard = await registerClient(app);
  service = await registerService(app, ownerOf(tenant), { scope: 'agents:list agents:get' });
  await addAgents(app, tenant.workspaces['northwind-main'], [anAgent('support')]);
});

/** Simulates a proxy that ends TLS in front of the gateway. */
function proxied(app: TestApp): (url: string, options: SentOptions) => Promise<Response> {
  return (url, { body, ...options }) => {
    const init = { ...options, body: body?.toString() ?? null };
    return fetch(url.replace(publicUrl, app.origin), init);
  };
}

interface SentOptions {
  method: string;
  headers: Record<string, string>;
  redirect: 'manual';
  /** Text, or parameters of a form. */
  body?: { toString: () => string } | null | undefined;
}

/** Signs in and allows, in a browser; gives the address that the browser is sent back to. */
async function browse(address: URL): Promise<URL> {
  const visitor = new Visitor(running.app);
  const page = await visitor.open(`${address.pathname}${address.search}`);
  const next = await visitor.signIn(page, email);
  // A client with a secret requires consent once.
  return new URL(next.status === 303 ? next.location : (await visitor.allow(next)).location);
}

async function expectUsable(token: string): Promise<void> {
  const { app } = running;
  const list = await rest(app, '/agents', { key: token, version: '2026-04-28' });
  expect(list.status).toBe(200);
  expect(list.body.data).toMatchObject([{ metadata: { name: 'support' } }]);
  const answer = await graphql(app, token, '{ agents(first: 5) { totalCount nodes { metadata { name } } } }');
  expect(answer.body.data.agents).toEqual({ totalCount: 1, nodes: [{ metadata: { name: 'support' } }] });
}

describe('oauth4webapi', () => {
  const client: oauth.Client = { client_id: 'dashboard' };

  async function discover(algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
    const options = { algorithm, [oauth.customFetch]: proxied(running.app) };
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  }

  it.each(['oauth2', 'oidc'] as const)('discovers the endpoints, as %s', async (algorithm) => {
    expect(await discover(algorithm)).toMatchObject({
      issuer: issuer.href,
      authorization_endpoint: `${issuer.href}/oauth/authorize`,
      token_endpoint: `${issuer.href}/oauth/token`,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
    });
  });

  it.each(['basic', 'post'] as const)('signs a user in, with the secret by %s', async (way) => {
    const server = await discover('oauth2');
    const fetching = { [oauth.customFetch]: proxied(running.app) };
    const secret = way === 'basic' ? oauth.ClientSecretBasic : oauth.ClientSecretPost;
    const authentication = secret(dashboard.secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id: 'dashboard',
      redirect_uri: callback,
      response_type: 'code',
      scope: 'agents:list agents:get',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    }).toString();
    const answered = oauth.validateAuthResponse(server, client, await browse(address), state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, authentication, answered, callback, verifier, fetching),
    );
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'agents:get agents:list' });
    await expectUsable(tokens.access_token);

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token ?? '', fetching),
    );
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    await expectUsable(refreshed.access_token);

    const introspect = async () =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, refreshed.access_token, fetching),
      );
    expect(await introspect()).toMatchObject({ active: true, client_id: 'dashboard', username: email });
    const revoked = await oauth.revocationRequest(
      server,
      client,
      authentication,
      refreshed.refresh_token ?? '',
      fetching,
    );
    await oauth.processRevocationResponse(revoked);
    expect(await introspect()).toEqual({ active: false });
  });

  it('validates an access token as RFC 9068 requires, with the published keys', async () => {
    const server = await discover('oauth2');
    const fetching = { [oauth.customFetch]: proxied(running.app) };
    const machine: oauth.Client = { client_id: 'ci' };
    const { access_token } = await oauth.processClientCredentialsResponse(
      server,
      machine,
      await oauth.clientCredentialsGrantRequest(
        server,
        machine,
        oauth.ClientSecretPost(service.secret),
        { scope: 'agents:list' },
        fetching,
      ),
    );
    const request = new Request('https://api.example.com', { headers: { authorization: `Bearer ${access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, issuer.href, fetching);
    expect(claims).toMatchObject({ client_id: 'ci', sub: tenant.principalId, scope: 'agents:list' });
    await expect(oauth.validateJwtAccessToken(server, request, 'https://other.example.com', fetching)).rejects.toThrow(
      'aud',
    );
  });

  it('receives errors with the codes of RFC 6749', async () => {
    const server = await discover('oauth2');
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id: 'ci' },
      oauth.ClientSecretPost(service.secret),
      { scope: 'agents:fly' },
      { [oauth.customFetch]: proxied(running.app) },
    );
    await expect(oauth.processClientCredentialsResponse(server, { client_id: 'ci' }, response)).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
  });
});

describe('openid-client', () => {
  async function configure(clientId: string, secret: string, algorithm: 'oauth2' | 'oidc') {
    const options = { algorithm, [openid.customFetch]: proxied(running.app) };
    return openid.discovery(issuer, clientId, secret, undefined, options);
  }

  it.each(['oauth2', 'oidc'] as const)('signs a user in, discovering as %s', async (algorithm) => {
    const configuration = await configure('dashboard', dashboard.secret, algorithm);
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: 'agents:list',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const tokens = await openid.authorizationCodeGrant(configuration, await browse(address), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    await expectUsable(tokens.access_token);
    const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    await expectUsable(refreshed.access_token);
    expect(await openid.tokenIntrospection(configuration, refreshed.access_token)).toMatchObject({ active: true });
    await openid.tokenRevocation(configuration, refreshed.access_token);
    expect(await openid.tokenIntrospection(configuration, refreshed.access_token)).toMatchObject({ active: false });
    expect(await openid.tokenIntrospection(configuration, refreshed.refresh_token ?? '')).toMatchObject({
      active: false,
    });
  });

  it('exchanges a client’s own secret for a token', async () => {
    const configuration = await configure('ci', service.secret, 'oauth2');
    const { access_token, scope } = await openid.clientCredentialsGrant(configuration, { scope: 'agents:list' });
    expect(scope).toBe('agents:list');
    await expectUsable(access_token);
  });

  it('rejects a response of another server by its iss', async () => {
    const configuration = await configure('dashboard', dashboard.secret, 'oauth2');
    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: 'agents:list',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const answer = await browse(address);
    answer.searchParams.set('iss', 'https://other.example.com');
    await expect(
      openid.authorizationCodeGrant(configuration, answer, { pkceCodeVerifier: verifier }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('"iss"') } });
  });
});
