// Every issue, refresh, denial and revocation is logged with caller and address, and never with a secret.
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../../src/server/server.js';
import { createTenant, useApp } from '../../harness.js';
import type { TestApp } from '../../harness.js';
import {
  authorizeAddress,
  callEndpoint,
  givePassword,
  obtainCode,
  password,
  redeem,
  registerClient,
  Visitor,
} from './visitor.js';
import type { RegisteredClient } from './visitor.js';

const running = useApp();
const lines: string[] = [];
let app: TestApp;
let email: string;
let dashboard: RegisteredClient;

/** The same app behind a second gateway, whose log is captured. */
beforeAll(async () => {
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino({ level: 'debug' }, stream);
  const gateway = createGateway({ ...running.app.services, log, isRegistrationOn: true });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  app = { ...running.app, gateway, origin: `http://127.0.0.1:${port}` };
  await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(app, 'northwind');
  dashboard = await registerClient(app);
});

afterAll(() => {
  app.gateway.server.closeAllConnections();
  app.gateway.server.close();
});

/** The log lines since the last call, without their common fields. */
function logged(): Record<string, unknown>[] {
  return lines.splice(0).map((line) => JSON.parse(line));
}

const place = { address: '127.0.0.1', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) };

describe('The log', () => {
  it('contains sign-in, code, tokens, refresh, reuse, revocation and introspection', async () => {
    const given = await obtainCode(app, email);
    const { body } = await redeem(app, dashboard, given);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...dashboard.credentials };
    const { body: next } = await callEndpoint(app, 'token', refresh);
    const token = { token: next.access_token, ...dashboard.credentials };
    await callEndpoint(app, 'introspect', token);
    await callEndpoint(app, 'revoke', token);
    await callEndpoint(app, 'token', refresh);

    const who = { client: 'dashboard', principal: expect.any(String), authorization: expect.any(String) };
    expect(logged()).toMatchObject([
      { oauth: 'signed_in', client: 'dashboard', principal: email, level: 30, ...place },
      { oauth: 'code_issued', ...who, principal: email, scope: 'agents:list', ...place },
      { oauth: 'token_issued', ...who, grant: 'authorization_code', scope: 'agents:list', ...place },
      { oauth: 'token_refreshed', ...who, grant: 'refresh_token', token: expect.any(String), ...place },
      { oauth: 'token_introspected', client: 'dashboard', ...place },
      { oauth: 'token_revoked', ...who, what: 'access token', ...place },
      {
        oauth: 'token_refused',
        level: 40,
        client: 'dashboard',
        authorization: expect.any(String),
        error: 'invalid_grant',
        reason: 'refresh token: used before',
        ...place,
      },
    ]);
  });

  it('contains denied requests: a wrong client or password, a declined consent, an unregistered redirect URI', async () => {
    await callEndpoint(app, 'token', { grant_type: 'client_credentials', client_id: 'dashboard', client_secret: 'x' });
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress({ prompt: 'consent' }));
    await visitor.signIn(page, email, 'not the password');
    const consent = await visitor.signIn(page, email);
    await visitor.submit(consent, 'consent', [['decision', 'deny']]);
    await visitor.open(authorizeAddress({ redirect_uri: 'https://evil.example.com' }));
    expect(logged()).toMatchObject([
      { oauth: 'token_refused', level: 40, client: 'dashboard', error: 'invalid_client', reason: 'wrong secret' },
      { oauth: 'sign_in_refused', level: 40, client: 'dashboard', principal: email, ...place },
      { oauth: 'signed_in', principal: email },
      { oauth: 'authorization_refused', client: 'dashboard', principal: email, error: 'access_denied', ...place },
      { oauth: 'authorization_refused', client: 'dashboard', reason: 'redirect URI', ...place },
    ]);
  });

  it('contains no text that may be a password or a key in the field of a name', async () => {
    const typed = ['correct-horse', 'P@ssw0rd', 'wcs_Secret', 'pass\nword'];
    for (const text of typed) {
      await callEndpoint(app, 'token', { grant_type: 'client_credentials', client_id: `${text}_`, client_secret: 'x' });
      const visitor = new Visitor(app);
      await visitor.signIn(await visitor.open(authorizeAddress({})), text, 'x');
      await visitor.open(authorizeAddress({ client_id: `${text}_` }));
    }
    const all = logged();
    expect(all.filter(({ oauth }) => oauth === 'sign_in_refused')).toHaveLength(typed.length);
    expect(all.filter(({ principal }) => principal === '(not an email address)')).toHaveLength(typed.length);
    for (const text of typed) expect(JSON.stringify(all).toLowerCase()).not.toContain(text.toLowerCase());
  });

  it('contains registrations of programs, and rejected ones', async () => {
    const headers = { 'content-type': 'application/json' };
    const register = (metadata: object) =>
      fetch(`${app.origin}/v0/oauth/register`, { method: 'POST', headers, body: JSON.stringify(metadata) });
    await register({ redirect_uris: ['http://127.0.0.1/callback'], client_name: 'Helper' });
    await register({ redirect_uris: ['http://evil.example.com'] });
    expect(logged()).toMatchObject([
      { oauth: 'client_registered', client: expect.stringMatching(/^[0-9a-f-]{36}$/), what: 'Helper', ...place },
      { oauth: 'registration_refused', level: 40, error: 'invalid_redirect_uri', ...place },
    ]);
  });

  it('contains no secrets: no password, code, token, verifier, client secret or cookie', async () => {
    const given = await obtainCode(app, email, { prompt: 'consent' });
    const { body } = await redeem(app, dashboard, given);
    await redeem(app, dashboard, given);
    await callEndpoint(app, 'revoke', { token: body.refresh_token, ...dashboard.credentials });
    const basic = Buffer.from(`dashboard:${dashboard.secret}`).toString('base64');
    await callEndpoint(app, 'token', { grant_type: 'x' }, { authorization: `Basic ${basic}` });
    const text = lines.splice(0).join('');
    expect(text).toContain('token_issued');
    const secrets = [password, given.code, given.verifier, body.access_token, body.refresh_token, dashboard.secret];
    for (const secret of [...secrets, basic, ...given.visitor.cookies.values()]) expect(text).not.toContain(secret);
  });
});
