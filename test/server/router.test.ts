// Common behaviour of all REST addresses: authentication, and errors for unknown addresses.
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, createToken, frozenNow, rest, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';

const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] });
  ({ key } = await createKey(app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' }));
  await createTenant(app, { account: 'contoso', workspaces: ['elsewhere'] });
  await addAgents(app, tenant.workspaces['main'], [anAgent('one')]);
});

/** RFC 6750, section 3: a rejected credential gets an error code, and a request without one gets none. */
const metadata = 'resource_metadata="http://[^"]+/\\.well-known/oauth-protected-resource/v0"';
const invalidToken = new RegExp(`^Bearer error="invalid_token", error_description="[^"\\\\]+", ${metadata}$`);
const noCredential = new RegExp(`^Bearer ${metadata}$`);

function expectUnauthorized(answer: Answer, challenge = invalidToken): void {
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toMatch(challenge);
  expect(answer.body).toEqual({ error: 'unauthorized', code: 401, message: expect.any(String) });
}

/** The same key with one character of its middle changed. */
function mistyped(text: string): string {
  return `${text.slice(0, 20)}${text[20] === 'A' ? 'B' : 'A'}${text.slice(21)}`;
}

describe('Credentials', () => {
  it('return 401 with WWW-Authenticate if they are missing, or not in the form Bearer', async () => {
    expectUnauthorized(await rest(running.app, '/agents'), noCredential);
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${key}`, key, `Bearer ${key} ${key}`, 'Bearer é']) {
      expectUnauthorized(await rest(running.app, '/agents', { headers: { authorization } }), noCredential);
    }
  });

  it('return 401 if they are garbage, mistyped, truncated, or unknown', async () => {
    const unknown = 'wcp_0000000000000000000000000000000000000000';
    for (const bearer of [
      'x',
      'a.b.c',
      'eyJhbGciOiJub25lIn0.e30.',
      mistyped(key),
      key.slice(0, -1),
      `${key}0`,
      unknown,
    ]) {
      expectUnauthorized(await rest(running.app, '/agents', { key: bearer }));
    }
  });

  it('return 401 for a well-formed unknown key', async () => {
    const { app } = running;
    const { key: deleted, id } = await createKey(app, tenant);
    await app.services.db.apiKey.delete({ where: { id } });
    expectUnauthorized(await rest(app, '/agents', { key: deleted }));
  });

  it('return 401 for a key that was revoked, within a second of its last use', async () => {
    const { app } = running;
    const { key: revoked, id } = await createKey(app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' });
    expect((await rest(app, '/agents', { key: revoked })).status).toBe(200);
    await app.services.db.apiKey.update({ where: { id }, data: { revokedAt: frozenNow } });
    await setTimeout(1_000);
    expectUnauthorized(await rest(app, '/agents', { key: revoked }));
  });

  it('return 401 for a key from the time at which it expires', async () => {
    const { app } = running;
    const expiresAt = new Date(frozenNow.getTime() + 1_000);
    const workspaceId = tenant.workspaces['main'] ?? '';
    const { key: expiring } = await createKey(app, { ...tenant, workspaceId, expiresAt });
    try {
      app.clock.now = new Date(expiresAt.getTime() - 1);
      expect((await rest(app, '/agents', { key: expiring })).status).toBe(200);
      app.clock.now = expiresAt;
      expectUnauthorized(await rest(app, '/agents', { key: expiring }));
    } finally {
      app.clock.now = frozenNow;
    }
  });

  it('return 401 for a token that was revoked, and for one that has expired', async () => {
    const { app } = running;
    const headers = { 'x-service-workspace': 'main' };
    const { token: revoked, id } = await createToken(app, tenant, 'agents:list');
    await app.services.db.accessToken.update({ where: { id }, data: { revokedAt: frozenNow } });
    expectUnauthorized(await rest(app, '/agents', { key: revoked, headers }));
    const { token } = await createToken(app, tenant, 'agents:list');
    expect((await rest(app, '/agents', { key: token, headers })).status).toBe(200);
    try {
      app.clock.now = new Date(frozenNow.getTime() + 15 * 60_000);
      expectUnauthorized(await rest(app, '/agents', { key: token, headers }));
    } finally {
      app.clock.now = frozenNow;
    }
  });

  it('return 401 if the owner is disabled, or no longer belongs to the account', async () => {
    const { app } = running;
    const { db } = app.services;
    const headers = { 'x-service-workspace': 'main' };
    const disabled = await db.principal.create({ data: { kind: 'user', name: 'disabled@example.com' } });
    const gone = await db.principal.create({ data: { kind: 'user', name: 'gone@example.com' } });
    await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: disabled.id, role: 'admin' } });
    await db.principal.update({ where: { id: disabled.id }, data: { disabledAt: frozenNow } });
    for (const principalId of [disabled.id, gone.id]) {
      const { key: own } = await createKey(app, { accountId: tenant.accountId, principalId });
      expectUnauthorized(await rest(app, '/agents', { key: own, headers }));
    }
  });

  it('do not depend on the case of the word Bearer', async () => {
    expect((await rest(running.app, '/agents', { headers: { authorization: `bearer ${key}` } })).status).toBe(200);
  });
});

describe('The workspace of a request', () => {
  it('returns 400 workspace_required if the credential can access several and none is named', async () => {
    const { key: wide } = await createKey(running.app, tenant);
    const { status, body } = await rest(running.app, '/agents', { key: wide });
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'workspace_required', code: 400, message: expect.any(String) });
  });

  it('is the one of the header', async () => {
    const { key: wide } = await createKey(running.app, tenant);
    const count = async (workspace: string) => {
      const { body } = await rest(running.app, '/agents', { key: wide, headers: { 'x-service-workspace': workspace } });
      return body.length;
    };
    expect(await count('main')).toBe(1);
    expect(await count('second')).toBe(0);
  });

  it('returns the same 403 for a name of another tenant, an unknown and an inaccessible one', async () => {
    const answers = new Set<string>();
    for (const workspace of ['elsewhere', 'no-such-workspace', 'second', 'MAIN', '../main', '%']) {
      const answer = await rest(running.app, '/agents', { key, headers: { 'x-service-workspace': workspace } });
      expect(answer.status).toBe(403);
      expect(answer.body.error).toBe('forbidden');
      answers.add(JSON.stringify(answer.body));
    }
    expect(answers.size).toBe(1);
  });

  it('returns 403 if the credential can access none', async () => {
    const { app } = running;
    const lonely = await createTenant(app, { account: 'lonely', workspaces: ['hers'], role: 'member' });
    const { key: own } = await createKey(app, lonely);
    expect((await rest(app, '/agents', { key: own })).status).toBe(403);
    expect((await rest(app, '/agents', { key: own, headers: { 'x-service-workspace': 'hers' } })).status).toBe(403);
  });

  it('returns 400 if the header is sent twice', async () => {
    const headers = { 'x-service-workspace': 'main, main' };
    expect((await rest(running.app, '/agents', { key, headers })).status).toBe(400);
  });
});

describe('The version header', () => {
  it.each(['latest', '2026-13-01', '2026-02-30', '28-04-2026', '2026-4-28', '20260428', '2026-04-28T00:00:00Z', '0'])(
    'returns 400 invalid_api_version for %j',
    async (version) => {
      const { status, body, headers } = await rest(running.app, '/agents', { key, version });
      expect(status).toBe(400);
      expect(body).toEqual({ error: 'invalid_api_version', code: 400, message: expect.stringContaining('version') });
      expect(headers.get('service-version')).toBe('2026-04-27');
    },
  );

  it('uses the default if it is absent or empty', async () => {
    for (const headers of [{}, { 'service-version': '' }]) {
      const answer = await rest(running.app, '/agents', { key, headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('service-version')).toBe('2026-04-27');
      expect(answer.body).toHaveLength(1);
    }
  });

  it('is returned with errors, too', async () => {
    const version = '2026-05-01';
    for (const path of ['/agents', '/nothing']) {
      expect((await rest(running.app, path, { version })).headers.get('service-version')).toBe(version);
    }
  });
});

/** A request whose target is sent exactly as given. */
async function raw(target: string, method = 'GET'): Promise<{ status: number; headers: Headers; text: string }> {
  const { hostname, port } = new URL(running.app.origin);
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const sent = request({ hostname, port, path: target, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const received = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, headers: received, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('An unusual address', () => {
  it.each([
    '/',
    '//',
    '/v0',
    '/v0/',
    '/v0//agents',
    '//v0/agents',
    '/v0/agents/',
    '/v0/agents//',
    '/v0/Agents',
    '/V0/agents',
    '/v1/agents',
    '/v0agents',
    '/v0/agents;a=1',
    '/v0/agents/one',
    '/v0/./agents',
    '/v0/../v0/agents',
    '/v0/..%2fagents',
    '/v0/constructor',
    '/v0/__proto__',
    '/index.html',
    '*',
    `/v0/${'a'.repeat(12_000)}`,
    `/v0/${'a/'.repeat(6_000)}`,
  ])('returns 404 in JSON at %j', async (target) => {
    const { status, headers, text } = await raw(target);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(JSON.parse(text)).toEqual({ error: 'not_found', code: 404, message: expect.any(String) });
  });

  it.each(['/v0/%', '/v0/%zz', '/v0/agents/%ff', '/v0/%c0%af', '/v0/agents%00', '/%'])(
    'returns 400 or 404 for malformed percent-encoding: %j',
    async (target) => {
      const { status, text } = await raw(target);
      expect([400, 404]).toContain(status);
      expect(JSON.parse(text).code).toBe(status);
    },
  );

  it.each(['/v0/agents?', '/v0/agents?=&&a', '/v0/agents??', '/v0/agents?a=b=c', '/v0/agents?q=a+%C3%A9'])(
    'of %j has its query parsed',
    async (target) => {
      expect((await raw(target)).status).toBe(200);
    },
  );

  it.each([
    ['q', '/v0/agents?q=%E0%A4%A'],
    ['q', '/v0/agents?limit=1&q=%ff'],
    ['q', '/v0/agents?q=100%'],
    ['%', '/v0/agents?%'],
    ['version', '/v0/openapi.json?version=%ff'],
    ['query', '/graphql?query={agents(search:%22%ff%22){totalCount}}'],
  ])('with a query that is not UTF-8 returns 400, naming %j', async (name, target) => {
    const { status, text } = await raw(target);
    expect(status).toBe(400);
    expect(text).toContain(`${name} must be percent-encoded UTF-8, with % written as %25`);
  });

  it('can be in the absolute form of RFC 9112, section 3.2.2', async () => {
    expect((await raw(`${running.app.origin}/v0/agents`)).status).toBe(200);
  });

  it('above the maximum length returns a 4xx in JSON', async () => {
    const { status, headers, text } = await raw(`/v0/agents?q=${'a'.repeat(100_000)}`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(JSON.parse(text)).toMatchObject({ code: status });
  });
});

describe('Every response', () => {
  it('has a unique request id', async () => {
    const ids = new Set<string | null>();
    for (const path of ['/agents', '/nothing', '/agents?limit=0']) {
      ids.add((await rest(running.app, path, { key, version: '2026-04-28' })).headers.get('x-request-id'));
    }
    ids.add((await rest(running.app, '/agents')).headers.get('x-request-id'));
    ids.add((await rest(running.app, '/agents', { method: 'POST' })).headers.get('x-request-id'));
    ids.add((await fetch(`${running.app.origin}/healthz`)).headers.get('x-request-id'));
    expect(ids.size).toBe(6);
    expect(ids.has(null)).toBe(false);
  });

  it('cannot be cached', async () => {
    for (const credential of [key, 'wrong']) {
      expect((await rest(running.app, '/agents', { key: credential })).headers.get('cache-control')).toBe('no-store');
    }
  });
});
