// Several processes send to the same webhooks, freeze and die.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { storeOutcome } from '../../src/webhooks/delivery-outcome.js';
import { makeDeliveries, readWork } from '../../src/webhooks/delivery-work.js';
import { releaseLease, renewLease, takeWebhooks } from '../../src/webhooks/webhook-lease.js';
import { startDeliveries } from '../../src/server/deliveries.js';
import { createKey, createTenant, freshDatabase, useApp, withDatabase } from '../harness.js';
import type { TestApp } from '../harness.js';
import { programWords } from '../program-flags.js';
import { openReceiver } from './receiver.js';
import type { Received, Receiver } from './receiver.js';
import { hurry, makeWebhook, toReceivers, whileDelivering } from './sending.js';

const running = useApp(toReceivers);
let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
});

afterAll(() => receiver.close());

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

/** Records changes of several things in turn: `0.0 1.0 2.0 0.1 1.1 …`. */
async function change(app: TestApp, key: string, workspace: string, things: number, each: number): Promise<string[]> {
  const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'a-request');
  const ids = Array.from({ length: things }, () => randomUUID());
  const names: string[] = [];
  for (let index = 0; index < each; index++) {
    for (const [thing, resourceId] of ids.entries()) {
      const name = `${thing}.${index}`;
      names.push(name);
      const event = { type: 'update', status: 'UPDATED', message: '' };
      const told = { kind: 'AGENT', verb: 'updated', resourceId, name, event } as const;
      await authorizeWorkspace(ctx, 'admin', workspace).transaction((tx) => recordChanges(tx, [told]));
    }
  }
  return names;
}

/** The deliveries of each subject in order; repetitions count once. */
function inOrder(received: readonly Received[]): string[] {
  const names = [...new Set(received.map(({ event }) => String(event.data.name)))];
  return names.toSorted((one, other) => Number(one.split('.')[0]) - Number(other.split('.')[0]));
}

const sorted = (names: string[]) =>
  names.toSorted((one, other) => Number(one.split('.')[0]) - Number(other.split('.')[0]));

async function prepare(app: TestApp, mark: string, path: string) {
  const tenant = await createTenant(app, { account: mark, workspaces: [mark] });
  const { key } = await createKey(app, tenant);
  const url = `${receiver.origin}/${path}`;
  return { key, tenant, ...(await makeWebhook(app, key, { url, workspace: mark, filter: { kinds: ['AGENT'] } })) };
}

describe('Two processes', () => {
  it('deliver each event once, and in order per subject, during changes', async () => {
    const { app } = running;
    const hooks = await Promise.all(['two-a', 'two-b', 'two-c'].map((mark) => prepare(app, mark, mark)));
    const loops = [0, 1].map(() => startDeliveries(app.services, app.database.changesDb));
    const looking = setInterval(() => {
      for (const loop of loops) loop.look();
    }, 5);
    const names = await Promise.all(
      hooks.map(({ key }, index) => change(app, key, `two-${'abc'.charAt(index)}`, 3, 8)),
    );
    for (const [index, wanted] of names.entries()) {
      const path = `/two-${'abc'.charAt(index)}`;
      await until(() => expect(receiver.at(path)).toHaveLength(wanted.length));
      expect(inOrder(receiver.at(path))).toEqual(sorted(wanted));
    }
    clearInterval(looking);
    await Promise.all(loops.map((loop) => loop.stop(1_000)));
    expect(receiver.received.filter(({ path }) => path.startsWith('/two-'))).toHaveLength(names.flat().length);
  });

  it('never claim the same webhook, and a late one changes nothing', async () => {
    const { app } = running;
    const db = app.database.changesDb;
    const { key, rowId } = await prepare(app, 'fenced', 'fenced');
    await change(app, key, 'fenced', 1, 1);
    const [first, second] = await Promise.all([takeWebhooks(db, 9, [], []), takeWebhooks(db, 9, [], [])]);
    const leases = [...first.leases, ...second.leases];
    expect(leases).toMatchObject([{ webhookId: rowId }]);
    const [lease] = leases;
    if (lease === undefined) throw new Error('nobody has it');
    const work = await readWork(db, lease, []);
    if (work === undefined) throw new Error('there is nothing to do');
    await makeDeliveries(db, lease, work.webhook, new Date());
    const delivery = (await readWork(db, lease, []))?.due[0];
    if (delivery === undefined) throw new Error('nothing is due');
    // It freezes for longer than its lease.
    await db.$executeRaw`UPDATE "webhook" SET "lease_until" = now() - interval '1 second' WHERE "id" = ${rowId}::uuid`;
    const { leases: taken } = await takeWebhooks(db, 9, [], []);
    expect(taken).toMatchObject([{ webhookId: rowId, fence: lease.fence + 1 }]);
    const outcome = { isTaken: true, latencyMs: 5, statusCode: 200, answer: '', error: null, retryAfterSeconds: null };
    expect(await storeOutcome(db, lease, delivery, outcome, () => new Date())).toMatchObject({ version: undefined });
    expect(await readWork(db, lease, [])).toBeUndefined();
    expect(await renewLease(db, lease)).toBe(false);
    await makeDeliveries(db, lease, work.webhook, new Date());
    await releaseLease(db, lease);
    expect((await takeWebhooks(db, 9, [], [])).leases).toEqual([]);
    expect(await db.webhookDelivery.findMany({ where: { webhookId: rowId } })).toMatchObject([
      { status: 'waiting', attemptCount: 0 },
    ]);
    for (const each of taken) await releaseLease(db, each);
  });
});

describe('A process that ends', () => {
  it('releases its claims, so that the next one does not wait for the lease', async () => {
    const { app } = running;
    const { key, rowId } = await prepare(app, 'handed', 'handed');
    const first = startDeliveries(app.services, app.database.changesDb);
    // The receiver hangs, and so the process is in the middle of it.
    receiver.answer(() => {});
    const [name] = await change(app, key, 'handed', 1, 1);
    first.look();
    await until(() => expect(receiver.at('/handed')).toHaveLength(1));
    await first.stop(0);
    const { db } = app.services;
    expect(await db.webhook.findUnique({ where: { id: rowId } })).toMatchObject({ leaseUntil: null, failures: 0 });
    expect(await db.webhookDelivery.findMany({ where: { webhookId: rowId } })).toMatchObject([
      { status: 'waiting', attemptCount: 0 },
    ]);
    receiver.answer((response) => void response.writeHead(204).end());
    await whileDelivering(app, () =>
      until(async () => {
        expect(receiver.at('/handed').map(({ event }) => event.data.name)).toEqual([name, name]);
        expect(await db.webhookDelivery.count({ where: { webhookId: rowId, status: 'delivered' } })).toBe(1);
      }),
    );
  });

  it('without a release is followed immediately by the next process with exclusive use of the database', async () => {
    const { app } = running;
    const { key, rowId } = await prepare(app, 'alone', 'alone');
    await change(app, key, 'alone', 1, 1);
    const { db } = app.services;
    // It was killed just after it leased the webhook, for longer than the test can wait.
    await db.$executeRaw`UPDATE "webhook" SET "lease_until" = now() + interval '1 day' WHERE "id" = ${rowId}::uuid`;
    const next = startDeliveries(app.services, app.database.changesDb, true);
    await until(() => expect(receiver.at('/alone')).toHaveLength(1));
    await next.stop(1_000);
  });
});

describe('A process that is killed', () => {
  function start(settings: Record<string, string>, statements: string): ChildProcess {
    return spawn(process.execPath, [...programWords('webhooks/killed-deliveries'), statements], {
      env: { ...process.env, ...settings, ...toReceivers },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }

  it(
    'loses nothing, wherever it is killed, and its started deliveries are sent again',
    { timeout: 240_000 },
    async () => {
      const { settings, remove } = await freshDatabase();
      const all = { ...settings, ...toReceivers };
      const { key, rowId } = await withDatabase(all, (app) => prepare(app, 'killed', 'killed'));
      // Between leasing the webhook, reading, creating deliveries, and storing results; and while a receiver handles
      // one.
      const deaths = 'folder' in inject('template') ? ['3', '8', ''] : ['1', '2', '3', '4', '5', '7', '9', ''];
      for (const statements of deaths) {
        receiver.received.length = 0;
        receiver.answer((response) => void response.writeHead(204).end());
        const names = await withDatabase(all, (app) => change(app, key, 'killed', 2, 3));
        const child = start(settings, statements);
        if (statements === '') {
          receiver.answer((response, { event }) => {
            if (event.data.name === '1.1') child.kill('SIGKILL');
            else response.writeHead(204).end();
          });
        }
        await once(child, 'close');
        expect(child.signalCode).toBe('SIGKILL');
        receiver.answer((response) => void response.writeHead(204).end());
        await withDatabase(all, async (app) => {
          // Its lease expires, and the next process continues.
          await app.services.db.$executeRaw`UPDATE "webhook" SET "lease_until" = now() - interval '1 second'`;
          await hurry(app, rowId);
          await whileDelivering(app, () =>
            until(async () => {
              expect(new Set(receiver.received.map(({ event }) => event.data.name)).size).toBe(names.length);
              const { webhookDelivery } = app.services.db;
              expect(await webhookDelivery.count({ where: { status: { not: 'delivered' } } })).toBe(0);
            }),
          );
        });
        expect(inOrder(receiver.received)).toEqual(sorted(names));
        // The delivery in progress at its death, and those received without a stored result.
        expect(receiver.received.length).toBeLessThanOrEqual(names.length + 2);
      }
      await remove();
    },
  );
});
