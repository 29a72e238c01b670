import { createHash } from 'node:crypto';
import { once } from 'node:events';
// The sign-in and consent pages, and attacks on them.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readAuthorizationRequest } from '../../../src/auth/grants/authorization-request.js';
import { attemptsMax } from '../../../src/auth/sign-in/sign-in-attempts.js';
import { findUserByPassword } from '../../../src/auth/sign-in/password.js';
import { setPassword } from '../../set-password.js';
import { grantableScopes, knownScopes } from '../../../src/auth/scopes.js';
import { pageStyle } from '../../../src/api/oauth/page-style.js';
import { scopeWords } from '../../../src/api/oauth/scope-descriptions.js';
import { tokenSettings } from '../../../src/server/create-services.js';
import { createGateway } from '../../../src/server/server.js';
import { createTenant, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import {
  authorizeAddress,
  callback,
  formOf,
  givePassword,
  obtainCode,
  password,
  redeem,
  registerClient,
  registerService,
  ownerOf,
  Visitor,
} from './visitor.js';
import type { Page, RegisteredClient } from './visitor.js';

const publicUrl = 'https://control.example.com';
const issuer = `${publicUrl}/v0`;
const running = useApp({ PUBLIC_URL: publicUrl, CLIENT_ADDRESS_HEADER: 'X-Forwarded-For' });
let tenant: Tenant;
let email: string;
let dashboard: RegisteredClient;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main', 'northwind-lab'] });
  email = await givePassword(app, 'northwind');
  dashboard = await registerClient(app);
  await registerClient(app, { id: 'spa', isPublic: true, displayName: '<b>Single</b> & "page"' });
  await registerClient(app, { id: 'desktop', isPublic: true, redirectUris: ['http://127.0.0.1/done'] });
  await registerService(app, ownerOf(tenant));
});

/** The sign-in page of a new visitor. */
async function signInPage(parameters: Record<string, string | undefined> = {}): Promise<[Visitor, Page]> {
  const visitor = new Visitor(running.app);
  return [visitor, await visitor.open(authorizeAddress(parameters))];
}

/** The consent page of a visitor who has just signed in. The public client always requires consent. */
async function consentPage(parameters: Record<string, string | undefined> = {}): Promise<[Visitor, Page]> {
  const [visitor, page] = await signInPage({ client_id: 'spa', ...parameters });
  const next = await visitor.signIn(page, email);
  expect(next.text).toContain('use your account?');
  return [visitor, next];
}

function answerOf(page: Page): Record<string, string> {
  expect(page.status).toBe(303);
  expect(page.location.startsWith(`${callback}?`)).toBe(true);
  return Object.fromEntries(new URL(page.location).searchParams);
}

function expectNoRedirect(page: Page, status = 400): void {
  expect(page.status).toBe(status);
  expect(page.headers.get('location')).toBeNull();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
}

describe('An authorization request', () => {
  it('returns the redirect URI byte for byte', async () => {
    const uri = 'https://app.example.com:443/Back/%7euser/../x?b=%2f&a=';
    await registerClient(running.app, { id: 'exact', isPublic: true, redirectUris: [uri] });
    const [visitor, page] = await signInPage({ client_id: 'exact', redirect_uri: uri });
    const { location } = await visitor.allow(await visitor.signIn(page, email));
    expect(location.startsWith(`${uri}&code=wcc_`)).toBe(true);
  });

  it('leads through sign-in and consent to a code, with state and iss', async () => {
    const [visitor, page] = await consentPage();
    expect(answerOf(await visitor.allow(page))).toEqual({
      code: expect.stringMatching(/^wcc_[A-Za-z0-9_-]{43}$/),
      state: 'the-state',
      iss: issuer,
    });
  });

  it.each([
    ['an unknown client', { client_id: 'nobody' }],
    ['a client with a NUL in its name', { client_id: 'dashboard\0' }],
    ['no client', { client_id: undefined }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['a redirect URI of another client', { redirect_uri: 'https://evil.example.com/callback' }],
    ['a redirect URI off by one character', { redirect_uri: `${callback}/` }],
    ['a redirect URI with more behind it', { redirect_uri: `${callback}?next=https://evil.example.com` }],
    ['a redirect URI with a fragment', { redirect_uri: `${callback}#x` }],
    ['a redirect URI in other letters', { redirect_uri: callback.replace('callback', 'Callback') }],
    ['a redirect URI with a user name', { redirect_uri: 'https://dashboard.example.com@evil.example.com/callback' }],
    ['a script as redirect URI', { redirect_uri: 'javascript:alert(1)' }],
  ])('with %s shows an error to the user, and does not redirect', async (_what, parameters) => {
    const [, page] = await signInPage(parameters);
    expectNoRedirect(page);
    expect(page.text).toContain('role="alert"');
  });

  it.each(['http://127.0.0.1:99999/done', 'http://127.0.0.1:0/done', 'http://127.0.0.1:/done'])(
    'at a port that does not exist (%s) does not redirect',
    async (redirectUri) => {
      const visitor = new Visitor(running.app);
      const page = await visitor.open(authorizeAddress({ client_id: 'desktop', redirect_uri: redirectUri }));
      expectNoRedirect(page);
    },
  );

  it.each(['client_id', 'redirect_uri'])('with %s repeated does not redirect', async (name) => {
    const visitor = new Visitor(running.app);
    expectNoRedirect(await visitor.open(`${authorizeAddress({})}&${name}=x`));
  });

  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE by plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE by default, which is plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that is no SHA-256', { code_challenge: 'short' }, 'invalid_request'],
    ['an unknown scope', { scope: 'agents:list openid' }, 'invalid_scope'],
    ['an implicit response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a fragment as response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'x' }, 'request_not_supported'],
    ['the address of one', { request_uri: 'https://evil.example.com' }, 'request_uri_not_supported'],
    ['another resource', { resource: 'https://other.example.com' }, 'invalid_target'],
    ['no user signed in, and none to be asked', { prompt: 'none' }, 'login_required'],
    ['contradicting prompts', { prompt: 'none login' }, 'invalid_request'],
  ])('with %s redirects to the client with an error and iss', async (_what, parameters, error) => {
    const [, page] = await signInPage(parameters);
    const description = expect.any(String);
    expect(answerOf(page)).toEqual({ error, error_description: description, state: 'the-state', iss: issuer });
  });

  it('accepts several resources, each of which must be this service', async () => {
    const base = running.app.config.PUBLIC_URL;
    const open = async (resources: string[]) => {
      const search = new URLSearchParams(resources.map((resource) => ['resource', resource]));
      return new Visitor(running.app).open(`${authorizeAddress({})}&${search}`);
    };
    expect((await open([`${base}/v0`, `${base}/graphql`])).status).toBe(200);
    const refused = await open([`${base}/v0`, 'https://other.example.com']);
    expect(answerOf(refused)).toMatchObject({ error: 'invalid_target', iss: issuer });
  });

  it.each(['scope', 'state', 'code_challenge', 'unknown'])(
    'with %s repeated redirects to the client with an error',
    async (name) => {
      const visitor = new Visitor(running.app);
      const answer = answerOf(await visitor.open(`${authorizeAddress({})}&${name}=a&${name}=b`));
      expect(answer).toMatchObject({ error: 'invalid_request', iss: issuer });
    },
  );

  it('has only the characters in its description that RFC 6749 allows', async () => {
    const visitor = new Visitor(running.app);
    const name = encodeURIComponent('"\\\u00E9\n');
    for (const broken of [`&${name}=1&${name}=2`, `&scope=${name}`]) {
      const address = authorizeAddress(broken.includes('scope') ? { scope: undefined } : {});
      const { error, error_description: description } = answerOf(await visitor.open(`${address}${broken}`));
      expect(error).toMatch(/^invalid_(request|scope)$/);
      expect(description).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/);
    }
  });

  it('is not searched for each of its parameters, however many it has', async () => {
    const search = new URLSearchParams(authorizeAddress({}).split('?')[1]);
    for (let index = 0; search.toString().length < 15_000; index++) search.append(index.toString(36), '');
    const searches = vi.spyOn(search, 'getAll');
    const { db } = running.app.services;
    await readAuthorizationRequest(db, search, { publicUrl, tokens: tokenSettings(running.app.config) });
    expect(new Set(search.keys()).size).toBeGreaterThan(1_000);
    expect(searches.mock.calls.length).toBeLessThanOrEqual(30);
  });

  it('of a client without the grant redirects to it with an error', async () => {
    const { app } = running;
    const redirectUris = [callback];
    await app.services.db.oauthClient.update({ where: { id: 'ci' }, data: { redirectUris } });
    const [, page] = await signInPage({ client_id: 'ci' });
    expect(answerOf(page)).toMatchObject({ error: 'unauthorized_client' });
  });

  it('accepts GET, and POST with the same parameters in a form', async () => {
    const response = await fetch(`${running.app.origin}/v0/oauth/authorize`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
    const visitor = new Visitor(running.app);
    const [, search = ''] = authorizeAddress({ client_id: 'spa' }).split('?');
    const sent = await visitor.post('/v0/oauth/authorize', [...new URLSearchParams(search)]);
    expect(sent).toMatchObject({ status: 303, location: `authorize?${search}` });
    expect((await visitor.open(sent.location)).text).toContain('<h1>Sign in</h1>');
  });
});

describe('Consent', () => {
  it('is requested once for a client with a secret, and again for more scopes', async () => {
    const visitor = new Visitor(running.app);
    const first = await visitor.signIn(await visitor.open(authorizeAddress({ scope: 'jobs:list jobs:get' })), email);
    expect(answerOf(await visitor.allow(first)).code).toBeDefined();
    expect(answerOf(await visitor.open(authorizeAddress({ scope: 'jobs:get' }))).code).toBeDefined();
    expect(answerOf(await visitor.open(authorizeAddress({ scope: 'jobs:list jobs:get' }))).code).toBeDefined();
    expect((await visitor.open(authorizeAddress({ scope: 'jobs:delete' }))).status).toBe(200);
    expect((await visitor.open(authorizeAddress({ scope: 'jobs:get', prompt: 'consent' }))).status).toBe(200);
    const silent = await visitor.open(authorizeAddress({ scope: 'jobs:delete', prompt: 'none' }));
    expect(answerOf(silent).error).toBe('consent_required');
  });

  it('is requested every time for a client without a secret', async () => {
    const [visitor, page] = await consentPage();
    await visitor.allow(page);
    expect((await visitor.open(authorizeAddress({ client_id: 'spa' }))).text).toContain('use your account?');
  });

  it('grants only the scopes that the user agreed to', async () => {
    const { app } = running;
    const asked = { scope: 'volumes:list volumes:get volumes:delete' };
    const given = await obtainCode(app, email, asked, { scopes: ['volumes:list', 'admin', 'agents:delete'] });
    expect((await redeem(app, dashboard, given)).body.scope).toBe('volumes:list');
  });

  it('confines the client to the workspace that the user chooses', async () => {
    const { app } = running;
    const place = `${tenant.accountId}/${tenant.workspaces['northwind-lab']}`;
    const given = await obtainCode(app, email, { prompt: 'consent', scope: 'agents:list' }, { place });
    const { body } = await redeem(app, dashboard, given);
    const list = async (workspace: string) => {
      const headers = { authorization: `Bearer ${body.access_token}`, 'x-service-workspace': workspace };
      return (await fetch(`${app.origin}/v0/agents`, { headers })).status;
    };
    expect([await list('northwind-lab'), await list('northwind-main')]).toEqual([200, 403]);
  });

  it('cannot be given for a tenant of another user', async () => {
    const other = await createTenant(running.app, { account: 'globex', workspaces: ['globex-main'] });
    const [visitor, page] = await consentPage();
    expect(answerOf(await visitor.allow(page, { place: other.accountId })).error).toBe('access_denied');
  });

  it.each([
    ['does not allow it', ['decision', 'deny']],
    ['says nothing', ['x', 'y']],
  ])('that the user %s redirects with access_denied', async (_what, [name = '', value = '']) => {
    const [visitor, page] = await consentPage();
    const answer = await visitor.submit(page, 'consent', [[name, value]]);
    expect(answerOf(answer)).toMatchObject({ error: 'access_denied', state: 'the-state', iss: issuer });
  });

  it('with every box unticked is requested again, and grants nothing', async () => {
    const [visitor, page] = await consentPage();
    const again = await visitor.allow(page, { scopes: [] });
    expectNoRedirect(again, 400);
    expect(again.text).toContain('Select at least one permission, or deny access.');
    expect(answerOf(await visitor.allow(again)).code).toMatch(/^wcc_/);
  });

  it('defaults to the least: read scopes, and a workspace rather than the account', async () => {
    const [, page] = await consentPage({ scope: 'admin agents:list agents:get agents:delete sandboxes:update' });
    const boxes = [...page.text.matchAll(/name="scope"\s+value="([^"]+)"\s+(checked)?/g)];
    expect(Object.fromEntries(boxes.map(([, scope, checked]) => [scope, checked !== undefined]))).toEqual({
      admin: false,
      'agents:delete': false,
      'agents:get': true,
      'agents:list': true,
      'sandboxes:update': false,
    });
    const [first = ''] = [...page.text.matchAll(/<option value="([^"]+)"/g)].map(([, place = '']) => place);
    expect(first).toContain(`${tenant.accountId}/`);
  });
});

describe('Cross-site request forgery', () => {
  it('of consent fails without the form’s token, or with that of another page, form or browser', async () => {
    const [visitor, page] = await consentPage();
    const [stranger, strangers] = await consentPage();
    const [, otherRequest] = await consentPage({ state: 'another' });
    const { path } = formOf(page, 'consent');
    const decide = (token: string | undefined, by: Visitor = visitor) => {
      const fields: [string, string][] = [
        ['decision', 'allow'],
        ['scope', 'agents:list'],
        ['place', tenant.accountId],
      ];
      return by.post(path, token === undefined ? fields : [...fields, ['form', token]]);
    };
    const tokenOf = (from: Page, form: string) => formOf(from, form).hidden[0]?.[1];
    const own = tokenOf(page, 'consent');
    for (const token of [undefined, '', 'x', tokenOf(strangers, 'consent'), tokenOf(otherRequest, 'consent')]) {
      expectNoRedirect(await decide(token), 403);
    }
    expectNoRedirect(await decide(tokenOf(page, 'sign-out')), 403);
    expectNoRedirect(await decide(own, stranger), 403);
    expect((await decide(own)).status).toBe(303);
  });

  it('is rejected by the Sec-Fetch-Site header of the browser', async () => {
    const [visitor, page] = await consentPage();
    const { path, hidden } = formOf(page, 'consent');
    for (const site of ['cross-site', 'same-site', 'none']) {
      expectNoRedirect(await visitor.post(path, hidden, { 'sec-fetch-site': site }), 403);
    }
    const own = await visitor.post(path, [...hidden, ['decision', 'deny']], { 'sec-fetch-site': 'same-origin' });
    expect(own.status).toBe(303);
  });

  it('of sign-in and sign-out fails', async () => {
    const [visitor, page] = await signInPage();
    const { path } = formOf(page, 'sign-in');
    const credentials: [string, string][] = [
      ['email', email],
      ['password', password],
    ];
    expectNoRedirect(await visitor.post(path, credentials), 403);
    const [signedIn, consent] = await consentPage();
    expectNoRedirect(await signedIn.post(formOf(consent, 'sign-out').path, []), 403);
    expect((await signedIn.open(authorizeAddress({ client_id: 'spa' }))).text).toContain('use your account?');
  });

  it('with a form that is hours old fails', async () => {
    const { app } = running;
    const [visitor, page] = await consentPage();
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 4 * 60 * 60_000);
    const answer = await visitor.allow(page);
    app.clock.now = now;
    expectNoRedirect(answer, 403);
  });
});

describe('A session', () => {
  it('gets a new id at sign-in, so that a planted cookie is useless', async () => {
    const [visitor, page] = await signInPage();
    const planted = new Map(visitor.cookies);
    await visitor.signIn(page, email);
    expect([...visitor.cookies]).not.toEqual([...planted]);
    const attacker = new Visitor(running.app);
    for (const [name, value] of planted) attacker.cookies.set(name, value);
    expect((await attacker.open(authorizeAddress({ client_id: 'spa' }))).text).toContain('<h1>Sign in</h1>');
  });

  it('is in a cookie that is HttpOnly, SameSite and Secure', async () => {
    const [, page] = await signInPage();
    expect(page.headers.get('set-cookie')).toMatch(
      /^__Host-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it('is stored as a hash', async () => {
    const [visitor] = await consentPage();
    const rows = await running.app.services.db.signInSession.findMany();
    const stored = rows.map(({ hash }) => Buffer.from(hash).toString('base64url'));
    for (const cookie of visitor.cookies.values()) expect(stored).not.toContain(cookie);
  });

  it('ends after twelve hours, at sign-out, with a new password, and when the user is disabled', async () => {
    const { app } = running;
    const { db } = app.services;
    const isSignedIn = async (visitor: Visitor) =>
      (await visitor.open(authorizeAddress({ client_id: 'spa' }))).text.includes('use your account?');
    const [first, page] = await consentPage();
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 12 * 60 * 60_000);
    expect(await isSignedIn(first)).toBe(false);
    app.clock.now = now;
    expect(await isSignedIn(first)).toBe(true);
    const before = new Map(first.cookies);
    await first.submit(page, 'sign-out', []);
    for (const [name, value] of before) first.cookies.set(name, value);
    expect(await isSignedIn(first)).toBe(false);

    const [second] = await consentPage();
    await db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt: now } });
    expect(await isSignedIn(second)).toBe(false);
    await db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt: null } });
    await setPassword(db, email, password, now);
    expect(await isSignedIn(second)).toBe(false);
  });

  it.each(['login', 'select_account', 'login consent'])(
    'requires a new sign-in with the prompt %s, once',
    async (prompt) => {
      const [visitor] = await consentPage();
      const page = await visitor.open(authorizeAddress({ client_id: 'spa', prompt }));
      expect(page.text).toContain('<h1>Sign in</h1>');
      expect((await visitor.signIn(page, email)).text).toContain('use your account?');
    },
  );

  it('requires a new sign-in when it is older than max_age, but not when it is younger', async () => {
    const { app } = running;
    const [visitor] = await consentPage();
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 60_000);
    expect((await visitor.open(authorizeAddress({ client_id: 'spa', max_age: '60' }))).text).toContain(
      'use your account?',
    );
    const silent = await visitor.open(authorizeAddress({ client_id: 'spa', max_age: '59', prompt: 'none' }));
    expect(answerOf(silent).error).toBe('login_required');
    const page = await visitor.open(authorizeAddress({ client_id: 'spa', max_age: '59' }));
    expect(page.text).toContain('<h1>Sign in</h1>');
    expect((await visitor.signIn(page, email)).text).toContain('use your account?');
    const atOnce = await visitor.open(authorizeAddress({ client_id: 'spa', max_age: '0' }));
    const signedIn = await visitor.submit(atOnce, 'sign-in', [
      ['email', email],
      ['password', password],
    ]);
    // Even a fast browser returns later than the sign-in.
    app.clock.now = new Date(app.clock.now.getTime() + 5);
    expect((await visitor.open(signedIn.location)).text).toContain('use your account?');
    app.clock.now = now;
    for (const wrong of ['-1', '1.5', 'x', '9'.repeat(10)]) {
      const refused = await visitor.open(authorizeAddress({ client_id: 'spa', max_age: wrong }));
      expect(answerOf(refused).error).toBe('invalid_request');
    }
  });

  it('continues if the form was created before the user signed in elsewhere', async () => {
    const [visitor, before] = await signInPage({ client_id: 'spa' });
    const elsewhere = await visitor.open(authorizeAddress({ client_id: 'spa', state: 'elsewhere' }));
    await visitor.signIn(elsewhere, email);
    const late = await visitor.submit(before, 'sign-in', [
      ['email', 'somebody@example.com'],
      ['password', 'x'],
    ]);
    expect(late.status).toBe(303);
    const next = await visitor.open(late.location);
    expect(next.text).toContain('use your account?');
    expect(next.text).toContain(email);
  });
});

describe('Sign-in', () => {
  it('returns the same error for an unknown user as for a wrong password', async () => {
    const messages = [];
    for (const name of [email, 'nobody@example.com', 'ci', 'a\0b@example.com']) {
      const [visitor, page] = await signInPage();
      visitor.address = '198.51.100.1';
      const answer = await visitor.signIn(page, name, 'not the password');
      expectNoRedirect(answer, 403);
      messages.push(/role="alert">([^<]+)</.exec(answer.text)?.[1]);
    }
    expect(new Set(messages)).toEqual(new Set(['Incorrect email address or password.']));
  });

  it('takes as long for an unknown user as for a wrong password', async () => {
    const { db } = running.app.services;
    const timeOf = async (name: string) => {
      const startedMs = performance.now();
      await findUserByPassword(db, name, 'not the password');
      return performance.now() - startedMs;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    await timeOf('nobody@example.com');
    for (let round = 0; round < 9; round++) {
      known.push(await timeOf(email));
      unknown.push(await timeOf('nobody@example.com'));
    }
    const median = (times: number[]) => times.toSorted((one, other) => one - other)[4] ?? 0;
    expect(median(unknown) / median(known)).toBeGreaterThan(0.25);
    expect(median(unknown) / median(known)).toBeLessThan(4);
    // Far above the duration of a look-up.
    expect(median(unknown)).toBeGreaterThan(4);
  });

  it('is limited per user, whatever the addresses, and returns when to retry', async () => {
    const { app } = running;
    await app.services.db.signInAttempt.deleteMany();
    const attempt = async (address: string, typed: string) => {
      const [visitor, page] = await signInPage({ client_id: 'spa' });
      visitor.address = address;
      return visitor.signIn(page, email, typed);
    };
    const tries = await Promise.all(
      Array.from({ length: attemptsMax.user + 5 }, (_, index) => attempt(`203.0.113.${index}`, 'not the password')),
    );
    expect(tries.filter(({ status }) => status === 403)).toHaveLength(attemptsMax.user);
    const refused = await attempt('192.0.2.9', password);
    expectNoRedirect(refused, 429);
    expect(refused.headers.get('retry-after')).toBe('900');
    expect(refused.text).toContain('Too many sign-in attempts. Try again in 15 minutes.');
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 15 * 60_000);
    expect((await attempt('192.0.2.9', password)).status).toBe(200);
    app.clock.now = now;
    await app.services.db.signInAttempt.deleteMany();
  });

  it('is limited per address, whatever the users', async () => {
    const { db } = running.app.services;
    const [visitor, page] = await signInPage({ client_id: 'spa' });
    visitor.address = '10.9.8.7, 203.0.113.77';
    await visitor.signIn(page, 'somebody@example.com', 'x');
    await db.signInAttempt.updateMany({ data: { count: attemptsMax.address } });
    const refused = await visitor.signIn(page, email);
    expectNoRedirect(refused, 429);
    visitor.address = '203.0.113.77, 10.9.8.7';
    expect((await visitor.signIn(page, email)).status).toBe(200);
    await db.signInAttempt.deleteMany();
  });

  it.each<[string, (name: string, index: number) => string]>([
    ['space around it', (name, index) => `${' '.repeat(index)}${name} `],
    ['capital letters', (name, index) => name.slice(0, index).toUpperCase() + name.slice(index)],
    [
      'letters of full width',
      (name) => name.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ],
  ])('counts a name with %s as the same name', async (_difference, differently) => {
    const { db } = running.app.services;
    await db.signInAttempt.deleteMany();
    const attempt = async (index: number, typed: string) => {
      const [visitor, page] = await signInPage({ client_id: 'spa' });
      visitor.address = '203.0.113.9';
      return (await visitor.signIn(page, differently(email, index), typed)).status;
    };
    const max = attemptsMax['user at address'];
    for (let index = 0; index < max; index++) expect(await attempt(index, 'not the password')).toBe(403);
    expect(await attempt(max, password)).toBe(429);
    await db.signInAttempt.deleteMany();
  });

  it.each(['\0', '\u0001', '\n.', '\u200B', '\u00AD', '\uFFFE'])(
    'rejects a name with %j, whatever the password',
    async (character) => {
      const { db } = running.app.services;
      await db.signInAttempt.deleteMany();
      const [visitor, page] = await signInPage({ client_id: 'spa' });
      visitor.address = '192.0.2.10';
      const answer = await visitor.signIn(page, `${email.slice(0, 2)}${character}${email.slice(2)}`);
      expectNoRedirect(answer, 403);
      expect(answer.text).toContain('Incorrect email address or password.');
      expect((await db.signInAttempt.findMany()).map(({ count }) => count)).toEqual([1]);
      await db.signInAttempt.deleteMany();
    },
  );

  it('is limited per address, whatever port the proxy adds', async () => {
    const { db } = running.app.services;
    await db.signInAttempt.deleteMany();
    const [visitor, page] = await signInPage({ client_id: 'spa' });
    for (const [index, address] of [
      '203.0.113.77:1',
      '203.0.113.77:65535',
      '::ffff:203.0.113.77',
      '[::ffff:cb00:714d]:9',
    ].entries()) {
      visitor.address = address;
      await visitor.signIn(page, `somebody-${index}@example.com`, 'x');
    }
    const counts = (await db.signInAttempt.findMany()).map(({ count }) => count);
    expect(counts.toSorted((one, other) => one - other)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 4]);
    await db.signInAttempt.deleteMany();
  });

  it('resets its limit after a successful sign-in', async () => {
    const { db } = running.app.services;
    for (let round = 0; round < 3; round++) await consentPage();
    const rows = await db.signInAttempt.findMany();
    expect(rows.map(({ count }) => count)).toEqual([0, 0]);
  });
});

describe('The pages', () => {
  it('cannot be framed, cached, sniffed or posted from another site, and run no scripts', async () => {
    const [, consent] = await consentPage();
    const [, signIn] = await signInPage();
    const [, problem] = await signInPage({ client_id: 'nobody' });
    for (const page of [consent, signIn, problem]) {
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src|unsafe/);
      expect(page.text).not.toMatch(/<script|\son\w+=|https?:\/\//);
      expect(page.text).toContain(`<style>${pageStyle}</style>`);
    }
    expect(consent.headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    const [, desktop] = await signInPage({ client_id: 'desktop', redirect_uri: 'http://127.0.0.1:51004/done' });
    expect(desktop.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
    expect(problem.headers.get('content-security-policy')).toContain("form-action 'self';");
  });

  it('have the typeface of the console if it was built', async () => {
    const face = '/console/assets/inter-latin-wght-normal-abc.woff2';
    const gateway = createGateway({ ...running.app.services, typeface: () => face });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    try {
      const address = gateway.server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const page = await fetch(`http://127.0.0.1:${port}/v0/oauth/authorize?client_id=nobody`);
      const [, style = ''] = /<style>(@font-face[^<]+)<\/style>/.exec(await page.text()) ?? [];
      expect(style).toContain(`url("${face}")`);
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain(`'sha256-${hash}'`);
      expect(policy).toContain("font-src 'self'");
    } finally {
      await gateway.drain(0, 0);
    }
  });

  it('escape values from other users', async () => {
    const [, page] = await consentPage({ state: '"><script>alert(1)</script>' });
    expect(page.text).toContain('&#60;b&#62;Single&#60;/b&#62; &#38; &#34;page&#34;');
    expect(page.text).not.toMatch(/<b>|<script/);
    const [visitor, signIn] = await signInPage({ login_hint: '"><script>' });
    expect(signIn.text).not.toContain('<script');
    const refused = await visitor.signIn(signIn, '"><script>', 'x');
    expect(refused.text).not.toContain('<script');
  });

  it('have a language, labels and described errors for screen readers', async () => {
    const [visitor, page] = await signInPage();
    expect(page.text).toMatch(/^<!doctype html>\s*<html lang="en">/);
    expect(page.text).toContain('name="viewport" content="width=device-width, initial-scale=1"');
    const labels = [...page.text.matchAll(/<label for="([^"]+)">/g)].map(([, id]) => id);
    expect(labels).toEqual(['email', 'password']);
    for (const id of labels) expect(page.text).toContain(`id="${id}"`);
    const refused = await visitor.signIn(page, email, 'x');
    expect(refused.text).toContain('<title>Sign-in failed</title>');
    expect(refused.text.match(/aria-describedby="problem"/g)).toHaveLength(2);
    expect(refused.text).toMatch(/<p class="alarm" id="problem" role="alert">/);
    const [, consent] = await consentPage({ scope: 'agents:list agents:get' });
    expect(consent.text).toContain('<legend>');
    expect(consent.text.match(/<label class="choice">\s*<input type="checkbox"/g)).toHaveLength(2);
    expect(consent.text).toContain('<label for="place">');
  });

  it('do not show scopes without effect, which a client can still request', async () => {
    const { app } = running;
    const hoarder = await registerClient(app, { id: 'hoarder', scope: knownScopes.join(' ') });
    const asked = { client_id: 'hoarder', scope: 'models:list agents:list sandboxes:control' };
    const [visitor, signIn] = await signInPage(asked);
    const page = await visitor.signIn(signIn, email);
    expect(page.text.match(/name="scope"/g)).toHaveLength(1);
    expect(page.text).not.toMatch(/value="(?:models|sandboxes)/);
    const given = await obtainCode(app, email, asked, { scopes: ['models:list', 'agents:list'] });
    expect((await redeem(app, hoarder, given)).body.scope).toBe('agents:list');
    const [, everything] = await consentPage({ client_id: 'hoarder', scope: undefined, prompt: 'consent' });
    expect(everything.text.match(/name="scope"/g)).toHaveLength(grantableScopes.length);
    const [, nothing] = await signInPage({ client_id: 'hoarder', scope: 'models:list templates:get' });
    expect(answerOf(nothing)).toMatchObject({ error: 'invalid_scope' });
  });

  it('describe each scope differently', async () => {
    await registerClient(running.app, { id: 'curious', isPublic: true, scope: grantableScopes.join(' ') });
    const [, page] = await consentPage({ client_id: 'curious', scope: grantableScopes.join(' ') });
    const words = grantableScopes.map(scopeWords);
    expect(new Set(words).size).toBe(grantableScopes.length);
    for (const sentence of words) {
      expect(sentence).toMatch(/^[A-Z][^:_]+$/);
      expect(page.text).toContain(sentence);
    }
  });

  it('have colours with the contrast of WCAG 2.2 (4.5 to 1), in light and dark', () => {
    const schemes = [...pageStyle.matchAll(/:root \{([^}]+)\}/g)].map(([, rules = '']) =>
      Object.fromEntries([...rules.matchAll(/--([\w-]+): (#[0-9a-f]+)/g)].map(([, name, value]) => [name, value])),
    );
    expect(schemes).toHaveLength(2);
    for (const scheme of schemes) {
      for (const [ink, paper] of [
        ['ink', 'paper'],
        ['quiet', 'paper'],
        ['accent-ink', 'paper'],
        ['on-accent', 'accent'],
        ['alarm', 'alarm-back'],
        ['ink', 'field'],
      ] as const) {
        expect(contrast(scheme[ink], scheme[paper]), `${ink} on ${paper}`).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrast(scheme['line'], scheme['paper'])).toBeGreaterThanOrEqual(3);
    }
  });
});

function contrast(one = '', other = ''): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(digits.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
