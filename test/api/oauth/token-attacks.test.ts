// Attacks on the endpoints that clients call.
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueAccessToken } from '../../../src/auth/access-token.js';
import { forgetExpired } from '../../../src/auth/grants/housekeeping.js';
import { withdrawConsent } from '../../../src/auth/grants/own-access.js';
import { refreshGraceSeconds } from '../../../src/auth/grants/refresh-answer.js';
import { revokeAccessToken } from '../../../src/accounts/access-tokens.js';
import { revokeClient } from '../../../src/accounts/oauth-clients.js';
import { frameContext } from '../../../src/cli/operator/operator-context.js';
import { createTenant, frozenNow, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
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
  setDisabled,
} from './visitor.js';
import type { Page, RegisteredClient } from './visitor.js';

const running = useApp();
let tenant: Tenant;
let email: string;
let dashboard: RegisteredClient;
let other: RegisteredClient;
let service: RegisteredClient;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(app, 'northwind');
  dashboard = await registerClient(app);
  other = await registerClient(app, { id: 'other' });
  service = await registerService(app, ownerOf(tenant), { scope: 'agents:list agents:get' });
});

function expectError(answer: Answer, error: string, status = 400): void {
  expect(answer.body).toEqual({ error, error_description: expect.any(String) });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

async function expectStatusOf(token: string, status: number): Promise<void> {
  const ask = async () => (await rest(running.app, '/agents', { key: token })).status;
  await expect.poll(ask, { timeout: 1_000, interval: 50 }).toBe(status);
}

async function refresh(client: RegisteredClient, token: string, more: Record<string, string> = {}): Promise<Answer> {
  const parameters = { grant_type: 'refresh_token', refresh_token: token, ...client.credentials, ...more };
  return callEndpoint(running.app, 'token', parameters);
}

/** As if the time for which the response to a used refresh token is repeated had passed. */
async function endGrace(): Promise<void> {
  await running.app.services.db.$executeRaw`
    UPDATE "oauth_refresh_token" SET "used_at" = "used_at" - ${refreshGraceSeconds + 1} * interval '1 second'`;
}

/** Tokens of a user after sign-in and consent. */
async function userTokens(scope = 'agents:list'): Promise<{ access_token: string; refresh_token: string }> {
  const { app } = running;
  const { body, status } = await redeem(app, dashboard, await obtainCode(app, email, { scope }));
  expect(status).toBe(200);
  return body;
}

describe('An authorization code', () => {
  it('works once, and a second use revokes the tokens of the first', async () => {
    const { app } = running;
    const code = await obtainCode(app, email);
    const first = await redeem(app, dashboard, code);
    await expectStatusOf(first.body.access_token, 200);
    expectError(await redeem(app, dashboard, code), 'invalid_grant');
    await expectStatusOf(first.body.access_token, 401);
    expectError(await refresh(dashboard, first.body.refresh_token), 'invalid_grant');
  });

  it('redeemed twenty times concurrently works once, and the other attempts revoke its tokens', async () => {
    const { app } = running;
    const code = await obtainCode(app, email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(app, dashboard, code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 'invalid_grant');
    await expectStatusOf(won[0]?.body.access_token, 401);
  });

  it('is stored as a hash, and is redeemed by one statement', async () => {
    const { app } = running;
    const { code, verifier } = await obtainCode(app, email);
    const rows = await app.services.db.oauthCode.findMany();
    expect(JSON.stringify(rows.map(({ hash }) => Buffer.from(hash).toString('utf8')))).not.toContain(code);
    app.statements.length = 0;
    await redeem(app, dashboard, { code, verifier });
    const onCodes = app.statements.filter((sql) => sql.includes('"oauth_code"'));
    expect(onCodes).toHaveLength(1);
    expect(onCodes[0]).toMatch(/^UPDATE .*"used_at" = .* WHERE .*"used_at" IS NULL.* RETURNING /);
  });

  it('expires after a minute', async () => {
    const { app } = running;
    const code = await obtainCode(app, email);
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 60_000);
    const answer = await redeem(app, dashboard, code);
    app.clock.now = now;
    expectError(answer, 'invalid_grant');
  });

  it.each([
    ['a wrong verifier', { code_verifier: createVerifier().verifier }],
    ['a verifier that is too short', { code_verifier: 'a' }],
    ['no verifier', { code_verifier: '' }],
    ['the challenge as verifier', 'challenge' as const],
    ['a redirect URI off by one character', { redirect_uri: `${callback}/` }],
    ['no redirect URI', { redirect_uri: '' }],
  ])('is rejected and invalidated with %s', async (_what, more) => {
    const { app } = running;
    const { verifier, challenge } = createVerifier();
    const { code } = await obtainCode(app, email, { code_challenge: challenge });
    const wrong = more === 'challenge' ? { code_verifier: challenge } : more;
    expectError(await redeem(app, dashboard, { code, verifier }, wrong), 'invalid_grant');
    expectError(await redeem(app, dashboard, { code, verifier }), 'invalid_grant');
  });

  it('cannot be used by another client, and stays valid', async () => {
    const { app } = running;
    const code = await obtainCode(app, email);
    expectError(await redeem(app, other, code), 'invalid_grant');
    expect((await redeem(app, dashboard, code)).status).toBe(200);
  });

  it('is rejected for a user who was disabled meanwhile', async () => {
    const { app } = running;
    const code = await obtainCode(app, email);
    const set = (disabledAt: Date | null) =>
      app.services.db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt } });
    await set(app.clock.now);
    const answer = await redeem(app, dashboard, code);
    await set(null);
    expectError(answer, 'invalid_grant');
  });
});

describe('A refresh token', () => {
  it('rotates at each use', async () => {
    const tokens = await userTokens();
    const { status, body } = await refresh(dashboard, tokens.refresh_token);
    expect(status).toBe(200);
    expect(body.refresh_token).not.toBe(tokens.refresh_token);
    expect((await refresh(dashboard, body.refresh_token)).status).toBe(200);
  });

  it('that is used again after its rotation revokes the whole family', async () => {
    const tokens = await userTokens();
    const rotated = await refresh(dashboard, tokens.refresh_token);
    await expectStatusOf(rotated.body.access_token, 200);
    await endGrace();
    expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
    expectError(await refresh(dashboard, rotated.body.refresh_token), 'invalid_grant');
    await expectStatusOf(rotated.body.access_token, 401);
    await expectStatusOf(tokens.access_token, 401);
  });

  it('returns the same response again from a process whose clock differs', async () => {
    const { app } = running;
    const tokens = await userTokens();
    const { body } = await refresh(dashboard, tokens.refresh_token);
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + (refreshGraceSeconds + 1) * 1000);
    const again = await refresh(dashboard, tokens.refresh_token);
    app.clock.now = now;
    expect(again.body).toEqual(body);
  });

  it('used twenty times concurrently returns one working response to all', async () => {
    const tokens = await userTokens();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(dashboard, tokens.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const [{ body } = { body: {} }] = answers;
    await expectStatusOf(body.access_token, 200);
    // The use of the new access token ends nothing: one tab uses it while another one is still refreshing.
    expect((await refresh(dashboard, tokens.refresh_token)).body).toEqual(body);
    expect((await refresh(dashboard, body.refresh_token)).status).toBe(200);
  });

  it('revokes the family immediately after the response to its first use was received', async () => {
    const tokens = await userTokens();
    const { body } = await refresh(dashboard, tokens.refresh_token);
    const next = await refresh(dashboard, body.refresh_token);
    expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
    expectError(await refresh(dashboard, next.body.refresh_token), 'invalid_grant');
    for (const token of [tokens, body, next.body]) await expectStatusOf(token.access_token, 401);
  });

  it('repeats its response only to its own client, and not after the family has ended', async () => {
    const { app } = running;
    const tokens = await userTokens();
    const { body } = await refresh(dashboard, tokens.refresh_token);
    expectError(await refresh(other, tokens.refresh_token), 'invalid_grant');
    await callEndpoint(app, 'revoke', { ...dashboard.credentials, token: body.refresh_token });
    expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
    const rows = await app.services.db.oauthRefreshToken.findMany({ where: { encryptedResponse: { not: null } } });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(body.refresh_token);
    await endGrace();
    await forgetExpired(app.services.db, app.clock.now);
    expect(await app.services.db.oauthRefreshToken.count({ where: { encryptedResponse: { not: null } } })).toBe(0);
  });

  it('repeats its response for as many scopes or more, and never for fewer', async () => {
    const tokens = await userTokens('agents:list agents:get');
    const [all, narrow] = await Promise.all([
      refresh(dashboard, tokens.refresh_token),
      refresh(dashboard, tokens.refresh_token, { scope: 'agents:list agents:get' }),
    ]);
    expect(narrow.body).toEqual(all.body);
    expectError(await refresh(dashboard, tokens.refresh_token, { scope: 'agents:get' }), 'invalid_scope');
    const narrowed = await refresh(dashboard, all.body.refresh_token, { scope: 'agents:get' });
    expect(narrowed.body.scope).toBe('agents:get');
    expect((await refresh(dashboard, all.body.refresh_token)).body).toEqual(narrowed.body);
  });

  it('leaves no valid token when a thief and its owner race', async () => {
    const tokens = await userTokens();
    const { body } = await refresh(dashboard, tokens.refresh_token);
    const [thiefs, owners] = await Promise.all([
      refresh(dashboard, tokens.refresh_token),
      refresh(dashboard, body.refresh_token),
    ]);
    await endGrace();
    // The second use of the stolen token is detected.
    await refresh(dashboard, thiefs.body.refresh_token ?? tokens.refresh_token);
    await refresh(dashboard, body.refresh_token);
    for (const answer of [thiefs, owners].filter(({ status }) => status === 200)) {
      await expectStatusOf(answer.body.access_token, 401);
      expectError(await refresh(dashboard, answer.body.refresh_token), 'invalid_grant');
    }
    await expectStatusOf(body.access_token, 401);
  });

  it('cannot be used by another client, and stays valid', async () => {
    const tokens = await userTokens();
    expectError(await refresh(other, tokens.refresh_token), 'invalid_grant');
    expect((await refresh(dashboard, tokens.refresh_token)).status).toBe(200);
  });

  it('can narrow the scopes, and never widen them', async () => {
    const tokens = await userTokens('agents:list agents:get');
    const narrowed = await refresh(dashboard, tokens.refresh_token, { scope: 'agents:get' });
    expect(narrowed.body.scope).toBe('agents:get');
    const widened = await refresh(dashboard, narrowed.body.refresh_token, { scope: 'agents:delete' });
    expectError(widened, 'invalid_scope');
    const whole = await refresh(dashboard, narrowed.body.refresh_token);
    expect(whole.body.scope).toBe('agents:get agents:list');
    const blank = await refresh(dashboard, whole.body.refresh_token, { scope: ' ' });
    expect(blank.body.scope).toBe('agents:get agents:list');
  });

  it('keeps the authorization if the roles of the user allow none of the narrowed scopes any more', async () => {
    const { db } = running.app.services;
    const tokens = await userTokens('workspaces:invite agents:get');
    const where = { accountId: tenant.accountId, principalId: tenant.principalId };
    await db.accountMember.updateMany({ where, data: { role: 'viewer' } });
    expectError(await refresh(dashboard, tokens.refresh_token, { scope: 'workspaces:invite' }), 'invalid_scope');
    expect((await refresh(dashboard, tokens.refresh_token)).body.scope).toBe('agents:get');
    await db.accountMember.updateMany({ where, data: { role: 'admin' } });
  });

  it('expires after 30 days without use', async () => {
    const { app } = running;
    const tokens = await userTokens();
    const { now } = app.clock;
    app.clock.now = new Date(now.getTime() + 30 * 24 * 60 * 60_000);
    const answer = await refresh(dashboard, tokens.refresh_token);
    app.clock.now = now;
    expectError(answer, 'invalid_grant');
  });
});

describe('The token endpoint', () => {
  const form = { grant_type: 'client_credentials' };

  function basic(id: string, secret: string): Record<string, string> {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }

  it('accepts JSON as well, for existing clients', async () => {
    const { app } = running;
    const json = (body: string) =>
      callEndpoint(app, 'token', body, { 'content-type': 'application/json; charset=utf-8' });
    const granted = await json(JSON.stringify({ ...form, ...service.credentials, scope: null }));
    expect(granted.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'agents:get agents:list',
    });
    expect(granted.headers.get('cache-control')).toBe('no-store');
    await expectStatusOf(granted.body.access_token, 200);
    expectError(await json('{'), 'invalid_request');
    expectError(await json('[]'), 'invalid_request');
    expectError(await json('{"grant_type":1}'), 'invalid_request');
    expectError(await json('{"grant_type":"client_credentials","grant_type" : "refresh_token"}'), 'invalid_request');
  });

  it('rejects more than 100 parameters, as a form and as JSON', async () => {
    const { app } = running;
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`parameter${index}`, 'x']));
    const asJson = { 'content-type': 'application/json' };
    for (const answer of [
      await callEndpoint(app, 'token', { ...form, ...service.credentials, ...many }),
      await callEndpoint(app, 'token', JSON.stringify({ ...form, ...service.credentials, ...many }), asJson),
    ]) {
      expectError(answer, 'invalid_request');
      expect(answer.body.error_description).toBe('The body must have at most 100 parameters.');
    }
  });

  it('accepts the secret in the Authorization header, percent-encoded', async () => {
    const { app } = running;
    const encoded = service.secret.replaceAll('_', '%5F');
    const header = { authorization: `Basic ${Buffer.from(`ci:${encoded}`).toString('base64')}` };
    expect((await callEndpoint(app, 'token', form, header)).status).toBe(200);
    expect((await callEndpoint(app, 'token', { ...form, client_id: 'ci' }, header)).status).toBe(200);
  });

  it.each([
    ['an unknown client', { client_id: 'nobody', client_secret: 'x' }],
    ['a wrong secret', { client_id: 'ci', client_secret: 'x' }],
    ['no secret', { client_id: 'ci' }],
    ['no client', {}],
    ['a client with a NUL in its name', { client_id: 'ci\0', client_secret: 'x' }],
    ['an assertion', { client_id: 'ci', client_assertion: 'x' }],
  ])('rejects %s with 401', async (_what, credentials: Record<string, string>) => {
    const answer = await callEndpoint(running.app, 'token', { ...form, ...credentials });
    expectError(answer, 'invalid_client', 401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it.each(['Basic', 'Basic !', 'Basic Y2k6JQ==', 'Bearer x', `Basic ${Buffer.from('ci').toString('base64')}`])(
    'rejects the header %s with 401',
    async (authorization) => {
      expectError(await callEndpoint(running.app, 'token', form, { authorization }), 'invalid_client', 401);
    },
  );

  it('rejects a secret in both the header and the body', async () => {
    const { app } = running;
    const header = basic('ci', service.secret);
    expectError(await callEndpoint(app, 'token', { ...form, ...service.credentials }, header), 'invalid_request');
    expectError(await callEndpoint(app, 'token', { ...form, client_id: 'other' }, header), 'invalid_request');
  });

  it.each(['grant_type', 'client_id', 'scope', 'unknown'])('rejects a repeated %s', async (name) => {
    const body = `${new URLSearchParams({ ...form, ...service.credentials })}&${name}=a&${name}=b`;
    expectError(await callEndpoint(running.app, 'token', body), 'invalid_request');
  });

  it.each([
    ['no grant', {}, 'invalid_request'],
    ['an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant of Object', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['a grant that the client is not registered for', { grant_type: 'authorization_code' }, 'unauthorized_client'],
    ['an unknown scope', { ...form, scope: 'agents:fly' }, 'invalid_scope'],
    ['a scope of Object', { ...form, scope: 'constructor' }, 'invalid_scope'],
    ['a scope that the client is not registered for', { ...form, scope: 'agents:delete' }, 'invalid_scope'],
    ['the scope admin, when it is not registered for that', { ...form, scope: 'admin' }, 'invalid_scope'],
    ['another resource', { ...form, resource: 'https://other.example.com' }, 'invalid_target'],
  ])('rejects %s', async (_what, parameters: Record<string, string>, error) => {
    expectError(await callEndpoint(running.app, 'token', { ...service.credentials, ...parameters }), error);
  });

  it('accepts several resources, each of which must be this service', async () => {
    const { app } = running;
    const ask = async (...resources: string[]) => {
      const search = new URLSearchParams({ ...form, ...service.credentials });
      for (const resource of resources) search.append('resource', resource);
      return (await callEndpoint(app, 'token', search.toString())).body;
    };
    const base = app.config.PUBLIC_URL;
    const issued = { access_token: expect.any(String) };
    expect(await ask(`${base}/v0`, `${base}/mcp`)).toMatchObject(issued);
    expect(await ask(`${base}/mcp`, '', `${base}/mcp`)).toMatchObject(issued);
    expect(await ask(`${base}/v0`, 'https://other.example.com')).toMatchObject({ error: 'invalid_target' });
  });

  it('rejects other media types, and bodies that are too long', async () => {
    const { app } = running;
    expectError(await callEndpoint(app, 'token', 'x', { 'content-type': 'text/plain' }), 'invalid_request');
    expectError(await callEndpoint(app, 'token', `a=${'a'.repeat(40_000)}`), 'invalid_request', 413);
  });

  it('accepts only POST', async () => {
    const answer = await rest(running.app, '/oauth/token');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('gives tokens also while the user is changed, without a deadlock', async () => {
    const { db } = running.app.services;
    const { principalId } = tenant;
    const { refresh_token } = await userTokens();
    const requests = [
      () => refresh(dashboard, refresh_token),
      () => callEndpoint(running.app, 'token', { grant_type: 'client_credentials', ...service.credentials }),
    ];
    for (const request of requests) {
      const { answer } = await db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT "id" FROM "principal" WHERE "id" = ${principalId}::uuid FOR UPDATE`;
        const answering = request();
        // On a server, the request has locked the authorization or the client by now, and waits for the user.
        await setTimeout(300);
        await tx.oauthAuthorization.updateMany({ where: { principalId }, data: { lastUsedAt: frozenNow } });
        await tx.oauthClient.updateMany({ where: { principalId }, data: { principalId } });
        return { answer: answering };
      });
      expect((await answer).status).toBe(200);
    }
  });

  it('grants no scope beyond the roles of the owner', async () => {
    const { app } = running;
    const member = await createTenant(app, { account: 'plain', workspaces: ['plain-main'], role: 'member' });
    const scope = 'agents:list workspaces:create';
    const { credentials } = await registerService(app, ownerOf(member), { id: 'plain-ci', scope });
    const granted = await callEndpoint(app, 'token', { ...form, ...credentials, scope });
    expect(granted.body.scope).toBe('agents:list');
    expectError(
      await callEndpoint(app, 'token', { ...form, ...credentials, scope: 'workspaces:create' }),
      'invalid_scope',
    );
  });

  it('rejects a revoked client and its tokens', async () => {
    const { app } = running;
    const { credentials } = await registerService(app, ownerOf(tenant), { id: 'short-lived' });
    const { body } = await callEndpoint(app, 'token', { ...form, ...credentials });
    await expectStatusOf(body.access_token, 200);
    await revokeClient(await frameContext(app.services), { name: 'short-lived' });
    await expectStatusOf(body.access_token, 401);
    expectError(await callEndpoint(app, 'token', { ...form, ...credentials }), 'invalid_client', 401);
  });

  it('accepts a public client with its verifier only, and rejects a secret of it', async () => {
    const { app } = running;
    await registerClient(app, { id: 'spa', isPublic: true });
    const spa = { client_id: 'spa' };
    const given = await obtainCode(app, email, { client_id: 'spa' });
    const parameters = { grant_type: 'authorization_code', redirect_uri: callback, ...spa, code: given.code };
    const refused = await callEndpoint(app, 'token', { ...parameters, client_secret: 'x' });
    expectError(refused, 'invalid_client', 401);
    const granted = await callEndpoint(app, 'token', { ...parameters, code_verifier: given.verifier });
    expect(granted.status).toBe(200);
    expect(granted.body.refresh_token).toMatch(/^wcr_/);
  });
});

describe('Revocation', () => {
  const revoke = (client: RegisteredClient, token: string) =>
    callEndpoint(running.app, 'revoke', { ...client.credentials, token });

  it.each(['access_token', 'refresh_token'] as const)(
    'of one %s ends all tokens of the same consent, and no others',
    async (which) => {
      const [tokens, elsewhere] = [await userTokens(), await userTokens()];
      expect((await revoke(dashboard, tokens[which])).status).toBe(200);
      await expectStatusOf(tokens.access_token, 401);
      expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
      await expectStatusOf(elsewhere.access_token, 200);
      expect((await refresh(dashboard, elsewhere.refresh_token)).status).toBe(200);
    },
  );

  it('of an unknown token is no error', async () => {
    for (const token of ['x', 'a.b.c', 'wcr_x']) expect((await revoke(dashboard, token)).status).toBe(200);
  });

  it('of another client’s token is rejected', async () => {
    const tokens = await userTokens();
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expectError(await revoke(other, token), 'unauthorized_client');
    }
    await expectStatusOf(tokens.access_token, 200);
  });

  it('requires a client and a token', async () => {
    expectError(await callEndpoint(running.app, 'revoke', { token: 'x' }), 'invalid_client', 401);
    expectError(await callEndpoint(running.app, 'revoke', dashboard.credentials), 'invalid_request');
  });
});

describe('A user’s consent', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a changed password', () => givePassword(running.app, 'northwind')],
    ['a disabled user', () => setDisabled(running.app, email, true)],
  ])('ends with %s, and does not return', async (_what, act) => {
    const { db } = running.app.services;
    const tokens = await userTokens();
    await act();
    await expectStatusOf(tokens.access_token, 401);
    expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
    expect(await db.signInSession.count({ where: { principalId: tenant.principalId } })).toBe(0);
    await setDisabled(running.app, email, false);
    await expectStatusOf(tokens.access_token, 401);
    expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
  });

  it('that is revoked while a code is issued for it stays revoked, and gives no access', async () => {
    const { db } = running.app.services;
    const { visitor } = await obtainCode(running.app, email);
    const which = { principalId: tenant.principalId, clientId: dashboard.id };
    const answers: Promise<Page>[] = [];
    await db.$transaction(async (tx) => {
      await withdrawConsent(tx, which, running.app.clock.now);
      answers.push(visitor.open(authorizeAddress({})));
      // The request reads the consent, and waits for the end of this transaction.
      await setTimeout(500);
    });
    const [answer] = await Promise.all(answers);
    expect(answer?.location).not.toContain('code=');
    expect(await db.oauthConsent.count({ where: which })).toBe(0);
    expect(await db.oauthAuthorization.count({ where: { ...which, endedAt: null } })).toBe(0);
  });

  it('ends when the operator revokes an access token of it', async () => {
    const { app } = running;
    const tokens = await userTokens();
    const [, payload = ''] = tokens.access_token.split('.');
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    await revokeAccessToken(await frameContext(app.services), { id: jti });
    expectError(await refresh(dashboard, tokens.refresh_token), 'invalid_grant');
  });
});

describe('Introspection', () => {
  const introspect = (client: RegisteredClient, token: string) =>
    callEndpoint(running.app, 'introspect', { ...client.credentials, token });

  it('returns a client its own tokens and those of its account', async () => {
    const tokens = await userTokens();
    const active = { active: true, client_id: 'dashboard', username: email, scope: 'agents:list' };
    expect((await introspect(dashboard, tokens.access_token)).body).toMatchObject({ ...active, token_type: 'Bearer' });
    expect((await introspect(dashboard, tokens.refresh_token)).body).toMatchObject(active);
    expect((await introspect(service, tokens.access_token)).body).toMatchObject(active);
  });

  it('returns inactive for tokens of other accounts, API keys and unknown tokens', async () => {
    const tokens = await userTokens();
    for (const token of [tokens.access_token, tokens.refresh_token, 'x', 'a.b.c']) {
      expect((await introspect(other, token)).body).toEqual({ active: false });
    }
  });

  it('returns inactive to a client of one workspace for tokens of another, or of the whole account', async () => {
    const { app } = running;
    const main = tenant.workspaces['northwind-main'] ?? '';
    const { id: lab } = await app.services.db.workspace.create({ data: { name: 'lab', accountId: tenant.accountId } });
    const inMain = await registerService(app, { ...ownerOf(tenant), workspaceId: main }, { id: 'in-main' });
    const { db, encryption, tokens } = app.services;
    const tokenIn = async (workspaceId: string | null) =>
      (
        await issueAccessToken(db, encryption, tokens, {
          ...ownerOf(tenant),
          workspaceId,
          scope: 'admin',
          clientId: 'x',
          now: app.clock.now,
        })
      ).token;
    expect((await introspect(inMain, await tokenIn(main))).body.active).toBe(true);
    for (const place of [lab, null])
      expect((await introspect(inMain, await tokenIn(place))).body).toEqual({ active: false });
    await app.services.db.workspace.delete({ where: { id: lab } });
  });

  it('rejects a client whose owner is disabled', async () => {
    const { db } = running.app.services;
    const tokens = await userTokens();
    await db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt: frozenNow } });
    expectError(await introspect(service, tokens.access_token), 'unauthorized_client');
    await db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt: null } });
  });

  it('requires a client with a secret', async () => {
    const { app } = running;
    await registerClient(app, { id: 'spa-2', isPublic: true });
    const tokens = await userTokens();
    const parameters = { token: tokens.access_token };
    expectError(await callEndpoint(app, 'introspect', { ...parameters, client_id: 'spa-2' }), 'invalid_client', 401);
    expectError(await callEndpoint(app, 'introspect', parameters), 'invalid_client', 401);
  });
});
