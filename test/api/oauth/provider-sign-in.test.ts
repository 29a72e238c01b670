// Signing in with the operator's OpenID provider, and attacks on the flow.
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSignInProvider } from '../../../src/auth/sign-in/provider.js';
import { createGateway } from '../../../src/server/server.js';
import type { Services } from '../../../src/server/services.js';
import { createTenant, freshDatabase, startOn } from '../../harness.js';
import type { RunningApp, TestApp } from '../../harness.js';
import { openTestProvider, providerSettings } from './test-provider.js';
import type { TestProvider } from './test-provider.js';
import { authorizeAddress, givePassword, registerClient, setDisabled, Visitor } from './visitor.js';
import type { Page } from './visitor.js';

const publicUrl = 'https://control.example.com';
const callback = `${publicUrl}/v0/oauth/provider-callback`;
const client = { id: 'control-plane', secret: 'a secret of the provider', callback };
const spa = { client_id: 'spa' };
let provider: TestProvider;
let running: RunningApp;
let remove: () => Promise<void>;
let app: TestApp;
let email: string;

beforeAll(async () => {
  provider = await openTestProvider(client);
  const database = await freshDatabase();
  ({ remove } = database);
  running = await startOn({
    ...database.settings,
    PUBLIC_URL: publicUrl,
    SIGN_IN_ISSUER: provider.issuer,
    SIGN_IN_CLIENT_ID: client.id,
    SIGN_IN_CLIENT_SECRET: client.secret,
    SIGN_IN_NAME: 'Example Login',
  });
  ({ app } = running);
  // The library compares with the time that it is.
  app.clock.now = new Date();
  await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(app, 'northwind');
  await registerClient(app, { id: 'spa', isPublic: true });
});

afterAll(async () => {
  await running.stop();
  await remove();
  provider.close();
});

beforeEach(() => {
  app.clock.now = new Date();
  Object.assign(provider, { info: {}, lies: {}, refusal: undefined, isForging: false, isAway: false });
  provider.claims = { email, email_verified: true };
  provider.requests.length = 0;
});

/** Opens a sign-in page, presses the button of the provider, and is sent back by it: gives where to. */
async function throughProvider(visitor: Visitor, parameters: Record<string, string | undefined> = {}): Promise<string> {
  const page = await visitor.open(authorizeAddress({ ...spa, ...parameters }));
  const left = await visitor.submit(page, 'provider', []);
  expect(left.status).toBe(303);
  expect(left.location.startsWith(`${provider.issuer}/authorize?`)).toBe(true);
  const answer = await fetch(left.location, { redirect: 'manual' });
  const back = answer.headers.get('location') ?? '';
  expect(back.startsWith(`${callback}?`)).toBe(true);
  return back.slice(publicUrl.length);
}

async function back(visitor: Visitor, address: string): Promise<Page> {
  return visitor.open(address);
}

function expectRefused(page: Page, message: RegExp, status = 403): void {
  expect(page.status).toBe(status);
  expect(page.headers.get('set-cookie') ?? '').not.toMatch(/session=[A-Za-z0-9_-]{43}/);
  expect(page.text).toMatch(message);
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.open(authorizeAddress(spa))).text.includes('use your account?');
}

describe('Signing in through the provider', () => {
  it('continues to the consent of its request, as the user whom the claim names', async () => {
    const visitor = new Visitor(app);
    const before = new Map(visitor.cookies);
    const signedIn = await back(visitor, await throughProvider(visitor, { state: 'mine' }));
    expect(signedIn.status).toBe(303);
    expect([...visitor.cookies]).not.toEqual([...before]);
    const consent = await visitor.open(signedIn.location);
    expect(consent.text).toContain(email);
    const { location } = await visitor.allow(consent);
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      state: 'mine',
      code: expect.stringMatching(/^wcc_/),
    });
  });

  it('sends PKCE, a nonce and a state, each generated anew, and nothing else', async () => {
    await throughProvider(new Visitor(app), { login_hint: 'nora@example.com' });
    await throughProvider(new Visitor(app));
    const [one, other] = provider.requests;
    expect(Object.fromEntries(one ?? [])).toEqual({
      client_id: client.id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      state: expect.any(String),
      login_hint: 'nora@example.com',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(one?.get(name)).not.toBe(other?.get(name));
    expect(one?.get('state')).not.toContain(one?.get('nonce') ?? '');
  });

  it('is offered beside the password form, and the CSP allows forms to the provider', async () => {
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress(spa));
    expect(page.text).toContain('Sign in with Example Login');
    expect(page.text).toContain('id="password"');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
    expect((await visitor.signIn(page, email)).text).toContain('use your account?');
  });

  it('works for the page of user codes too', async () => {
    const visitor = new Visitor(app);
    const page = await visitor.open('device');
    const left = await visitor.submit(page, 'device-provider', []);
    const answer = await fetch(left.location, { redirect: 'manual' });
    const signedIn = await back(visitor, (answer.headers.get('location') ?? '').slice(publicUrl.length));
    expect((await visitor.open(signedIn.location)).text).toContain('<h1>Connect an application or device</h1>');
  });

  it('reads a claim that is missing in the ID token from the user info', async () => {
    provider.claims = {};
    provider.info = { email, email_verified: true };
    const visitor = new Visitor(app);
    expect((await back(visitor, await throughProvider(visitor))).status).toBe(303);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('passes prompt and max_age on, and knows the time of the sign-in', async () => {
    const longAgo = Math.floor(Date.now() / 1000) - 40;
    provider.claims = { ...provider.claims, auth_time: longAgo };
    const visitor = new Visitor(app);
    const address = await throughProvider(visitor, { prompt: 'login', max_age: '60' });
    expect(provider.requests[0]?.get('prompt')).toBe('login');
    expect(provider.requests[0]?.get('max_age')).toBe('60');
    expect((await back(visitor, address)).status).toBe(303);
    const session = await app.services.db.signInSession.findFirst({ orderBy: { expiresAt: 'desc' } });
    expect(session?.createdAt).toEqual(new Date(longAgo * 1000));
  });

  it('rejects a sign-in that is older than max_age', async () => {
    provider.claims = { ...provider.claims, auth_time: Math.floor(Date.now() / 1000) - 600 };
    const visitor = new Visitor(app);
    expectRefused(await back(visitor, await throughProvider(visitor, { max_age: '60' })), /invalid or has expired/);
  });
});

describe('A user of the provider', () => {
  it.each<[string, () => Record<string, unknown>, RegExp]>([
    [
      'a user who does not exist here',
      () => ({ email: 'stranger@example.com', email_verified: true }),
      /not a user of this/,
    ],
    ['a user of an address that was not verified', () => ({ email, email_verified: false }), /has not verified/],
    ['a user of an address of which it does not say so', () => ({ email }), /has not verified/],
    ['a user whose address is verified in words', () => ({ email, email_verified: 'true' }), /has not verified/],
    ['a user without an address', () => ({}), /the claim that identifies you/],
    ['a user whose name is a list', () => ({ email: [email], email_verified: true }), /the claim that identifies you/],
    [
      'a user with a NUL in the address',
      () => ({ email: `${email}\0`, email_verified: true }),
      /the claim that identifies you/,
    ],
  ])('who is %s is rejected', async (_what, claims, message) => {
    provider.claims = claims();
    const visitor = new Visitor(app);
    expectRefused(await back(visitor, await throughProvider(visitor)), message);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('who is disabled here, or a service account, is rejected', async () => {
    const { db } = app.services;
    await setDisabled(app, email, true);
    const visitor = new Visitor(app);
    expectRefused(await back(visitor, await throughProvider(visitor)), /not a user of this service/);
    await setDisabled(app, email, false);
    await db.principal.create({ data: { kind: 'service_account', name: 'robot@example.com' } });
    provider.claims = { email: 'robot@example.com', email_verified: true };
    expectRefused(await back(visitor, await throughProvider(visitor)), /not a user of this service/);
  });

  it('is the same user in any spelling of the address', async () => {
    provider.claims = { email: ` ${email.toUpperCase()} `, email_verified: true };
    const visitor = new Visitor(app);
    await back(visitor, await throughProvider(visitor));
    expect((await visitor.open(authorizeAddress(spa))).text).toContain(email);
  });
});

describe('A response of the provider', () => {
  it.each<[string, () => Record<string, unknown>]>([
    ['with another nonce', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['for another client', () => ({ aud: 'another-client' })],
    ['of another issuer', () => ({ iss: 'https://other.example.com' })],
    ['that has expired', () => ({ exp: Math.floor(Date.now() / 1000) - 120 })],
    ['without a subject', () => ({ sub: undefined })],
  ])('%s signs in no user', async (_what, lies) => {
    provider.lies = lies();
    const visitor = new Visitor(app);
    expectRefused(await back(visitor, await throughProvider(visitor)), /invalid or has expired/);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('that is signed with another key signs in no user', async () => {
    provider.isForging = true;
    const visitor = new Visitor(app);
    expectRefused(await back(visitor, await throughProvider(visitor)), /invalid or has expired/);
    expect(provider.granted).toBeGreaterThan(0);
  });

  it.each(['access_denied', 'login_required', 'server_error'])(
    'with the error %s returns to the client',
    async (error) => {
      provider.refusal = error;
      const visitor = new Visitor(app);
      const page = await back(visitor, await throughProvider(visitor));
      expectRefused(page, /rejected the sign-in/);
      const [, again = ''] = /<a href="(authorize\?[^"]+)">Start again/.exec(page.text) ?? [];
      expect((await visitor.open(again.replaceAll('&#38;', '&'))).text).toContain('Sign in with Example Login');
    },
  );

  it('works once', async () => {
    const visitor = new Visitor(app);
    const address = await throughProvider(visitor);
    const kept = new Map(visitor.cookies);
    expect((await back(visitor, address)).status).toBe(303);
    // By then the session has another cookie, so the same address only continues.
    expect((await back(visitor, address)).location).toMatch(/^authorize\?/);
    const again = new Visitor(app);
    for (const [name, value] of kept) again.cookies.set(name, value);
    expectRefused(await back(again, address), /invalid or has expired/);
  });

  it('is useless in another browser, so that a link cannot sign in another user', async () => {
    const attacker = new Visitor(app);
    const address = await throughProvider(attacker);
    const victim = new Visitor(app);
    await victim.open(authorizeAddress(spa));
    const { granted } = provider;
    expectRefused(await back(victim, address), /This page has expired/);
    expectRefused(await back(new Visitor(app), address), /This page has expired/);
    expect(provider.granted).toBe(granted);
    expect(await isSignedIn(victim)).toBe(false);
  });

  it('expires after ten minutes', async () => {
    const visitor = new Visitor(app);
    const address = await throughProvider(visitor);
    app.clock.now = new Date(Date.now() + 10 * 60_000);
    expectRefused(await back(visitor, address), /This page has expired/);
  });

  it.each<[string, (address: URL) => void]>([
    ['without a state', (address) => address.searchParams.delete('state')],
    ['with a state that this service did not issue', (address) => address.searchParams.set('state', 'x')],
    ['with two states', (address) => address.searchParams.append('state', 'x')],
  ])('%s is rejected', async (_what, change) => {
    const visitor = new Visitor(app);
    const address = new URL(await throughProvider(visitor), publicUrl);
    change(address);
    expectRefused(await back(visitor, `${address.pathname}${address.search}`), /Sign-in failed/, 400);
  });

  it.each<[string, (address: URL) => void]>([
    ['with a code that the provider did not issue', (address) => address.searchParams.set('code', 'x')],
    ['with the name of another issuer', (address) => address.searchParams.set('iss', 'https://other.example.com')],
    ['that does not say whose it is', (address) => address.searchParams.delete('iss')],
  ])('%s signs in no user', async (_what, change) => {
    const visitor = new Visitor(app);
    const address = new URL(await throughProvider(visitor), publicUrl);
    change(address);
    expectRefused(await back(visitor, `${address.pathname}${address.search}`), /invalid or has expired/);
  });

  it('from a provider that went offline meanwhile is a temporary failure', async () => {
    const visitor = new Visitor(app);
    const address = await throughProvider(visitor);
    provider.isAway = true;
    const page = await back(visitor, address);
    expect([403, 503]).toContain(page.status);
    expect(await isSignedIn(visitor)).toBe(false);
  });
});

describe('The redirect to the provider', () => {
  it('starts only from a form of this service', async () => {
    const visitor = new Visitor(app);
    await visitor.open(authorizeAddress(spa));
    const forged = await visitor.post(authorizeAddress(spa).replace('authorize?', 'provider?'), []);
    expect([forged.status, forged.location]).toEqual([403, '']);
    expect(provider.requests).toEqual([]);
  });
});

describe('Another gateway of the same service', () => {
  /** The same database and secrets, and other ways to sign in. */
  async function withSignIn(signIn: Services['signIn'], act: (other: TestApp) => Promise<void>): Promise<void> {
    const gateway = createGateway({ ...app.services, signIn });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    const address = gateway.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      await act({ ...app, gateway, origin: `http://127.0.0.1:${port}` });
    } finally {
      gateway.server.closeAllConnections();
      gateway.server.close();
    }
  }

  it('without passwords shows no password form and accepts no password', async () => {
    await withSignIn({ ...app.services.signIn, isByPassword: false }, async (other) => {
      const visitor = new Visitor(other);
      const page = await visitor.open(authorizeAddress(spa));
      expect(page.text).toContain('Sign in with Example Login');
      expect(page.text).not.toContain('type="password"');
      const before = new Visitor(app);
      const form = await before.open(authorizeAddress(spa));
      for (const [name, value] of before.cookies) visitor.cookies.set(name, value);
      expectRefused(await visitor.signIn(form, email), /Password sign-in is disabled/);
      expect(await isSignedIn(visitor)).toBe(false);
      const signedIn = await back(visitor, await throughProvider(visitor));
      expect((await visitor.open(signedIn.location)).text).toContain('use your account?');
    });
  });

  it('without a provider has none of its addresses, and does not mention it', async () => {
    await withSignIn({ providers: [], isByPassword: true }, async (other) => {
      const visitor = new Visitor(other);
      expect((await visitor.open(authorizeAddress(spa))).text).not.toContain('Sign in with');
      expect((await visitor.open('/v0/oauth/provider-callback?state=x')).status).toBe(400);
      expect((await visitor.post(authorizeAddress(spa).replace('authorize?', 'provider?'), [])).status).toBe(400);
    });
  });

  it('with a provider that does not respond shows an error, and accepts passwords', async () => {
    const settings = providerSettings({ issuer: 'http://127.0.0.1:1', name: 'Nobody' });
    const absent = createSignInProvider(settings, app.services.log);
    await withSignIn({ providers: [absent], isByPassword: true }, async (other) => {
      const visitor = new Visitor(other);
      const page = await visitor.open(authorizeAddress(spa));
      const left = await visitor.submit(page, 'provider', []);
      expect(left.status).toBe(503);
      expect(left.text).toContain('does not respond');
      expect((await visitor.signIn(page, email)).text).toContain('use your account?');
    });
  });
});
