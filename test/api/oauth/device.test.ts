// Device authorization: a program without a browser, the page for user codes, and attacks.
import * as oauth from 'oauth4webapi';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attemptsMax } from '../../../src/auth/sign-in/sign-in-attempts.js';
import { forgetExpired } from '../../../src/auth/grants/housekeeping.js';
import { revokeClient } from '../../../src/accounts/oauth-clients.js';
import { frameContext } from '../../../src/cli/operator/operator-context.js';
import { addAgents, anAgent, createTenant, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { callEndpoint, formOf, givePassword, registerClient, Visitor } from './visitor.js';
import type { Page, RegisteredClient } from './visitor.js';

const publicUrl = 'https://control.example.com';
const running = useApp({ PUBLIC_URL: publicUrl, CLIENT_ADDRESS_HEADER: 'X-Forwarded-For' });
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
let tenant: Tenant;
let email: string;
let television: RegisteredClient;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main', 'northwind-lab'] });
  email = await givePassword(app, 'northwind');
  const device = { redirectUris: [], grantTypes: ['device_code' as const, 'refresh_token' as const] };
  television = await registerClient(app, { id: 'television', displayName: 'Wall screen', ...device });
  await registerClient(app, { id: 'other', ...device });
  await addAgents(app, tenant.workspaces['northwind-main'], [anAgent('support')]);
});

beforeEach(async () => {
  await running.app.services.db.signInAttempt.deleteMany();
});

interface Device {
  device_code: string;
  user_code: string;
}

async function start(scope = 'agents:list', client = television): Promise<Device & Record<string, unknown>> {
  const { status, body } = await callEndpoint(running.app, 'device_authorization', { scope, ...client.credentials });
  expect(status).toBe(200);
  return body;
}

async function poll(device: Device, credentials: Record<string, string> = television.credentials): Promise<Answer> {
  const form = { grant_type: deviceGrant, device_code: device.device_code };
  return callEndpoint(running.app, 'token', { ...form, ...credentials });
}

/** Polls as often as a patient program does: later than before. */
async function pollLater(device: Device): Promise<Answer> {
  const { clock } = running.app;
  clock.now = new Date(clock.now.getTime() + 60_000);
  const answer = await poll(device);
  clock.now = new Date(clock.now.getTime() - 60_000);
  return answer;
}

/** A signed-in user on the page for user codes. */
async function atCodePage(): Promise<{ visitor: Visitor; page: Page }> {
  const visitor = new Visitor(running.app);
  const page = await visitor.signIn(await visitor.open('device'), email, undefined, 'device-sign-in');
  expect(page.text).toContain('<h1>Connect an application or device</h1>');
  return { visitor, page };
}

async function typing(visitor: Visitor, code: string): Promise<Page> {
  return visitor.open(`device?${new URLSearchParams({ user_code: code })}`);
}

async function allowed(device: Device, choice: { scopes?: string[]; place?: string } = {}): Promise<Page> {
  const { visitor } = await atCodePage();
  return visitor.allow(await typing(visitor, device.user_code), choice, 'device-consent');
}

describe('A program without a browser', () => {
  it('gets a code to show, and tokens after its user has agreed', async () => {
    const device = await start();
    expect(device).toEqual({
      device_code: expect.stringMatching(/^wcd_[A-Za-z0-9_-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${publicUrl}/v0/oauth/device`,
      verification_uri_complete: `${publicUrl}/v0/oauth/device?user_code=${device.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect((await poll(device)).body.error).toBe('authorization_pending');
    const done = await allowed(device, { place: `${tenant.accountId}/${tenant.workspaces['northwind-main']}` });
    expect(done.text).toContain('Access granted');
    const { status, body } = await pollLater(device);
    expect(status).toBe(200);
    const list = await rest(running.app, '/agents', { key: body.access_token, version: '2026-04-28' });
    expect(list.body.data).toMatchObject([{ metadata: { name: 'support' } }]);
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...television.credentials };
    expect((await callEndpoint(running.app, 'token', form)).status).toBe(200);
  });

  it('discovers everything with oauth4webapi', async () => {
    const { app } = running;
    const issuer = new URL(`${publicUrl}/v0`);
    const options = {
      [oauth.customFetch]: (
        url: string,
        { body, ...init }: oauth.CustomFetchOptions<string, URLSearchParams | undefined | null>,
      ) => fetch(url.replace(publicUrl, app.origin), { ...init, body: body?.toString() ?? null }),
    };
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const client: oauth.Client = { client_id: 'television' };
    const secret = oauth.ClientSecretBasic(television.secret);
    const asked = await oauth.deviceAuthorizationRequest(server, client, secret, { scope: 'agents:list' }, options);
    const device = await oauth.processDeviceAuthorizationResponse(server, client, asked);
    const ask = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, secret, device.device_code, options),
      );
    await expect(ask()).rejects.toMatchObject({ error: 'authorization_pending' });
    await allowed(device);
    expect(await ask()).toMatchObject({ scope: 'agents:list', token_type: 'bearer' });
  });

  it('gets only the scopes that its user agreed to, in the tenant that they chose', async () => {
    const device = await start('agents:list agents:get agents:delete');
    const place = `${tenant.accountId}/${tenant.workspaces['northwind-lab']}`;
    await allowed(device, { scopes: ['agents:list', 'admin'], place });
    const { body } = await pollLater(device);
    expect(body.scope).toBe('agents:list');
    const headers = { 'x-service-workspace': 'northwind-main' };
    expect((await rest(running.app, '/agents', { key: body.access_token, headers })).status).toBe(403);
  });

  it('gets access_denied if its user declines', async () => {
    const device = await start();
    const { visitor } = await atCodePage();
    const page = await typing(visitor, device.user_code);
    expect((await visitor.submit(page, 'device-consent', [['decision', 'deny']])).text).toContain('Access denied');
    expect((await pollLater(device)).body.error).toBe('access_denied');
    expect((await typing(visitor, device.user_code)).status).toBe(400);
  });

  it('must poll more slowly after slow_down', async () => {
    const { clock } = running.app;
    const { now } = clock;
    const device = await start();
    const after = async (seconds: number) => {
      clock.now = new Date(clock.now.getTime() + seconds * 1000);
      return (await poll(device)).body.error;
    };
    const told = [await after(0), await after(1), await after(5), await after(16), await after(15)];
    clock.now = now;
    expect(told).toEqual([
      'authorization_pending',
      'slow_down',
      'slow_down',
      'authorization_pending',
      'authorization_pending',
    ]);
  });

  it('gets expired_token after ten minutes, whether its user agreed or not', async () => {
    const { app } = running;
    const [left, agreed] = [await start(), await start()];
    await allowed(agreed);
    const { visitor } = await atCodePage();
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 600_000);
    const answers = [await poll(left), await poll(agreed)];
    const page = await typing(visitor, left.user_code);
    app.clock.now = now;
    expect(answers.map(({ body }) => body.error)).toEqual(['expired_token', 'expired_token']);
    expect(page.status).toBe(400);
    expect(await app.services.db.oauthAuthorization.count({ where: { endedAt: null, codes: { none: {} } } })).toBe(
      await app.services.db.oauthDeviceCode.count({
        where: { usedAt: { not: null }, authorization: { endedAt: null } },
      }),
    );
    await forgetExpired(app.services.db, new Date(now.getTime() + 8 * 24 * 60 * 60_000));
    expect(await app.services.db.oauthDeviceCode.count()).toBe(0);
  });

  it('gets an error if its address requests too many codes', async () => {
    const { app } = running;
    const ask = (address: string) =>
      callEndpoint(app, 'device_authorization', television.credentials, { 'x-forwarded-for': address });
    for (let round = 0; round < attemptsMax['device of address']; round++) {
      expect((await ask('203.0.113.9')).status).toBe(200);
    }
    const refused = await ask('203.0.113.9');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await ask('203.0.113.10')).status).toBe(200);
  });

  it.each([
    ['a client without the grant', { client_id: 'graphiql' }, 'unauthorized_client', 400],
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client', 401],
    ['no client', {}, 'invalid_client', 401],
  ])('gets no code as %s', async (_what, form: Record<string, string>, error, status) => {
    const answer = await callEndpoint(running.app, 'device_authorization', form);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it('gets no code for an unknown scope, or for another resource', async () => {
    const form = { scope: 'agents:fly', ...television.credentials };
    expect((await callEndpoint(running.app, 'device_authorization', form)).body.error).toBe('invalid_scope');
    const resource = 'https://other.example.com';
    const elsewhere = { ...television.credentials, resource };
    expect((await callEndpoint(running.app, 'device_authorization', elsewhere)).body.error).toBe('invalid_target');
  });
});

describe('A device code', () => {
  it('works once for twenty concurrent requests, and a second use revokes its tokens', async () => {
    const device = await start();
    await allowed(device);
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(device)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const token = won[0]?.body.access_token;
    const status = async () => (await rest(running.app, '/agents', { key: token })).status;
    await expect.poll(status, { timeout: 1_000, interval: 50 }).toBe(401);
  });

  it('cannot be used by another client, and stays valid', async () => {
    const device = await start();
    await allowed(device);
    const other = await registerClient(running.app, { id: 'thief', redirectUris: [], grantTypes: ['device_code'] });
    expect((await poll(device, other.credentials)).body.error).toBe('invalid_grant');
    expect((await poll(device)).status).toBe(200);
  });

  it('differs from the user code', async () => {
    const device = await start();
    await allowed(device);
    expect((await poll({ ...device, device_code: device.user_code })).body.error).toBe('invalid_grant');
  });

  it('and the user code are stored as hashes', async () => {
    const device = await start();
    const rows = await running.app.services.db.oauthDeviceCode.findMany();
    const stored = JSON.stringify(
      rows.map((row) => Object.values(row).map((value) => Buffer.from(String(value)).toString())),
    );
    expect(stored).not.toContain(device.device_code);
    expect(stored).not.toContain(device.user_code.replace('-', ''));
  });

  it('grants nothing after its client is revoked', async () => {
    const { app } = running;
    const brief = await registerClient(app, { id: 'brief', redirectUris: [], grantTypes: ['device_code'] });
    const device = await start('agents:list', brief);
    await revokeClient(await frameContext(app.services), { name: 'brief' });
    expect((await poll(device, brief.credentials)).status).toBe(401);
    const { visitor } = await atCodePage();
    expect((await typing(visitor, device.user_code)).status).toBe(400);
  });
});

describe('The page for user codes', () => {
  it('requires a sign-in first, and then continues with the code', async () => {
    const device = await start();
    const visitor = new Visitor(running.app);
    const page = await visitor.open(`device?user_code=${device.user_code}`);
    expect(page.text).toContain('<h1>Sign in</h1>');
    const next = await visitor.signIn(page, email, undefined, 'device-sign-in');
    expect(next.text).toContain('Let Wall screen use your account?');
  });

  it('accepts a code in any spelling', async () => {
    const device = await start();
    const { visitor } = await atCodePage();
    for (const typed of [
      device.user_code,
      device.user_code.replace('-', ''),
      device.user_code.toLowerCase(),
      ` ${device.user_code.replace('-', ' - ')} `,
    ]) {
      expect((await typing(visitor, typed)).text).toContain('Let Wall screen use your account?');
    }
  });

  it.each(['', 'BBBB-BBBB', 'x', '\0', '<script>', 'B'.repeat(5_000)])('rejects %j', async (typed) => {
    const { visitor } = await atCodePage();
    const page = await typing(visitor, typed);
    expect(page.status).toBe(typed === '' ? 200 : 400);
    expect(page.text).toContain('<label for="user_code">');
    expect(page.text).not.toContain('<script');
  });

  it('shows the location and code of the program, and preselects only read scopes', async () => {
    const { app } = running;
    const asked = { scope: 'admin', ...television.credentials };
    const device = (await callEndpoint(app, 'device_authorization', asked, { 'x-forwarded-for': '198.51.100.7' })).body;
    const { visitor } = await atCodePage();
    const page = await typing(visitor, device.user_code.toLowerCase());
    expect(page.text).toContain('198.51.100.7');
    expect(page.text).toContain(`<strong>${device.user_code}</strong>`);
    expect(page.text).not.toContain('checked');
    expect((await visitor.allow(page, { scopes: [] }, 'device-consent')).status).toBe(400);
    expect((await pollLater(device)).body.error).toBe('authorization_pending');
  });

  it('limits a user to ten wrong codes, whatever the addresses, and does not count valid codes', async () => {
    const device = await start();
    const { visitor } = await atCodePage();
    for (let round = 0; round < attemptsMax['device code of user'] + 5; round++) {
      expect((await typing(visitor, device.user_code)).status).toBe(200);
    }
    for (let guess = 0; guess < attemptsMax['device code of user']; guess++) {
      visitor.address = `203.0.113.${guess}`;
      expect((await typing(visitor, 'BBBB-BBBB')).status).toBe(400);
    }
    const refused = await typing(visitor, device.user_code);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.text).toContain('Too many invalid codes');
  });

  it('requires a sign-in before any guess', async () => {
    const device = await start();
    const page = await new Visitor(running.app).open(`device?user_code=${device.user_code}`);
    expect(page.text).toContain('<h1>Sign in</h1>');
    expect(page.text).not.toContain('Wall screen');
  });

  it('rejects a decision from another site, another browser, or for another code', async () => {
    const [device, second] = [await start(), await start()];
    const { visitor } = await atCodePage();
    const stranger = (await atCodePage()).visitor;
    const page = await typing(visitor, device.user_code);
    const { path, hidden } = formOf(page, 'device-consent');
    const decision: [string, string][] = [
      ['decision', 'allow'],
      ['scope', 'agents:list'],
      ['place', tenant.accountId],
    ];
    const forged = [
      await visitor.post(path, decision),
      await visitor.post(path, [...hidden, ...decision], { 'sec-fetch-site': 'cross-site' }),
      await stranger.post(path, [...hidden, ...decision]),
      await visitor.post(`device-consent?user_code=${second.user_code}`, [...hidden, ...decision]),
      await visitor.post('device-consent', [...hidden, ...decision]),
    ];
    expect(forged.map(({ status }) => status)).toEqual(forged.map(() => 403));
    for (const each of [device, second]) expect((await pollLater(each)).body.error).toBe('authorization_pending');
    expect((await visitor.post(path, [...hidden, ...decision])).text).toContain('Access granted');
  });

  it('accepts the first of two decisions', async () => {
    const device = await start();
    const { visitor } = await atCodePage();
    const page = await typing(visitor, device.user_code);
    const count = () => running.app.services.db.oauthAuthorization.count();
    const before = await count();
    const answers = await Promise.all([
      visitor.allow(page, {}, 'device-consent'),
      visitor.submit(page, 'device-consent', [['decision', 'deny']]),
      visitor.allow(page, {}, 'device-consent'),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).not.toContain(500);
    expect((await count()) - before).toBeLessThanOrEqual(1);
    const { body } = await pollLater(device);
    expect(body.error === 'access_denied' || body.token_type === 'Bearer').toBe(true);
  });

  it('does not offer tenants of other users', async () => {
    const other = await createTenant(running.app, { account: 'globex', workspaces: ['globex-main'] });
    const device = await start();
    const answer = await allowed(device, { place: other.accountId });
    expect(answer.status).toBe(400);
    expect((await pollLater(device)).body.error).toBe('authorization_pending');
  });

  it('signs out', async () => {
    const { visitor, page } = await atCodePage();
    const left = await visitor.submit(page, 'device-sign-out', []);
    expect((await visitor.open(left.location)).text).toContain('<h1>Sign in</h1>');
  });
});
