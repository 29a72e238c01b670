import { once } from 'node:events';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiKey } from '../../src/auth/api-key.js';
import { createGateway } from '../../src/server/server.js';
import { createLog } from '../../src/server/create-services.js';
import { repeats } from '../../src/telemetry/repeated-failures.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';

interface Line {
  level: number;
  msg: string;
  err?: { message: string; stack: string };
  repeated?: number;
}

const lines: Line[] = [];
const log = createLog(
  'info',
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  }),
);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  lines.length = 0;
});

afterEach(() => {
  vi.advanceTimersByTime(120_000);
  vi.useRealTimers();
});

const told = () => lines.map(({ msg, repeated }) => (repeated === undefined ? msg : `${msg} (${repeated})`));

/** A gateway with the log of this file, which has a line for each request that failed. */
async function gatewayThatTells(app: TestApp) {
  const http = { ...app.services.http, accessLog: { choice: 'failed' as const, slowMs: 60_000 } };
  const gateway = createGateway({ ...app.services, http, log });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { gateway, there: { ...app, origin: `http://127.0.0.1:${port}` } };
}

function away(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

describe('A repeated failure', () => {
  it('is logged in full once, then once a minute with its count, and in full again after a minute without it', () => {
    for (let times = 0; times < 1_000; times++) log.error({ err: away(), code: 'unavailable' }, 'request failed');
    expect(told()).toEqual(['request failed']);
    expect(lines[0]?.err).toMatchObject({ message: 'connect ECONNREFUSED', stack: expect.stringContaining('at ') });
    vi.advanceTimersByTime(60_000);
    log.error({ err: away(), code: 'unavailable' }, 'request failed');
    vi.advanceTimersByTime(60_000);
    expect(told().slice(1)).toEqual([
      'request failed: 999 more in 60 seconds (999)',
      'request failed: 1 more in 60 seconds (1)',
    ]);
    vi.advanceTimersByTime(60_000);
    log.error({ err: away(), code: 'unavailable' }, 'request failed');
    expect(told().slice(3)).toEqual(['request failed']);
  });

  it('hides no other failure: of another message, code, task or location', () => {
    const here = new Error('a defect');
    const elsewhere = new Error('another defect');
    for (let times = 0; times < 3; times++) {
      log.error({ err: away(), code: 'unavailable' }, 'request failed');
      log.error({ err: away(), code: 'timeout' }, 'request failed');
      log.error({ err: away(), code: 'unavailable' }, 'background task failed');
      log.error({ err: here, task: 'one' }, 'background task failed');
      log.error({ err: here, task: 'other' }, 'background task failed');
      log.error({ err: here, code: 'internal_error' }, 'request failed');
      log.error({ err: elsewhere, code: 'internal_error' }, 'request failed');
    }
    expect(told()).toHaveLength(7);
  });

  it('is not suppressed for lines other than failures, unless requested', () => {
    for (let times = 0; times < 3; times++) {
      log.info({ access: {} }, 'request');
      log.warn('something');
      log.info({ [repeats]: 'the same' }, 'summed');
    }
    expect(told()).toEqual(['request', 'something', 'summed', 'request', 'something', 'request', 'something']);
    expect(JSON.stringify(lines)).not.toContain('the same');
  });

  it('takes bounded memory for any number of kinds', () => {
    for (let kind = 0; kind < 1_000; kind++) log.info({ [repeats]: String(kind) }, 'kind');
    expect(lines).toHaveLength(201);
  });
});

describe('A caller without a valid credential', () => {
  const running = useApp({}, { ownDatabase: true });

  it('does not fill the log or the change log, and is looked up only occasionally', async () => {
    const { app } = running;
    const { key } = await createKey(app, await createTenant(app, { account: 'southwind', workspaces: ['main'] }));
    const { gateway, there } = await gatewayThatTells(app);
    const unknown = createApiKey().key;
    app.statements.length = 0;
    for (let times = 0; times < 30; times++) {
      expect((await rest(there, '/agents', { key: unknown })).status).toBe(401);
    }
    const lookedUp = app.statements.length;
    for (let times = 0; times < 10; times++) {
      await rest(there, '/agents', { key: createApiKey().key });
      await rest(there, '/agents', { key: `wcp_made-up-${times}` });
      await rest(there, `/made-up-${times}`);
      await graphql(there, createApiKey().key, '{ viewer { name } }');
    }
    // Failures of a valid credential are logged each time.
    for (let times = 0; times < 3; times++) await rest(there, '/agents?limit=0', { key, version: '2026-04-28' });
    gateway.server.close();
    await expect.poll(() => told().length).toBeGreaterThan(5);
    expect(lookedUp).toBeGreaterThan(0);
    expect(lookedUp).toBeLessThan(30);
    // 401 and 404 through REST, 401 through GraphQL, and the three.
    expect(told()).toEqual(Array.from({ length: 6 }, () => 'request'));
    await app.services.deniedRequests.settle();
    expect(await app.services.db.deniedRequest.count()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(6).map(({ repeated }) => repeated)).toEqual([49, 9, 9]);
  });
});

describe('A database that fails every request', () => {
  const running = useApp({}, { ownDatabase: true });

  it('writes no line per request, neither as a failure nor in the access log', async () => {
    const { app } = running;
    const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
    const { gateway, there } = await gatewayThatTells(app);
    await app.services.db.$executeRaw`ALTER TABLE "api_key" RENAME TO "away"`;
    const statuses = new Set<number>();
    for (let times = 0; times < 20; times++) {
      statuses.add((await rest(there, '/agents', { key })).status);
      statuses.add((await graphql(there, key, '{ viewer { name } }')).status);
      await fetch(`${there.origin}/readyz`);
    }
    gateway.server.close();
    expect([...statuses]).toEqual([500]);
    const written = lines.length;
    expect(written).toBeGreaterThan(1);
    expect(written).toBeLessThan(8);
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(written).reduce((sum, { repeated = 0 }) => sum + repeated, 0)).toBe(80 - written);
  });
});
