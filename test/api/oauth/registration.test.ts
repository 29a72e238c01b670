// Programs that register themselves (RFC 7591): the flow of an assistant, hostile metadata, limits and the cleanup.
import { Client, StreamableHTTPClientTransport, UnauthorizedError, auth } from '@modelcontextprotocol/client';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteUnusedClients, unusedClientsMax } from '../../../src/auth/grants/client-registration.js';
import { grantableScopes } from '../../../src/auth/scopes.js';
import { attemptsMax } from '../../../src/auth/sign-in/sign-in-attempts.js';
import { backgroundTasks } from '../../../src/server/background-tasks.js';
import { runBackgroundTasks } from '../../../src/server/run-background-tasks.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { setPassword } from '../../set-password.js';
import {
  authorizeAddress,
  callEndpoint,
  createVerifier,
  formOf,
  givePassword,
  obtainCode,
  password,
  Visitor,
} from './visitor.js';

const publicUrl = 'https://control.example.com';
const redirectUri = 'http://127.0.0.1:33418/callback';
const day = 24 * 60 * 60_000;
const closed = useApp();
const running = useApp({
  PUBLIC_URL: publicUrl,
  OAUTH_REGISTRATION: 'on',
  CLIENT_ADDRESS_HEADER: 'X-Forwarded-For',
});
const db = () => running.app.services.db;
let northwind: Tenant;
let southwind: Tenant;
let email: string;
let otherEmail: string;

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  southwind = await createTenant(app, { account: 'southwind', workspaces: ['southwind-main'] });
  email = await givePassword(app, 'northwind');
  otherEmail = await givePassword(app, 'southwind');
  await addAgents(app, northwind.workspaces['northwind-main'], [anAgent('northern')]);
  await addAgents(app, southwind.workspaces['southwind-main'], [anAgent('southern')]);
});

beforeEach(async () => {
  running.app.clock.now = frozenNow;
  await db().signInAttempt.deleteMany();
  await db().oauthClient.deleteMany({ where: { selfRegistered: true } });
});

async function send(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${running.app.origin}/v0/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

async function register(more: object = {}): Promise<string> {
  const { status, body } = await send({ redirect_uris: [redirectUri], client_name: 'Helper', ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.client_id;
}

/** The tokens of a user who agreed to everything that the client asked for. */
async function tokensFor(clientId: string, user: string, scope = 'agents:list'): Promise<Answer['body']> {
  const given = await obtainCode(running.app, user, { client_id: clientId, redirect_uri: redirectUri, scope });
  const { status, body } = await callEndpoint(running.app, 'token', {
    grant_type: 'authorization_code',
    code: given.code,
    code_verifier: given.verifier,
    redirect_uri: redirectUri,
    client_id: clientId,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function agentsOf(token: string): Promise<string[]> {
  const { body } = await rest(running.app, '/agents', { key: token, version: '2026-04-28' });
  return body.data.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
}

describe('Without OAUTH_REGISTRATION', () => {
  it('the endpoint responds like an unknown path', async () => {
    const { key } = await createKey(closed.app, await createTenant(closed.app, { account: 'one', workspaces: [] }));
    const json = { redirect_uris: [redirectUri] };
    for (const more of [{}, { key }]) {
      const [known, unknown] = await Promise.all(
        ['/oauth/register', '/oauth/unknown'].map((path) => rest(closed.app, path, { method: 'POST', json, ...more })),
      );
      expect(known?.status).toBe(404);
      expect(known?.status).toBe(unknown?.status);
      expect(known?.body).toEqual(unknown?.body);
    }
    expect(await closed.app.services.db.oauthClient.count()).toBe(0);
  });

  it('the metadata has no registration endpoint', async () => {
    const { body } = await rest(closed.app, '/.well-known/oauth-authorization-server');
    expect(body.token_endpoint).toMatch(/\/token$/);
    expect(body).not.toHaveProperty('registration_endpoint');
  });
});

/** An assistant of the SDK: it keeps what it gets in memory, and remembers where it sent its user. */
class TestProvider implements OAuthClientProvider {
  readonly redirectUrl = redirectUri;
  readonly clientMetadata: OAuthClientMetadata = { client_name: 'Test assistant', redirect_uris: [redirectUri] };
  client: StoredOAuthClientInformation | undefined;
  saved: StoredOAuthTokens | undefined;
  verifier = '';
  discovered: OAuthDiscoveryState | undefined;
  sentTo: URL | undefined;

  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.client = client;
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.saved = tokens;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.discovered = state;
  }
  discoveryState() {
    return this.discovered;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}

describe('An assistant of the MCP SDK', () => {
  /** Simulates a proxy that ends TLS in front of the gateway. */
  const proxied = async (url: string | URL, init?: RequestInit) =>
    fetch(String(url).replace(publicUrl, running.app.origin), init);
  const serverUrl = new URL(`${publicUrl}/mcp`);

  it('registers itself, signs its user in, calls a tool, refreshes, and can be revoked', async () => {
    // The SDK compares with the time that it is.
    running.app.clock.now = new Date();
    const provider = new TestProvider();
    const open = () => new StreamableHTTPClientTransport(serverUrl, { authProvider: provider, fetch: proxied });
    const connected = async () => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(open());
      return client;
    };
    await expect(connected()).rejects.toThrow(UnauthorizedError);
    expect(provider.client).toMatchObject({ client_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(provider.client).not.toHaveProperty('client_secret');

    const visitor = new Visitor(running.app);
    const consent = await visitor.signIn(await visitor.open(`authorize${provider.sentTo?.search}`), email);
    expect(consent.text).toContain('Let Test assistant use your account?');
    expect(consent.text).toContain('This application registered itself, and nobody verified its name.');
    expect(consent.text).toContain('Redirects to 127.0.0.1:33418.');
    const scopes = ['workspaces:list', 'agents:list'];
    const { location } = await visitor.allow(consent, { scopes });
    await open().finishAuth(new URL(location).searchParams);
    expect(provider.saved?.scope).toBe('agents:list workspaces:list');

    const whoami = async () =>
      (await (await connected()).callTool({ name: 'whoami', arguments: {} })).structuredContent;
    expect(await whoami()).toMatchObject({ name: email, scopes: ['agents:list', 'workspaces:list'] });
    const first = provider.saved?.access_token;
    expect(await auth(provider, { serverUrl, fetchFn: proxied })).toBe('AUTHORIZED');
    expect(provider.saved?.access_token).not.toBe(first);
    expect(await whoami()).toMatchObject({ name: email });

    const clientId = provider.client?.client_id ?? '';
    const { access_token: token = '', refresh_token: refreshToken = '' } = provider.saved ?? {};
    expect((await callEndpoint(running.app, 'revoke', { token, client_id: clientId })).status).toBe(200);
    await expect.poll(async () => (await rest(running.app, '/agents', { key: token })).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId };
    expect((await callEndpoint(running.app, 'token', refresh)).body.error).toBe('invalid_grant');
  });
});

describe('A registration', () => {
  it('is in the metadata, and creates a public client with the defaults of the service', async () => {
    const { body: metadata } = await rest(running.app, '/.well-known/oauth-authorization-server');
    expect(metadata.registration_endpoint).toBe(`${publicUrl}/v0/oauth/register`);
    const { status, headers, body } = await send({ redirect_uris: [redirectUri] });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: frozenNow.getTime() / 1000,
      client_name: 'An unnamed application',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: grantableScopes.join(' '),
    });
    expect(await db().oauthClient.findUniqueOrThrow({ where: { id: body.client_id } })).toMatchObject({
      secretHash: null,
      accountId: null,
      principalId: null,
      selfRegistered: true,
    });
  });

  it('keeps the metadata that it may choose, and ignores unknown metadata', async () => {
    const redirectUris = ['https://assistant.example.com/callback', 'http://localhost/', 'com.example.app:/callback'];
    const { status, body } = await send({
      redirect_uris: redirectUris,
      client_name: 'Ada’s assistant',
      scope: 'agents:list  agents:get agents:list',
      grant_types: ['authorization_code', 'client_credentials'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      client_uri: null,
      logo_uri: 'javascript:alert(1)',
      client_id: 'graphiql',
      selfRegistered: false,
      accountId: northwind.accountId,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_name: 'Ada’s assistant',
      redirect_uris: redirectUris,
      scope: 'agents:list agents:get',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    expect(body).not.toHaveProperty('client_secret');
    expect(body).not.toHaveProperty('logo_uri');
  });

  it('leaves out redirect URIs and scopes that this service does not support, and says which remain', async () => {
    const { status, body } = await send({
      redirect_uris: ['cursor://anysphere.cursor-mcp/callback', redirectUri, 'http://assistant.example.com/callback'],
      scope: 'openid profile email offline_access agents:list assignments:work',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ redirect_uris: [redirectUri], scope: 'openid profile email agents:list' });
    const stored = await db().oauthClient.findUniqueOrThrow({ where: { id: body.client_id } });
    expect(stored).toMatchObject({ redirectUris: [redirectUri], scope: 'openid profile email agents:list' });
    const asked = { client_id: body.client_id, redirect_uri: 'cursor://anysphere.cursor-mcp/callback' };
    const refused = await new Visitor(running.app).open(authorizeAddress(asked));
    expect([refused.status, refused.location]).toEqual([400, '']);
  });

  const rightToLeft = `Console${String.fromCodePoint(0x20_2e)}`;

  it.each([
    ['redirect_uris is required.', 'invalid_redirect_uri', {}],
    ['redirect_uris must not be empty.', 'invalid_redirect_uri', { redirect_uris: [] }],
    ['redirect_uris must be a list.', 'invalid_redirect_uri', { redirect_uris: redirectUri }],
    ['redirect_uris[1] must be a string.', 'invalid_redirect_uri', { redirect_uris: [redirectUri, 7] }],
    [
      'redirect_uris must be at most 10 items.',
      'invalid_redirect_uri',
      { redirect_uris: Array.from({ length: 11 }, () => redirectUri) },
    ],
    [
      'redirect_uris[0] must be https, unless it is a loopback address.',
      'invalid_redirect_uri',
      { redirect_uris: ['http://assistant.example.com/callback', 'cursor://callback'] },
    ],
    [
      'redirect_uris[0] must be https, or a scheme such as com.example.app:.',
      'invalid_redirect_uri',
      { redirect_uris: ['javascript:alert(1)'] },
    ],
    ['redirect_uris[0] must not have a fragment.', 'invalid_redirect_uri', { redirect_uris: ['https://a.example/#x'] }],
    ['redirect_uris[0] must be an absolute URI.', 'invalid_redirect_uri', { redirect_uris: ['/callback'] }],
    [
      'redirect_uris[0] must not contain invisible characters.',
      'invalid_redirect_uri',
      { redirect_uris: ['https://a.example/\uD800'] },
    ],
    [
      'redirect_uris[0] must be an absolute URI.',
      'invalid_redirect_uri',
      { redirect_uris: [`https://a.example/${'a'.repeat(2_000)}`] },
    ],
    ['client_name must not be empty.', 'invalid_client_metadata', { client_name: '' }],
    ['client_name must be at most 63 characters.', 'invalid_client_metadata', { client_name: 'a'.repeat(64) }],
    ['client_name must not contain control characters.', 'invalid_client_metadata', { client_name: 'a\u0000b' }],
    [
      'client_name must not contain characters that change the direction of text, such as U+202E.',
      'invalid_client_metadata',
      { client_name: rightToLeft },
    ],
    ['client_name must be a string.', 'invalid_client_metadata', { client_name: { a: 1 } }],
    [
      'scope must contain a scope in scopes_supported.',
      'invalid_client_metadata',
      { scope: 'offline_access assignments:work' },
    ],
    ['scope must be a string.', 'invalid_client_metadata', { scope: ['agents:list'] }],
    [
      'grant_types must contain authorization_code.',
      'invalid_client_metadata',
      { grant_types: ['client_credentials'] },
    ],
    ['response_types must contain code.', 'invalid_client_metadata', { response_types: ['token'] }],
    ['token_endpoint_auth_method must be a string.', 'invalid_client_metadata', { token_endpoint_auth_method: 1 }],
  ])('is rejected: %s', async (description, error, metadata) => {
    const defaults = error === 'invalid_redirect_uri' ? {} : { redirect_uris: [redirectUri] };
    const { status, body } = await send({ ...defaults, ...metadata });
    expect(status).toBe(400);
    expect(body).toEqual({ error, error_description: description });
    expect(await db().oauthClient.count({ where: { selfRegistered: true } })).toBe(0);
  });

  it('is one JSON object of at most 32 KiB', async () => {
    for (const body of ['[]', 'null', '"x"', '7']) {
      expect((await send(body)).body).toMatchObject({ error: 'invalid_client_metadata' });
    }
    expect(await send('{')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(`redirect_uris=${redirectUri}`, form)).status).toBe(400);
    expect((await send({ redirect_uris: [redirectUri], padding: 'a'.repeat(33_000) })).status).toBe(413);
    const response = await fetch(`${running.app.origin}/v0/oauth/register`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

describe('A client that registered itself', () => {
  it('needs PKCE, has no secret, and asks its user each time', async () => {
    const clientId = await register();
    const asked = { client_id: clientId, redirect_uri: redirectUri };
    const visitor = new Visitor(running.app);
    const plain = await visitor.open(authorizeAddress({ ...asked, code_challenge: undefined }));
    expect(plain.status).toBe(400);
    expect(plain.text).toContain('The parameter code_challenge is missing.');
    const { challenge: code_challenge } = createVerifier();
    const address = authorizeAddress({ ...asked, code_challenge });
    await visitor.allow(await visitor.signIn(await visitor.open(address), email));
    expect((await visitor.open(address)).text).toContain('registered itself');
    const secret = { grant_type: 'client_credentials', client_id: clientId, client_secret: 'guess' };
    expect((await callEndpoint(running.app, 'token', secret)).body.error).toBe('invalid_client');
    const none = { grant_type: 'client_credentials', client_id: clientId };
    expect((await callEndpoint(running.app, 'token', none)).body.error).toBe('unauthorized_client');
  });

  it('escapes its name on the consent page', async () => {
    const clientId = await register({ client_name: '<b>Console</b>' });
    const visitor = new Visitor(running.app);
    const page = await visitor.open(authorizeAddress({ client_id: clientId, redirect_uri: redirectUri }));
    const consent = await visitor.signIn(page, email);
    expect(consent.text).toContain('registered itself');
    expect(consent.text).not.toContain('<b>');
  });

  it('cannot redirect a browser whose user has decided nothing', async () => {
    const evil = 'https://evil.example.com/callback';
    const clientId = await register({ redirect_uris: [evil], scope: 'agents:list' });
    const visitor = new Visitor(running.app);
    for (const broken of [{ scope: 'agents:get' }, { response_type: 'token' }, { resource: 'x' }, { prompt: 'none' }]) {
      const page = await visitor.open(authorizeAddress({ client_id: clientId, redirect_uri: evil, ...broken }));
      expect(page.status).toBe(400);
      expect(page.location).toBe('');
      expect(page.text).toContain('Sign-in failed');
    }
    const asked = authorizeAddress({ client_id: clientId, redirect_uri: evil });
    const outsider = new Visitor(running.app);
    await db().principal.create({ data: { kind: 'user', name: 'outsider@example.com' } });
    await setPassword(db(), 'outsider@example.com', password, frozenNow);
    const page = await outsider.signIn(await outsider.open(asked), 'outsider@example.com');
    expect({ status: page.status, location: page.location }).toEqual({ status: 400, location: '' });
    expect(page.text).toContain('The user is not a member of any account.');
    const consent = await visitor.signIn(await visitor.open(asked), email);
    const denied = await visitor.submit(consent, 'consent', [['decision', 'deny']]);
    expect(denied.location).toMatch(/^https:\/\/evil\.example\.com\/callback\?error=access_denied/);
  });

  it('shows users of two accounts only their own data, and ends for one of them alone', async () => {
    const { app } = running;
    const clientId = await register();
    const mine = await tokensFor(clientId, email);
    const theirs = await tokensFor(clientId, otherEmail);
    expect(await agentsOf(mine.access_token)).toEqual(['northern']);
    expect(await agentsOf(theirs.access_token)).toEqual(['southern']);
    const foreign = { 'x-service-workspace': 'southwind-main' };
    expect((await rest(app, '/agents', { key: mine.access_token, headers: foreign })).status).toBe(403);

    const visitor = new Visitor(app);
    const page = await visitor.signIn(await visitor.open('account'), email, undefined, 'account-sign-in');
    expect(page.text).toContain('<strong>Helper</strong> in northwind');
    expect(page.text).not.toContain('southwind');
    const { path, hidden } = formOf(page, 'account-programs');
    await visitor.post(path, hidden);
    await expect.poll(async () => (await rest(app, '/agents', { key: mine.access_token })).status).toBe(401);
    const refresh = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token, client_id: clientId });
    expect((await callEndpoint(app, 'token', refresh(mine.refresh_token))).body.error).toBe('invalid_grant');
    expect(await agentsOf(theirs.access_token)).toEqual(['southern']);
    expect((await callEndpoint(app, 'token', refresh(theirs.refresh_token))).status).toBe(200);
  });

  it('is not a client of any account: admins neither see nor change it', async () => {
    const clientId = await register();
    await tokensFor(clientId, email);
    for (const tenant of [northwind, southwind]) {
      const { key } = await createKey(running.app, tenant);
      const { body } = await graphql(running.app, key, '{ oauthClients { totalCount nodes { name } } }');
      expect(body.data.oauthClients).toEqual({ totalCount: 0, nodes: [] });
      for (const mutation of ['revokeOauthClient', 'deleteOauthClient']) {
        const document = `mutation($name: String!) { ${mutation}(input: { name: $name }) { __typename } }`;
        const answer = await graphql(running.app, key, document, { name: clientId });
        expect(answer.body.data[mutation]).toEqual({ __typename: 'NotFoundError' });
      }
    }
    expect(await db().oauthClient.count({ where: { id: clientId, revokedAt: null } })).toBe(1);
  });

  it('is named in the change log of the account that its user chose', async () => {
    const clientId = await register();
    await tokensFor(clientId, email);
    const { key } = await createKey(running.app, northwind);
    const document = 'query ($names: [String!]) { changes(first: 9, filter: { names: $names }) { nodes { message } } }';
    const { body } = await graphql(running.app, key, document, { names: [clientId] });
    expect(body.data.changes.nodes).toEqual([
      { message: 'Authorized the application Helper, which registered itself' },
    ]);
  });
});

describe('The limits of registration', () => {
  it('are those of an address: another address can still register', async () => {
    const metadata = { redirect_uris: [redirectUri] };
    const from = (address: string) => ({ 'x-forwarded-for': address });
    for (let round = 0; round < attemptsMax['registration of address']; round++) {
      expect((await send(metadata, from('198.51.100.7'))).status).toBe(201);
    }
    const refused = await send(metadata, from('198.51.100.7'));
    expect(refused.status).toBe(429);
    expect(refused.body.error).toBe('invalid_request');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send(metadata, from('198.51.100.8'))).status).toBe(201);
    running.app.clock.now = new Date(frozenNow.getTime() + 15 * 60_000);
    expect((await send(metadata, from('198.51.100.7'))).status).toBe(201);
  });

  it('replace the oldest unused registration when there are too many, and none that a user authorized', async () => {
    const used = await register();
    await tokensFor(used, email);
    await db().$executeRaw`
      INSERT INTO "oauth_client" ("id", "display_name", "redirect_uris", "grant_types", "scope", "self_registered", "created_at")
      SELECT 'unused-' || number, 'Unused', '{}', '{authorization_code}', 'agents:list', true,
        ${frozenNow}::timestamptz + number * interval '1 millisecond'
      FROM generate_series(1, ${unusedClientsMax}::int) AS number`;
    running.app.clock.now = new Date(frozenNow.getTime() + 60_000);
    const newest = await register();
    const present = async (id: string) => (await db().oauthClient.count({ where: { id } })) === 1;
    expect(await present('unused-1')).toBe(false);
    for (const id of [used, 'unused-2', newest]) expect(await present(id)).toBe(true);
    expect(await db().oauthClient.count({ where: { selfRegistered: true } })).toBe(unusedClientsMax + 1);
  });
});

describe('The background task', () => {
  const tend = () =>
    runBackgroundTasks(running.app.services, running.app.config, [backgroundTasks.deleteUnusedClients]);
  const left = async () =>
    (await db().oauthClient.findMany({ where: { selfRegistered: true } })).map(({ id }) => id).toSorted();

  it('deletes registrations that no user authorized within 30 days, and no other client', async () => {
    expect(Object.values(backgroundTasks)).toContain(backgroundTasks.deleteUnusedClients);
    await db().oauthClient.create({
      data: { id: 'by-operator', displayName: 'x', redirectUris: [], grantTypes: [], scope: '', createdAt: frozenNow },
    });
    const [unused, used] = [await register(), await register()];
    await tokensFor(used, email);
    running.app.clock.now = new Date(frozenNow.getTime() + 29 * day);
    const recent = await register();
    await tend();
    expect(await left()).toEqual([unused, used, recent].toSorted());
    running.app.clock.now = new Date(frozenNow.getTime() + 31 * day);
    await Promise.all([tend(), tend()]);
    expect(await left()).toEqual([used, recent].toSorted());
    expect(await db().oauthClient.count({ where: { id: 'by-operator' } })).toBe(1);
    const visitor = new Visitor(running.app);
    const page = await visitor.open(authorizeAddress({ client_id: unused, redirect_uri: redirectUri }));
    expect(page.text).toContain('is not registered with this service');
  });

  it('deletes a used registration after its last authorization has expired', async () => {
    const used = await register();
    await tokensFor(used, email);
    running.app.clock.now = new Date(frozenNow.getTime() + 32 * day);
    await tend();
    expect(await left()).toEqual([used]);
    await runBackgroundTasks(running.app.services, running.app.config, [backgroundTasks.forgetExpiredGrants]);
    await tend();
    expect(await left()).toEqual([]);
  });

  it('keeps a registration that is authorized while it runs', async () => {
    const id = await register();
    const later = new Date(frozenNow.getTime() + 31 * day);
    const authorization = { principalId: northwind.principalId, accountId: northwind.accountId, scope: 'agents:list' };
    const deleting = await db().$transaction(async (tx) => {
      await tx.oauthAuthorization.create({
        data: { clientId: id, ...authorization, createdAt: later, lastUsedAt: later },
      });
      return { deleted: deleteUnusedClients(db(), later) };
    });
    expect(await deleting.deleted).toEqual([]);
    expect(await left()).toEqual([id]);
  });
});
