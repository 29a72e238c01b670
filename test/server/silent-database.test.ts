// Connections to the database that say nothing any more: no end, no error, as when a network between swallows them.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createApiKey } from '../../src/auth/api-key.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { freshDatabase } from '../harness.js';
import { openProxy } from './silent-proxy.js';

const isServer = 'server' in inject('template');

describe.skipIf(!isServer)('Database connections that stop responding', () => {
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let database: OpenDatabase;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    const fresh = await freshDatabase();
    ({ remove } = fresh);
    proxy = await openProxy(new URL(fresh.settings['DATABASE_URL'] ?? ''));
    const settings = { ...fresh.settings, DATABASE_URL: proxy.url };
    database = await openDatabase(readConfig({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: '300' }));
  });

  afterEach(async () => {
    proxy.mend();
    await database.close();
    await proxy.close();
    await remove();
  });

  it('fail their statement, transaction and probe, and the next ones succeed', async () => {
    const { db } = database;
    await Promise.all([db.account.count(), db.$transaction((tx) => tx.account.count()), database.probe()]);
    proxy.fallSilent();
    const given = await Promise.allSettled([
      db.account.count(),
      db.$transaction((tx) => tx.account.count()),
      database.probe(),
    ]);
    expect(given.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await db.account.count()).toBe(0);
    expect(await db.$transaction((tx) => tx.account.count())).toBe(0);
    await database.probe();
  });

  it('fail a statement on a connection that was idle for longer than the statement timeout', async () => {
    const { db } = database;
    await db.account.count();
    await pause(2_000);
    proxy.fallSilent();
    proxy.cut();
    await expect(db.account.count()).rejects.toThrow(/silent|terminated|closed/);
  });

  it('end their subscription to notifications within seconds', async () => {
    const listening = database.listen?.('a channel', () => {});
    await expect.poll(() => listening?.isOn()).toBe(true);
    proxy.fallSilent();
    const startedMs = performance.now();
    await listening?.close();
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('open no further ones during the outage, and recover after it', async () => {
    const { db } = database;
    proxy.fallSilent();
    proxy.cut();
    await expect(db.account.count()).rejects.toThrow(/timeout|terminated/);
    proxy.mend();
    await expect.poll(() => db.account.count().catch(() => -1), { timeout: 10_000 }).toBe(0);
  });
});

describe.skipIf(!isServer)('A process whose database', () => {
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let gateway: ChildProcess;
  let origin = '';
  let log = '';
  let remove: () => Promise<void>;

  beforeEach(async () => {
    const fresh = await freshDatabase();
    ({ remove } = fresh);
    proxy = await openProxy(new URL(fresh.settings['DATABASE_URL'] ?? ''));
    const { PATH = '' } = process.env;
    const timing = { SHUTDOWN_DELAY_MS: '0', SHUTDOWN_GRACE_MS: '300', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
    gateway = spawn(process.execPath, ['dist/main.js'], {
      env: { PATH, PORT: '0', ...fresh.settings, ...timing, DATABASE_URL: proxy.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    log = '';
    gateway.stdout?.on('data', (chunk) => (log += String(chunk)));
    origin = await vi.waitFor(
      () => {
        const listening = /"origin":"([^"]+)"/.exec(log)?.[1];
        if (listening === undefined) throw new Error(`the gateway has not started: ${log}`);
        return listening;
      },
      { timeout: 20_000 },
    );
  });

  afterEach(async () => {
    if (gateway.exitCode === null && gateway.signalCode === null) {
      const exit = once(gateway, 'exit');
      gateway.kill('SIGKILL');
      await exit;
    }
    await proxy.close();
    await remove();
  });

  /** A request that authenticates its caller in the database. */
  const ask = () => fetch(`${origin}/v0/agents`, { headers: { authorization: `Bearer ${createApiKey().key}` } });

  it('stops responding ends within its grace period after SIGTERM, with requests and background tasks in flight', async () => {
    proxy.fallSilent();
    proxy.cut();
    const asked = Promise.allSettled([ask(), ask()]);
    // So that both, and a rollup, wait for an answer of the database.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const exit = once(gateway, 'exit');
    const startedMs = performance.now();
    gateway.kill('SIGTERM');
    await exit;
    // The grace period is 0.3 s, and closing has 3 s more; a statement would wait far longer.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    await asked;
  });

  it('is unavailable returns 503, without a log line for each request', async () => {
    await proxy.close();
    const statuses = new Set<number>();
    const asked = 40;
    for (let times = 0; times < asked; times++) statuses.add((await fetch(`${origin}/readyz`)).status);
    expect([...statuses]).toEqual([503]);
    expect(log.split('\n').filter((line) => line.includes('the database does not respond'))).toHaveLength(1);
    // Each background task logs its failure once, however often readiness is checked.
    expect(log.split('\n').length).toBeLessThan(asked);
  });
});
