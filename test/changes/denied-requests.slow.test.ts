// Denied requests in the change log: visible to account admins, aggregated, and limited in number.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createApiKey } from '../../src/auth/api-key.js';
import { createDeniedRequests } from '../../src/changes/denied-requests/denied-requests.js';
import { deniedRequestsMax, secretReadsMax } from '../../src/changes/denied-requests/denied-request.js';
import type { DeniedRequest } from '../../src/changes/denied-requests/denied-request.js';
import { recordAllDeniedRequests } from '../../src/changes/denied-requests/denied-request-rows.js';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { watch } from './event-stream.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

const running = useApp({ CLIENT_ADDRESS_HEADER: 'x-forwarded-for' });
const from = { 'x-forwarded-for': '192.0.2.7' };
const hourMs = 60 * 60_000;

interface Told {
  kind: string;
  verb: string;
  name: string | null;
  message: string;
  count: number;
  client: string | null;
  address: string | null;
  actor: { kind: string; name: string | null };
}

const told = `nodes { kind action name message count client address requestId actor { kind name } }`;

/** The denied requests in the change log of a new account, once all of them are counted. */
async function deniedRequestsSeenBy(key: string): Promise<Told[]> {
  await running.app.services.deniedRequests.settle();
  const query = `{ changes(filter: { actions: [DENIED] }, first: 100) { ${told} } }`;
  const { body } = await graphql(running.app, key, query);
  expect(body.errors).toBeUndefined();
  return body.data.changes.nodes;
}

let tenants = 0;

/** An account with an admin's key, and one that may only list jobs. */
async function aTenant(): Promise<Tenant & { name: string; admin: string; narrow: string }> {
  const name = `northwind-${++tenants}`;
  const tenant = await createTenant(running.app, { account: name, workspaces: [`${name}-main`] });
  const { key: admin } = await createKey(running.app, tenant);
  const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'jobs:list' });
  return { ...tenant, name, admin, narrow };
}

/** Requests agents a thousand times, some concurrently. @returns the statuses */
async function askOften(keyOf: (left: number) => string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 40 });
  const statuses = new Set<number>();
  let left = 1_000;
  const ask = async () => {
    const headers = { authorization: `Bearer ${keyOf(left)}` };
    const [response]: IncomingMessage[] = await once(
      get(`${running.app.origin}/v0/agents`, { agent, headers }),
      'response',
    );
    statuses.add(response?.statusCode ?? 0);
    response?.resume();
  };
  const worker = async () => {
    while (left-- > 0) await ask();
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  agent.destroy();
  return [...statuses];
}

/** Advances the clock of background tasks by an hour. */
async function anHourLater(): Promise<void> {
  const { app } = running;
  await app.services.deniedRequests.settle();
  app.clock.now = new Date(app.clock.now.getTime() + hourMs);
  await recordAllDeniedRequests(app.services.db, app.clock.now);
}

async function historyLength({ accountId }: Tenant): Promise<number> {
  return running.app.services.db.change.count({ where: { accountId } });
}

beforeAll(() => {
  running.app.clock.now = frozenNow;
});

describe('A denied request', () => {
  it('of REST is recorded with actor, operation, key, address and reason', async () => {
    const { admin, narrow, name } = await aTenant();
    expect((await rest(running.app, '/agents', { key: narrow, headers: from })).status).toBe(403);
    expect(await deniedRequestsSeenBy(admin)).toEqual([
      {
        kind: 'ACCESS',
        action: 'DENIED',
        name: 'ListAgents',
        message: 'This credential lacks the scope agents:list.',
        count: 1,
        client: `api_key ${narrow.slice(0, 10)}`,
        address: '192.0.2.7',
        requestId: expect.any(String),
        actor: { kind: 'USER', name: `owner@${name}.example.com` },
      },
    ]);
  });

  it('of GraphQL is recorded once for each field of a query, under any alias, and for mutations and subscriptions', async () => {
    const { admin, narrow } = await aTenant();
    await graphql(
      running.app,
      narrow,
      '{ one: agents { totalCount } two: agents { totalCount } ...F } fragment F on Query { volumes { totalCount } }',
    );
    const mutation = 'mutation($name: String!) { deleteAgent(input: { name: $name }) { ... on Error { code } } }';
    await graphql(running.app, narrow, mutation, { name: 'support' });
    await watch(running.app, narrow, 'subscription { changes { cursor } }');
    const seen = await deniedRequestsSeenBy(admin);
    expect(seen.map(({ name, count }) => [name, count]).toSorted()).toEqual([
      ['Mutation.deleteAgent', 1],
      ['Query.agents', 1],
      ['Query.volumes', 1],
      ['Subscription.changes', 1],
    ]);
  });

  it('is recorded in the account of the credential, not in the requested one', async () => {
    const mine = await aTenant();
    const theirs = await aTenant();
    const path = `/accounts/${theirs.accountId}/metrics?startTime=2026-11-19T00:00:00Z&endTime=2026-11-20T00:00:00Z`;
    expect((await rest(running.app, path, { key: mine.admin })).status).toBe(403);
    expect(await deniedRequestsSeenBy(mine.admin)).toHaveLength(1);
    expect(await deniedRequestsSeenBy(theirs.admin)).toEqual([]);
  });

  it('is visible to account admins only', async () => {
    const mine = await aTenant();
    await rest(running.app, '/agents', { key: mine.narrow });
    expect(await deniedRequestsSeenBy(mine.admin)).toHaveLength(1);
    const workspaceId = mine.workspaces[`${mine.name}-main`] ?? '';
    const { key: confined } = await createKey(running.app, { ...mine, workspaceId });
    const { db } = running.app.services;
    const member = await db.principal.create({ data: { kind: 'user', name: `member@${mine.name}.example.com` } });
    await db.accountMember.create({ data: { accountId: mine.accountId, principalId: member.id, role: 'member' } });
    await db.workspaceMember.create({ data: { workspaceId, principalId: member.id, role: 'admin' } });
    const { key: members } = await createKey(running.app, { ...mine, principalId: member.id });
    for (const key of [confined, members]) expect(await deniedRequestsSeenBy(key)).toEqual([]);
  });

  it('does not include invalid input and unknown resources', async () => {
    const { admin } = await aTenant();
    await rest(running.app, '/agents?limit=x', { key: admin });
    await rest(running.app, '/agents/nobody', { key: admin });
    await graphql(running.app, admin, 'mutation { deleteAgent(input: { name: "nobody" }) { ... on Error { code } } }');
    await graphql(running.app, admin, '{ nothing }');
    expect(await deniedRequestsSeenBy(admin)).toEqual([]);
  });
});

describe('A rejected credential', () => {
  it('is recorded for a revoked or expired credential, and for another address', async () => {
    const tenant = await aTenant();
    const { app } = running;
    const revoked = await createKey(app, tenant);
    await app.services.db.apiKey.update({ where: { id: revoked.id }, data: { revokedAt: frozenNow } });
    const expired = await createKey(app, { ...tenant, expiresAt: new Date(frozenNow.getTime() - 1) });
    const elsewhere = await createKey(app, { ...tenant, addressRanges: ['203.0.113.0/24'] });
    const statuses = [];
    for (const { key } of [revoked, expired, elsewhere]) {
      statuses.push((await rest(app, '/agents', { key, headers: from })).status);
      statuses.push((await graphql(app, key, '{ __typename }', {}, from)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 403, 403]);
    const seen = await deniedRequestsSeenBy(tenant.admin);
    expect(seen.map(({ client, name, message }) => [client, name, message]).toSorted()).toEqual(
      [
        [revoked.key, 'The API key is invalid, expired or revoked.'],
        [expired.key, 'The credential has expired.'],
        [elsewhere.key, 'This API key cannot be used from your IP address.'],
      ]
        .flatMap(([key = '', message = '']) =>
          ['ListAgents', 'graphql'].map((name) => [`api_key ${key.slice(0, 10)}`, name, message]),
        )
        .toSorted(),
    );
    expect(JSON.stringify(seen)).not.toContain(revoked.key);
  });

  it('is not recorded if it is unknown, even after a thousand attempts', async () => {
    const { app } = running;
    const tenant = await aTenant();
    const count = async () => ({
      changes: await app.services.db.change.count(),
      deniedRequests: await app.services.db.deniedRequest.count(),
    });
    await app.services.deniedRequests.settle();
    const before = await count();
    // Concurrent requests of one key take one look-up in the database, which is the slow part here.
    const keys = Array.from({ length: 100 }, () => createApiKey().key);
    expect(await askOften((left) => keys[Math.floor(left / 10)] ?? '')).toEqual([401]);
    await app.services.deniedRequests.settle();
    expect(await count()).toEqual(before);
    expect(await deniedRequestsSeenBy(tenant.admin)).toEqual([]);
  });
});

describe('A repeated denied request', () => {
  it('is recorded immediately and once after an hour, even for a thousand attempts', async () => {
    const tenant = await aTenant();
    const before = await historyLength(tenant);
    await rest(running.app, '/agents', { key: tenant.narrow });
    expect(await deniedRequestsSeenBy(tenant.admin)).toMatchObject([{ count: 1 }]);
    expect(await askOften(() => tenant.narrow)).toEqual([403]);
    expect(await deniedRequestsSeenBy(tenant.admin)).toHaveLength(1);
    await anHourLater();
    const [, others, ...more] = await deniedRequestsSeenBy(tenant.admin);
    expect(more).toEqual([]);
    expect(others?.count).toBe(1_000);
    expect(others?.message).toMatch(
      /^This credential lacks the scope agents:list\. \d+ times, from 2026-.*Z to 2026-.*Z\.$/,
    );
    expect(await historyLength(tenant)).toBe(before + 2);
  });

  it('is recorded once per hour while it continues, and as new after a pause', async () => {
    const tenant = await aTenant();
    const seen = async () => (await deniedRequestsSeenBy(tenant.admin)).map(({ count }) => count);
    const refuse = () => rest(running.app, '/agents', { key: tenant.narrow });
    await refuse();
    expect(await seen()).toEqual([1]);
    for (let hour = 0; hour < 2; hour++) {
      await refuse();
      await refuse();
      await anHourLater();
    }
    expect(await seen()).toEqual([1, 2, 2]);
    await anHourLater();
    expect(await running.app.services.db.deniedRequest.count({ where: { accountId: tenant.accountId } })).toBe(0);
    await refuse();
    expect(await seen()).toEqual([1, 2, 2, 1]);
  });

  it('is recorded separately up to a limit per hour, and summed up above it', async () => {
    const tenant = await aTenant();
    const { services } = running.app;
    for (const part of [0, 1]) {
      for (let index = 0; index < 300; index++)
        services.deniedRequests.note(deniedRequestOf(tenant, `operation-${part}-${index}`));
      await services.deniedRequests.settle();
    }
    expect(await historyLength(tenant)).toBe(deniedRequestsMax + 1);
    await anHourLater();
    const rows = await services.db.change.findMany({ where: { accountId: tenant.accountId } });
    expect(rows.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(600);
    expect(rows.length).toBeLessThanOrEqual(deniedRequestsMax + 2);
  });

  it('leaves room for reads of secrets, all of which are counted', async () => {
    const tenant = await aTenant();
    const { services } = running.app;
    for (const part of ['a', 'b']) {
      for (let index = 0; index < 1_500; index++) {
        services.deniedRequests.note({ ...deniedRequestOf(tenant, `main/agent-${part}-${index}`), verb: 'read' });
      }
      services.deniedRequests.note(deniedRequestOf(tenant, `operation-${part}`));
      await services.deniedRequests.settle();
    }
    await anHourLater();
    const rows = await services.db.change.findMany({ where: { accountId: tenant.accountId } });
    const counted = (verb: string) =>
      rows.filter((row) => row.verb === verb).reduce((sum, { count }) => sum + (count ?? 0), 0);
    expect(counted('read')).toBe(3_000);
    expect(counted('denied')).toBe(2);
    expect(rows.length).toBeLessThanOrEqual(secretReadsMax + 5);
  });

  it('is counted once by two processes', async () => {
    const tenant = await aTenant();
    const { services } = running.app;
    const { db, now } = services;
    const others = createDeniedRequests({ db, now, onFailure: failed });
    const denied = deniedRequestOf(tenant, 'ListAgents');
    for (let index = 0; index < 50; index++) {
      services.deniedRequests.note(denied);
      others.note(denied);
    }
    await Promise.all([services.deniedRequests.settle(), others.settle()]);
    others.note(denied);
    await others.close();
    await anHourLater();
    await Promise.all([recordAllDeniedRequests(db, now()), recordAllDeniedRequests(db, now())]);
    const counts = (await deniedRequestsSeenBy(tenant.admin)).map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(101);
    expect(counts.length).toBeLessThanOrEqual(2);
  });
});

describe('Recording a denied request', () => {
  it('never fails the request if the database fails, and is repeated when it is back', async () => {
    const tenant = await aTenant();
    const { db, now } = running.app.services;
    const failures: unknown[] = [];
    let isAway = true;
    const flaky = new Proxy(db, {
      get: (target, name) => {
        if (isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const deniedRequests = createDeniedRequests({ db: flaky, now, onFailure: (error) => failures.push(error) });
    deniedRequests.note(deniedRequestOf(tenant, 'ListAgents'));
    await deniedRequests.settle();
    expect(failures.length).toBeGreaterThan(0);
    isAway = false;
    await deniedRequests.close();
    expect(await deniedRequestsSeenBy(tenant.admin)).toHaveLength(1);
  });

  it('drops only the entry that the database rejects', async () => {
    const tenant = await aTenant();
    const other = await aTenant();
    const { db, now } = running.app.services;
    const failures: unknown[] = [];
    const deniedRequests = createDeniedRequests({ db, now, onFailure: (error) => failures.push(error) });
    deniedRequests.note(deniedRequestOf(tenant, 'ListAgents'));
    deniedRequests.note({ ...deniedRequestOf(other, 'ListJobs'), message: 'PostgreSQL cannot store \0.' });
    deniedRequests.note({ ...deniedRequestOf(tenant, 'main/agent'), verb: 'read' });
    await deniedRequests.close();
    expect(failures).toHaveLength(1);
    expect((await deniedRequestsSeenBy(tenant.admin)).map(({ name }) => name)).toEqual(['ListAgents']);
    const reads = { accountId: tenant.accountId, verb: 'read' };
    expect(await db.change.count({ where: reads })).toBe(1);
  });

  it('is bounded, also for arbitrary names', async () => {
    const tenant = await aTenant();
    const { db, now } = running.app.services;
    const deniedRequests = createDeniedRequests({ db, now, onFailure: failed });
    for (let index = 0; index < 20_000; index++) {
      const of = { by: 'user', value: `nobody-${index}@example.com` } as const;
      deniedRequests.note({ ...deniedRequestOf(tenant, of.value), kind: 'SIGN_IN', of, actorId: undefined });
    }
    // There is still room for known callers.
    deniedRequests.note(deniedRequestOf(tenant, 'ListAgents'));
    await deniedRequests.close();
    expect((await deniedRequestsSeenBy(tenant.admin)).map(({ name }) => name)).toEqual(['ListAgents']);
    expect(await db.deniedRequest.count({ where: { kind: 'SIGN_IN' } })).toBe(0);
  });
});

function deniedRequestOf({ accountId, principalId }: Tenant, name: string): DeniedRequest {
  return {
    verb: 'denied',
    kind: 'ACCESS',
    of: { by: 'account', value: accountId },
    name,
    actorId: principalId,
    client: 'api_key wcp_test',
    message: 'This credential lacks the scope agents:list.',
    address: '192.0.2.7',
    requestId: randomUUID(),
    api: 'rest',
  };
}

function failed(error: unknown): void {
  throw error;
}
