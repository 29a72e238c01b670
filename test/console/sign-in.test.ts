// Sign-in to the console: silently during a browser session, and with one click only in a demo.
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/server/server.js';
import type { Gateway } from '../../src/server/server.js';
import {
  authorizeAddress,
  callEndpoint,
  createVerifier,
  formOf,
  givePassword,
  password,
  Visitor,
} from '../api/oauth/visitor.js';
import type { Page } from '../api/oauth/visitor.js';
import { createTenant, graphql, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';

const publicUrl = 'http://localhost:4999';
const callback = `${publicUrl}/signed-in`;
const running = useApp({ PUBLIC_URL: publicUrl });
let email = '';

beforeAll(async () => {
  await createTenant(running.app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(running.app, 'northwind');
});

const console = { client_id: 'console', redirect_uri: callback, scope: undefined };

function answerOf(page: Page): URLSearchParams {
  expect(page.status).toBe(303);
  expect(page.location.startsWith(`${callback}?`)).toBe(true);
  return new URL(page.location).searchParams;
}

async function signedIn(app: TestApp): Promise<Visitor> {
  const visitor = new Visitor(app);
  answerOf(await visitor.signIn(await visitor.open(authorizeAddress(console)), email));
  return visitor;
}

async function tokenOf(visitor: Visitor): Promise<string> {
  const { verifier, challenge } = createVerifier();
  const page = await visitor.open(authorizeAddress({ ...console, prompt: 'none', code_challenge: challenge }));
  const code = answerOf(page).get('code') ?? '';
  const body = {
    grant_type: 'authorization_code',
    client_id: 'console',
    redirect_uri: callback,
    code,
    code_verifier: verifier,
  };
  const answer = await callEndpoint(visitor.app, 'token', body);
  expect(answer.status).toBe(200);
  expect(answer.body).not.toHaveProperty('refresh_token');
  return answer.body.access_token;
}

describe('The console', () => {
  it('signs in a user with one account without a consent page', async () => {
    const visitor = new Visitor(running.app);
    const page = await visitor.signIn(await visitor.open(authorizeAddress(console)), email);
    expect(answerOf(page).get('code')).toMatch(/^wcc_/);
  });

  it('gets a new token silently during the session, and none without one', async () => {
    const token = await tokenOf(await signedIn(running.app));
    const answer = await graphql(running.app, token, '{ viewer { name } }');
    expect(answer.body.data.viewer.name).toBe(email);
    const stranger = await new Visitor(running.app).open(authorizeAddress({ ...console, prompt: 'none' }));
    expect(answerOf(stranger).get('error')).toBe('login_required');
  });

  it('lets a user with several accounts choose one, and remembers it', async () => {
    const { app } = running;
    const { db } = app.services;
    const other = await createTenant(app, { account: 'southwind', workspaces: ['southwind-main'] });
    const user = await db.principal.create({ data: { kind: 'user', name: 'both@example.com' } });
    const northwind = await db.account.findUniqueOrThrow({ where: { name: 'northwind' } });
    for (const accountId of [northwind.id, other.accountId]) {
      await db.accountMember.create({ data: { accountId, principalId: user.id, role: 'admin' } });
    }
    const { setPassword } = await import('../set-password.js');
    await setPassword(db, user.name, password, app.services.now());
    const visitor = new Visitor(app);
    const page = await visitor.signIn(await visitor.open(authorizeAddress(console)), user.name);
    expect(page.text).toContain('use your account?');
    answerOf(await visitor.allow(page));
    const token = await tokenOf(visitor);
    const answer = await graphql(app, token, '{ viewer { accounts { name } } }');
    expect(answer.body.data.viewer.accounts).toHaveLength(1);
    const again = await visitor.open(authorizeAddress({ ...console, prompt: 'consent' }));
    expect(again.text).toContain('use your account?');
  });

  it('is only returned at its own address', async () => {
    const page = await new Visitor(running.app).open(
      authorizeAddress({ ...console, redirect_uri: 'https://elsewhere.example.com/signed-in' }),
    );
    expect(page.status).toBe(400);
  });

  it('signs out of the browser from its own page without a valid token, and not from another page', async () => {
    const visitor = await signedIn(running.app);
    const token = await tokenOf(visitor);
    const program = await tokenOf(visitor);
    const revoke = (origin: string) =>
      callEndpoint(running.app, 'revoke', { token: 'none', client_id: 'console' }, { cookie: visitor.cookie, origin });
    for (const origin of ['https://elsewhere.example.com', 'null', `${publicUrl}0`]) {
      expect((await revoke(origin)).headers.get('set-cookie')).toBeNull();
    }
    expect((await graphql(running.app, token, '{ viewer { name } }')).status).toBe(200);
    expect((await revoke(publicUrl)).headers.get('set-cookie')).toContain('Max-Age=0');
    const statuses = () =>
      Promise.all(
        [token, program].map(async (each) => (await graphql(running.app, each, '{ viewer { name } }')).status),
      );
    await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 401]);
    const silent = await visitor.open(authorizeAddress({ ...console, prompt: 'none' }));
    expect(answerOf(silent).get('error')).toBe('login_required');
  });

  it('signs out of the browser with its token', async () => {
    const visitor = await signedIn(running.app);
    const token = await tokenOf(visitor);
    const answer = await callEndpoint(
      running.app,
      'revoke',
      { token, client_id: 'console' },
      { cookie: visitor.cookie },
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    const silent = await visitor.open(authorizeAddress({ ...console, prompt: 'none' }));
    expect(answerOf(silent).get('error')).toBe('login_required');
    expect((await graphql(running.app, token, '{ viewer { name } }')).status).toBe(401);
  });

  it('ends no session for an invalid token', async () => {
    const visitor = await signedIn(running.app);
    await callEndpoint(running.app, 'revoke', { token: 'nothing', client_id: 'console' }, { cookie: visitor.cookie });
    const silent = await visitor.open(authorizeAddress({ ...console, prompt: 'none' }));
    expect(answerOf(silent).get('code')).toMatch(/^wcc_/);
  });
});

describe('One-click sign-in', () => {
  let demo: Gateway;
  let app: TestApp;

  beforeAll(async () => {
    demo = createGateway({ ...running.app.services, examples: { user: email } });
    demo.server.listen(0, '127.0.0.1');
    await once(demo.server, 'listening');
    const address = demo.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    app = { ...running.app, origin: `http://127.0.0.1:${port}` };
  });

  afterAll(async () => {
    demo.server.closeAllConnections();
    await demo.drain(0, 0);
  });

  it('signs the demo’s owner in', async () => {
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress(console));
    expect(page.text).toContain(`Continue as ${email}`);
    const answer = await visitor.submit(page, 'sign-in', [['one-click', 'yes']]);
    expect(answerOf(await visitor.open(answer.location)).get('code')).toMatch(/^wcc_/);
  });

  it('is rejected without a demo', async () => {
    const visitor = new Visitor(running.app);
    const page = await visitor.open(authorizeAddress(console));
    expect(page.text).not.toContain('Continue as');
    const answer = await visitor.submit(page, 'sign-in', [['one-click', 'yes']]);
    expect(answer.status).toBe(403);
  });

  it('is neither offered nor accepted under a host name that another site pointed here', async () => {
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress(console));
    const { path, hidden } = formOf(page, 'sign-in');
    const body = new URLSearchParams([...hidden, ['one-click', 'yes']]).toString();
    const host = 'rebound.example.com:4000';
    expect(await send(app, `/v0/oauth/${authorizeAddress(console)}`, 'GET', { host })).not.toContain('Continue as');
    const type = 'application/x-www-form-urlencoded';
    const answer = await send(
      app,
      `/v0/oauth/${path}`,
      'POST',
      { host, cookie: visitor.cookie, 'content-type': type },
      body,
    );
    expect(answer).toContain('Incorrect email address or password.');
  });
});

async function send(
  app: TestApp,
  path: string,
  method: string,
  headers: Record<string, string>,
  body = '',
): Promise<string> {
  const sent = request(`${app.origin}${path}`, { method, headers });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text;
}
