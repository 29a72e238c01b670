// Gateways that are killed, and connections to the database that are cut, while executors claim and report: everything is
// carried out once, by whom it was handed to, and nothing is forgotten.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { correctAllQuotaUsage } from '../../src/quotas/usage-recount.js';
import { createKey, createTenant, freshDatabase, withDatabase } from '../harness.js';
import type { TestApp } from '../harness.js';
import { programWords } from '../program-flags.js';
import { onServer } from '../global-setup.js';
import { mutate } from '../resources/mutations.js';
import { anExecutor, endLeases } from './executor.js';
import { tirelessExecutors } from './tireless-executors.js';
import type { TirelessExecutors } from './tireless-executors.js';

const isEmbedded = 'folder' in inject('template');
const sandboxes = 12;

/** A piece of work and its executor. */
async function prepare(app: TestApp): Promise<{ key: string; executors: TirelessExecutors }> {
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  const { key: executorKey } = await anExecutor(app, 'one');
  for (let index = 0; index < sandboxes; index++) {
    await mutate(app, key, 'createSandbox', '__typename', { metadata: { name: `s${index}` } });
  }
  return { key, executors: tirelessExecutors(executorKey, 3) };
}

/** A gateway in a separate process, which is killed before a number of statements. */
async function startGateway(
  settings: Record<string, string>,
  key: string,
  statements: number,
  { gateways }: TirelessExecutors,
): Promise<{ child: ChildProcess; closed: Promise<unknown> }> {
  // One process: the gateway itself is killed.
  const child = spawn(process.execPath, [...programWords('metering/killed-gateway'), key, String(statements)], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const [port] = await once(createInterface(child.stdout), 'line');
  const origin = `http://127.0.0.1:${port}`;
  gateways.push(origin);
  return { child, closed: closed.then(() => gateways.splice(gateways.indexOf(origin), 1)) };
}

/** Finishes the remaining work with a running gateway, and checks all results. @returns the amount of work */
async function finish(app: TestApp, executors: TirelessExecutors, working: Promise<void>): Promise<number> {
  executors.gateways.push(app.origin);
  await working;
  // Work that was claimed without a received response can be claimed again when its lease expires.
  await endLeases(app);
  await executors.workUntilIdle();
  const { db } = app.services;
  const states = await db.sandbox.groupBy({ by: ['status'], _count: true });
  expect(states).toEqual([{ status: 'DEPLOYED', _count: sandboxes }]);
  expect(await db.assignment.count({ where: { OR: [{ dueAt: { not: null } }, { leaseUntil: { not: null } }] } })).toBe(
    0,
  );
  // No work had two leases at once, and each end was accepted once, from the leaseholder.
  expect([...executors.claimed.values()].filter((fences) => fences.length !== 1)).toEqual([]);
  expect(executors.ended).toEqual(executors.claimed);
  const told = await db.change.groupBy({ by: ['resourceId'], where: { status: 'DEPLOYED' }, _count: true });
  expect(told).toHaveLength(sandboxes);
  expect(told.filter(({ _count: times }) => times !== 1)).toEqual([]);
  expect(await correctAllQuotaUsage(db, new AbortController().signal)).toEqual([]);
  return executors.ended.size;
}

describe('Executors', () => {
  it(
    'complete all work once, though several gateways are killed during claims and reports',
    { timeout: 240_000 },
    async () => {
      const { settings, remove } = await freshDatabase();
      const { key, executors } = await withDatabase(settings, prepare);
      const working = executors.workUntilIdle();
      // A half is a statement that was executed without a received response.
      for (const statements of [2.5, 3, 4.5, 6.5, 8, 11.5]) {
        const { closed } = await startGateway(settings, key, statements, executors);
        await closed;
      }
      expect(await withDatabase(settings, (app) => finish(app, executors, working))).toBe(sandboxes);
      await remove();
    },
  );

  it.skipIf(isEmbedded)(
    'complete all work once with two gateway processes, one of which is killed repeatedly',
    { timeout: 240_000 },
    async () => {
      const { settings, remove } = await freshDatabase();
      const { key, executors } = await withDatabase(settings, prepare);
      const steady = await startGateway(settings, key, Number.POSITIVE_INFINITY, executors);
      const working = executors.workUntilIdle();
      for (const statements of [3.5, 5, 9.5]) {
        const { child, closed } = await startGateway(settings, key, statements, executors);
        await Promise.race([closed, working]);
        child.kill('SIGKILL');
        await closed;
      }
      steady.child.kill('SIGKILL');
      await steady.closed;
      expect(await withDatabase(settings, (app) => finish(app, executors, working))).toBe(sandboxes);
      await remove();
    },
  );

  it.skipIf(isEmbedded)(
    'complete all work once, though the database connections are cut constantly',
    { timeout: 240_000 },
    async () => {
      const { settings, remove } = await freshDatabase();
      await withDatabase(settings, async (app) => {
        const { executors } = await prepare(app);
        executors.gateways.push(app.origin);
        const working = executors.workUntilIdle();
        const database = new URL(settings['DATABASE_URL'] ?? '').pathname.slice(1);
        for (let cut = 0; cut < 40; cut++) {
          await onServer(
            new URL('/postgres', settings['DATABASE_URL']).href,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
          );
          await pause(25);
        }
        executors.gateways.splice(0);
        expect(await finish(app, executors, working)).toBe(sandboxes);
      });
      await remove();
    },
  );
});
