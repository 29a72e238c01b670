// Deliveries to real receivers: signed, in order, retried after failures, and only of their own tenant.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { authorizeOwnAccount, authorizeWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { storeOutcome } from '../../src/webhooks/delivery-outcome.js';
import { makeDeliveries, readWork } from '../../src/webhooks/delivery-work.js';
import { takeWebhooks } from '../../src/webhooks/webhook-lease.js';
import { removeDeliveriesBefore } from '../../src/webhooks/delivery-retention.js';
import type { ChangeKind } from '../../src/changes/change-subjects.js';
import { isEmbedded } from '../database-kind.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { historyOf, mutate, untilWaiting } from '../resources/mutations.js';
import { openReceiver } from './receiver.js';
import type { Received, Receiver } from './receiver.js';
import { hurry, makeWebhook, skipPause, toReceivers, whileDelivering } from './sending.js';

const running = useApp(toReceivers);
let receiver: Receiver;
let tenant: Tenant;
let key: string;
let mark: string;
let count = 0;

beforeAll(async () => {
  receiver = await openReceiver();
});

afterAll(() => receiver.close());

beforeEach(async () => {
  mark = `h${count++}`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [mark, `${mark}-side`] });
  ({ key } = await createKey(running.app, tenant));
  receiver.received.length = 0;
  receiver.answer((response) => void response.writeHead(204).end());
});

// Deliveries of one test that are still retried would take the time of the next.
afterEach(async () => void (await db().webhook.deleteMany()));

const hook = (path = mark) => `${receiver.origin}/${path}`;
const db = () => running.app.services.db;

/** Records changes of one thing, one after the other. */
async function change(
  names: string[],
  { resourceId = randomUUID(), workspace = mark, kind = 'AGENT' as ChangeKind, by = key } = {},
): Promise<void> {
  const ctx = await openContext(running.app.services, { authorization: `Bearer ${by}` }, 'a-request', '192.0.2.7');
  const event = { type: 'update', status: 'UPDATED', message: 'a change' };
  const within = workspace === '' ? authorizeOwnAccount(ctx, 'admin') : authorizeWorkspace(ctx, 'admin', workspace);
  const record = (tx: Parameters<typeof recordChanges>[0]) =>
    recordChanges(
      tx,
      names.map((name) => ({ kind, verb: 'updated', resourceId, name, version: 2, event })),
    );
  await within.transaction(record);
}

/** The deliveries to the webhooks of this test. */
const received = () => receiver.received.filter(({ path }) => path.startsWith(`/${mark}`));
const namesAt = (path = mark) => receiver.at(`/${path}`).map(({ event }) => event.data.name);
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const deliveriesOf = (rowId: string) =>
  db().webhookDelivery.findMany({
    where: { webhookId: rowId },
    orderBy: [{ sequence: 'asc' }, { createdAt: 'asc' }],
    include: { attempts: { orderBy: { number: 'asc' } } },
  });

/** A delivery as it is asked for. */
interface Told {
  change: { name: string } | null;
}

const nameIn = ({ change: about }: Told) => about?.name ?? '';

const onAgents = { filter: { kinds: ['AGENT'] } };

describe('A webhook whose receiver comes back', () => {
  it('gets all waiting events immediately, and is not blocked again by single failures', async () => {
    receiver.answer((response) => void response.writeHead(500).end());
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    for (const name of ['one', 'two', 'three']) await change([name]);
    await whileDelivering(running.app, () => until(() => expect(received().length).toBeGreaterThan(0)));
    const soon = new Date(Date.now() - 1_000);
    await db().webhookDelivery.updateMany({
      where: { webhookId: rowId },
      data: { nextAt: new Date(Date.now() + 3_600_000) },
    });
    const [first] = await deliveriesOf(rowId);
    await db().webhookDelivery.update({ where: { id: first?.id ?? '' }, data: { nextAt: soon } });
    await db().webhook.update({ where: { id: rowId }, data: { blockedUntil: soon } });
    receiver.received.length = 0;
    receiver.answer((response) => void response.writeHead(204).end());
    await whileDelivering(running.app, () => until(() => expect(received()).toHaveLength(3)));
    receiver.answer((response) => void response.writeHead(500).end());
    await change(['four']);
    await whileDelivering(running.app, () => until(() => expect(received()).toHaveLength(4)));
    await until(async () =>
      expect(await db().webhook.findUnique({ where: { id: rowId } })).toMatchObject({ failures: 1 }),
    );
    expect(await db().webhook.findUnique({ where: { id: rowId } })).toMatchObject({ blockedUntil: null });
  });
});

describe('A webhook whose URL changes', () => {
  it('sends what the previous URL did not take to the new one immediately', async () => {
    receiver.answer((response) => void response.writeHead(500).end());
    const { id, rowId } = await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    await change(['one', 'two']);
    const triedSince = new Date(Date.now() - 70 * 3_600_000);
    await whileDelivering(running.app, () =>
      until(async () => expect((await deliveriesOf(rowId))[0]?.attemptCount).toBe(1)),
    );
    // The previous URL has failed for days, so the next attempt is hours away.
    const later = new Date(Date.now() + 12 * 3_600_000);
    await db().webhookDelivery.updateMany({
      where: { webhookId: rowId, attemptCount: 1 },
      data: { nextAt: later, triedSince },
    });
    await db().webhook.update({ where: { id: rowId }, data: { blockedUntil: later } });
    receiver.answer((response) => void response.writeHead(204).end());
    await mutate(running.app, key, 'updateWebhook', 'webhook { id }', { id, url: hook(`${mark}-new`) });
    expect(await deliveriesOf(rowId)).toMatchObject([{ triedSince: null }, {}]);
    await whileDelivering(running.app, () => until(() => expect(namesAt(`${mark}-new`)).toEqual(['one', 'two'])));
  });
});

describe('A webhook after a restore', () => {
  it('receives what it had not received before, and the next changes, which have other ids', async () => {
    await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    await change(['before']);
    await db().changeHead.updateMany({
      where: { accountId: tenant.accountId },
      data: { last: { increment: 1_000_000_000 } },
    });
    await change(['after']);
    await whileDelivering(running.app, () => until(() => expect(namesAt()).toEqual(['before', 'after'])));
    expect(new Set(received().map(({ event }) => event.data.id)).size).toBe(2);
  });
});

describe('A webhook', () => {
  it('receives each change as in the feed, signed so that the Standard Webhooks library verifies it', async () => {
    const { secret, rowId } = await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    await change(['one', 'two']);
    await whileDelivering(running.app, () => until(() => expect(received()).toHaveLength(2)));
    const { body } = await graphql(
      running.app,
      key,
      `
        query ($kinds: [ChangeKind!]) {
          changes(first: 9, filter: { kinds: $kinds }) {
            nodes {
              id
              time
              action
              kind
              name
              workspaceName
              actor {
                kind
                name
              }
              client
              requestId
              version
              fields
              status
              message
            }
          }
        }
      `,
      { kinds: ['AGENT'] },
    );
    for (const [index, { headers, body: text, event }] of received().entries()) {
      const shown = body.data.changes.nodes[index];
      const verified = new Webhook(secret).verify(
        text,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      );
      expect(verified).toEqual(event);
      expect(event).toMatchObject({ type: 'agent.updated', timestamp: shown.time, payloadVersion: '1', data: shown });
      expect(headers).toMatchObject({ 'webhook-id': shown.id, 'content-type': 'application/json' });
      expect(event.data).not.toHaveProperty('address');
    }
    expect(namesAt()).toEqual(['one', 'two']);
    const deliveries = await deliveriesOf(rowId);
    expect(deliveries).toMatchObject([
      { status: 'delivered', attemptCount: 1, attempts: [{ number: 1, statusCode: 204, answer: '', error: null }] },
      { status: 'delivered', attemptCount: 1 },
    ]);
  });

  it('of an account receives matching changes of all its workspaces and of the account, with addresses', async () => {
    await makeWebhook(running.app, key, { url: hook(), filter: { kinds: ['AGENT', 'MEMBER'], workspaces: [mark] } });
    await makeWebhook(running.app, key, { url: hook(`${mark}-all`), filter: { kinds: ['AGENT', 'MEMBER'] } });
    await change(['one']);
    await change(['two'], { workspace: `${mark}-side` });
    await change(['three'], { workspace: '', kind: 'MEMBER' });
    await change(['four'], { kind: 'VOLUME' });
    await whileDelivering(running.app, () => until(() => expect(namesAt(`${mark}-all`)).toHaveLength(3)));
    expect(namesAt(`${mark}-all`).toSorted()).toEqual(['one', 'three', 'two']);
    expect(namesAt()).toEqual(['one']);
    expect(received()[0]?.event.data.address).toBe('192.0.2.7');
  });

  it('of a workspace receives no changes of other workspaces, and none of members and credentials', async () => {
    await makeWebhook(running.app, key, { url: hook(), workspace: mark });
    await change(['one'], { workspace: `${mark}-side` });
    await change(['two'], { kind: 'MEMBER' });
    await change(['three'], { workspace: '', kind: 'ACCOUNT' });
    await change(['four']);
    await whileDelivering(running.app, () => until(() => expect(namesAt()).toContain('four')));
    expect(namesAt()).toEqual(['a test', 'four']);
  });

  it('skips changes that are no longer retained, which is recorded, and stays active', async () => {
    await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    await change(['one']);
    const removed = (await historyOf(running.app, tenant)).at(-1)?.sequence ?? 0;
    await db().changeHorizon.create({ data: { accountId: tenant.accountId, removed } });
    const message = 'Changes older than the retained change log were not sent';
    const record = { kind: 'WEBHOOK', verb: 'status', status: 'ACTIVE', message };
    await whileDelivering(running.app, () =>
      until(async () => expect((await historyOf(running.app, tenant)).at(-1)).toMatchObject(record)),
    );
    await change(['two']);
    await whileDelivering(running.app, () => until(() => expect(namesAt()).toEqual(['two'])));
  });

  it('of one account receives no changes of another', async () => {
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-other`] });
    const { key: by } = await createKey(running.app, other);
    await makeWebhook(running.app, key, { url: hook() });
    await makeWebhook(running.app, by, { url: hook('other') });
    await change(['ours']);
    await change(['theirs'], { workspace: `${mark}-other`, by });
    await whileDelivering(running.app, () =>
      until(() => {
        expect(namesAt()).toContain('ours');
        expect(namesAt('other')).toContain('theirs');
      }),
    );
    expect(namesAt()).not.toContain('theirs');
    expect(namesAt('other')).not.toContain('ours');
  });

  it('receives changes immediately that are recorded during a delivery, and none from before it was created', async () => {
    await change(['before']);
    await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await whileDelivering(running.app, async () => {
      await change(['one']);
      await until(() => expect(namesAt()).toEqual(['one']));
      await change(['two']);
      await until(() => expect(namesAt()).toEqual(['one', 'two']));
    });
  });

  it.skipIf(isEmbedded)(
    'receives a change once, also if storing the outcome meets an update of the webhook',
    async () => {
      const { rowId } = await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
      await change(['one']);
      const responses: ServerResponse[] = [];
      receiver.answer((response) => void responses.push(response));
      await whileDelivering(running.app, async () => {
        await until(() => expect(responses).toHaveLength(1));
        // In the order of an update that resumes the webhook. Whoever waits first ends the deadlock: the outcome.
        await db().$begin(async (tx) => {
          await tx.$executeRaw`SELECT FROM "webhook" WHERE "id" = ${rowId}::uuid FOR UPDATE`;
          for (const response of responses) response.writeHead(204).end();
          await untilWaiting(running.app, await tx.$prisma(), 1);
          await tx.$executeRaw`UPDATE "webhook_delivery" SET "next_at" = now() WHERE "webhook_id" = ${rowId}::uuid`;
        });
        receiver.answer((response) => void response.writeHead(204).end());
        await until(async () => expect(await deliveriesOf(rowId)).toMatchObject([{ status: 'delivered' }]));
      });
      expect(received()).toHaveLength(1);
    },
  );
});

describe('A failed delivery', () => {
  it('is retried later with the same id, in the order of its subject, without delaying others', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    const isBad = ({ event }: { event: { data: { name: string } } }) => event.data.name === 'bad 1';
    receiver.answer((response, each) => void response.writeHead(isBad(each) ? 500 : 204).end(isBad(each) ? 'no' : ''));
    await change(['bad 1', 'bad 2']);
    await change(['good 1', 'good 2']);
    await whileDelivering(running.app, async (loop) => {
      await until(() => expect(namesAt()).toContain('bad 1'));
      await until(async () => expect((await deliveriesOf(rowId))[0]?.attemptCount).toBe(1));
      await db().webhook.update({ where: { id: rowId }, data: { blockedUntil: null } });
      loop.look();
      await until(() => expect(namesAt()).toContain('good 2'));
      expect(namesAt()).not.toContain('bad 2');
      const [bad] = await deliveriesOf(rowId);
      expect(bad).toMatchObject({
        status: 'waiting',
        attempts: [{ statusCode: 500, answer: 'no', error: 'returned 500' }],
      });
      expect(bad?.nextAt.getTime()).toBeGreaterThan((bad?.attempts[0]?.time.getTime() ?? 0) + 3_900);
      receiver.answer((response) => void response.writeHead(200).end());
      await hurry(running.app, rowId);
      loop.look();
      await until(() => expect(namesAt()).toContain('bad 2'));
    });
    const again = received().filter(({ event }) => event.data.name === 'bad 1');
    expect(again).toHaveLength(2);
    expect(again[0]?.headers['webhook-id']).toBe(again[1]?.headers['webhook-id']);
    expect(again[0]?.body).toBe(again[1]?.body);
    expect((await deliveriesOf(rowId)).map(({ status, attemptCount }) => [status, attemptCount])).toEqual([
      ['delivered', 2],
      ['delivered', 1],
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });

  it('is retried with growing pauses, and a failing address gets one delivery at a time', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    receiver.answer((response) => void response.writeHead(503).end());
    for (const name of ['a', 'b', 'c']) await change([name]);
    const pauses: number[] = [];
    await whileDelivering(running.app, async (loop) => {
      for (let failures = 1; failures <= 12; failures++) {
        await until(async () =>
          expect((await db().webhook.findUniqueOrThrow({ where: { id: rowId } })).failures).toBe(failures),
        );
        const [[row]] = [
          await db().$queryRaw<{ seconds: number }[]>`
          SELECT extract(epoch FROM "blocked_until" - now())::float8 AS "seconds" FROM "webhook" WHERE "id" = ${rowId}::uuid`,
        ];
        pauses.push(row?.seconds ?? 0);
        await db().webhookDelivery.updateMany({
          where: { webhookId: rowId, attemptCount: { gt: 0 } },
          data: { nextAt: new Date(0) },
        });
        await db().$executeRaw`UPDATE "webhook" SET "blocked_until" = NULL WHERE "id" = ${rowId}::uuid`;
        loop.look();
      }
    });
    for (const [index, seconds] of pauses.entries()) {
      const meant = Math.min(43_200, 5 * 4 ** index);
      expect(seconds).toBeGreaterThan(meant * 0.8 - 5);
      expect(seconds).toBeLessThan(meant * 1.2 + 1);
    }
    // Deliveries that failed together are not retried together: the longest pauses differ.
    const longest = pauses.slice(-4);
    expect(Math.max(...longest) / Math.min(...longest)).toBeGreaterThan(1.005);
  });

  it('is retried at the time that its webhook shows', async () => {
    const { id, rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    receiver.answer((response) => void response.writeHead(500).end());
    await change(['one']);
    await whileDelivering(running.app, () =>
      until(async () => expect((await deliveriesOf(rowId))[0]?.attemptCount).toBe(1)),
    );
    const { body } = await graphql(running.app, key, `{ node(id: "${id}") { ... on Webhook { retryAt } } }`);
    const [delivery] = await deliveriesOf(rowId);
    expect(body.data.node.retryAt).toBe(delivery?.nextAt.toISOString());
    // A delivery that failed more often than the webhook waits longer.
    await db().$executeRaw`
      UPDATE "webhook_delivery" SET "next_at" = "next_at" + interval '1 hour' WHERE "webhook_id" = ${rowId}::uuid`;
    await db().$executeRaw`UPDATE "webhook" SET "blocked_until" = to_timestamp(0) WHERE "id" = ${rowId}::uuid`;
    const later = await graphql(running.app, key, `{ node(id: "${id}") { ... on Webhook { retryAt } } }`);
    expect(later.body.data.node.retryAt).toBe((await deliveriesOf(rowId))[0]?.nextAt.toISOString());
  });

  it('ends after three days, which pauses the webhook; resuming it sends the waiting changes', async () => {
    const { rowId, id } = await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    receiver.answer((response) => void response.writeHead(500).end('broken'));
    await change(['one', 'two']);
    await whileDelivering(running.app, async (loop) => {
      await until(async () => expect((await deliveriesOf(rowId))[0]?.attemptCount).toBe(1));
      await db().$executeRaw`
        UPDATE "webhook_delivery" SET "tried_since" = now() - interval '72 hours' WHERE "webhook_id" = ${rowId}::uuid`;
      await hurry(running.app, rowId);
      loop.look();
      await until(async () => expect((await deliveriesOf(rowId))[0]?.status).toBe('failed'));
      await change(['three']);
      loop.look();
      const { body } = await graphql(
        running.app,
        key,
        `
          query ($id: ID!) {
            node(id: $id) {
              ... on Webhook {
                status
                pauseReason
                pausedAt
                version
                deliveries {
                  nodes {
                    status
                    eventType
                    attemptCount
                    statusCode
                    responseBody
                    error
                    attempts {
                      number
                    }
                  }
                }
              }
            }
          }
        `,
        { id },
      );
      expect(body.data.node).toMatchObject({
        status: 'PAUSED',
        version: 2,
        pauseReason: 'a delivery failed for 72 hours: returned 500',
        pausedAt: expect.any(String),
      });
      const given = body.data.node.deliveries.nodes.find(({ status }: { status: string }) => status === 'FAILED');
      expect(given).toMatchObject({
        eventType: 'agent.updated',
        attemptCount: 2,
        statusCode: 500,
        responseBody: 'broken',
      });
      const told = (await historyOf(running.app, tenant)).findLast(({ kind }) => kind === 'WEBHOOK');
      expect(told).toMatchObject({ verb: 'status', actorKind: 'system', resourceId: rowId, version: 2 });
      receiver.answer((response) => void response.writeHead(200).end());
      const resumed = await mutate(running.app, key, 'updateWebhook', 'webhook { status pauseReason }', {
        id,
        paused: false,
      });
      expect(resumed.webhook).toEqual({ status: 'ACTIVE', pauseReason: null });
      await until(() => expect(namesAt().slice(-2)).toEqual(['two', 'three']));
    });
  });

  it('pauses a webhook immediately on 410 Gone', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    receiver.answer((response) => void response.writeHead(410).end());
    await change(['one']);
    await whileDelivering(running.app, () =>
      until(async () =>
        expect((await db().webhook.findUniqueOrThrow({ where: { id: rowId } })).pauseReason).toBe(
          'the URL returned 410 (Gone)',
        ),
      ),
    );
  });

  /** Seconds until the webhook is open again and until its waiting deliveries are due. */
  async function secondsUntil(rowId: string): Promise<{ open: number; due: number[] }> {
    const [row] = await db().$queryRaw<{ open: number; due: number[] }[]>`
      SELECT coalesce(extract(epoch FROM w."blocked_until" - now())::float8, 0) AS "open", array(
        SELECT extract(epoch FROM d."next_at" - now())::float8 FROM "webhook_delivery" AS d
        WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."attempt_count" > 0) AS "due"
      FROM "webhook" AS w WHERE w."id" = ${rowId}::uuid`;
    return row ?? { open: 0, due: [] };
  }

  it.each([
    [429, '100', 100],
    [503, '100', 100],
    [429, 'the date of the next hour', 3_600],
    [429, '1', 5],
    [503, 'Sun, 06 Nov 1994 08:49:37 GMT', 5],
    [429, '999999999', 43_200],
    [500, '100', 5],
  ])(
    'with %i and Retry-After %s is retried after that, but never before the backoff',
    async (status, value, seconds) => {
      const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
      const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();
      const header = () => (value === 'the date of the next hour' ? inAnHour() : value);
      receiver.answer((response) => void response.writeHead(status, { 'retry-after': header() }).end());
      await change(['one']);
      await whileDelivering(running.app, () =>
        until(async () => expect((await deliveriesOf(rowId))[0]?.attemptCount).toBe(1)),
      );
      const { open, due } = await secondsUntil(rowId);
      expect(due).toHaveLength(1);
      for (const each of [open, ...due]) {
        expect(each).toBeGreaterThan(seconds === 5 ? 0 : seconds - 60);
        expect(each).toBeLessThanOrEqual(seconds === 5 ? 6 : seconds);
      }
    },
  );

  it('pauses its webhook under a new version, also during an update of the webhook', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['one']);
    const [lease] = (await takeWebhooks(db(), 1, [], [])).leases;
    if (lease === undefined) throw new Error('there is no lease');
    const work = await readWork(db(), lease, []);
    if (work !== undefined) await makeDeliveries(db(), lease, work.webhook, new Date());
    const delivery = (await readWork(db(), lease, []))?.due[0];
    if (delivery === undefined) throw new Error('nothing is due');
    // Another attempt, which began at the same time, has failed before.
    const blockedUntil = new Date(Date.now() + 60_000);
    await db().webhook.update({ where: { id: rowId }, data: { blockedUntil } });
    const gone = { isTaken: false, statusCode: 410, latencyMs: 1, answer: '', error: 'gone', retryAfterSeconds: null };
    const { storing } = await db().$begin(async (tx) => {
      await tx.$executeRaw`UPDATE "webhook" SET "version" = "version" + 1 WHERE "id" = ${rowId}::uuid`;
      const stored = storeOutcome(db(), lease, delivery, gone, () => new Date());
      await untilWaiting(running.app, await tx.$prisma(), 1);
      return { storing: stored };
    });
    await storing;
    const paused = await db().webhook.findUnique({ where: { id: rowId } });
    expect(paused).toMatchObject({ version: 3, pausedAt: expect.any(Date) });
  });

  it('with Retry-After holds the whole webhook, also one that just succeeded, and its requested deliveries', async () => {
    const { id, rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['well']);
    await whileDelivering(running.app, async (loop) => {
      await until(async () => expect((await deliveriesOf(rowId))[0]?.status).toBe('delivered'));
      receiver.answer((response) => void response.writeHead(429, { 'retry-after': '600' }).end());
      await change(['asked to wait']);
      await until(async () => expect((await secondsUntil(rowId)).open).toBeGreaterThan(500));
      await change(['held']);
      loop.look();
      await until(async () => expect(loop.working()).toBe(0));
      expect(namesAt()).toEqual(['well', 'asked to wait']);
    });
    await db().webhook.update({ where: { id: rowId }, data: { blockedUntil: null } });
    await mutate(running.app, key, 'updateWebhook', 'webhook { status }', { id, paused: true });
    for (let count = 0; count < 20; count++) await mutate(running.app, key, 'testWebhook', 'delivery { id }', { id });
    receiver.received.length = 0;
    await whileDelivering(running.app, async (loop) => {
      await until(async () => expect((await deliveriesOf(rowId)).some(({ status }) => status === 'failed')).toBe(true));
      loop.look();
      await until(async () => expect(loop.working()).toBe(0));
    });
    // At most those that were in flight beside the first refusal were sent; the others wait until the receiver's time.
    expect(received().length).toBeLessThanOrEqual(8);
    const waiting = (await deliveriesOf(rowId)).filter(
      ({ reason, status }) => reason === 'test' && status === 'waiting',
    );
    expect(waiting.length).toBeGreaterThanOrEqual(12);
    for (const { nextAt } of waiting) expect(nextAt.getTime()).toBeGreaterThan(Date.now() + 500_000);
  });

  it('delays no other webhook, however long a receiver hangs', async () => {
    await makeWebhook(running.app, key, { url: hook('hangs'), ...onAgents });
    await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    receiver.answer((response, { path }) => void (path === '/hangs' ? undefined : response.writeHead(204).end()));
    await whileDelivering(running.app, async () => {
      for (const name of ['one', 'two', 'three']) {
        await change([name]);
        await until(() => expect(namesAt()).toContain(name));
      }
      expect(receiver.at('/hangs').length).toBeGreaterThan(0);
    });
  });

  it('delays no other webhook of its account if fifty receivers hang', { timeout: 60_000 }, async () => {
    const hanging: string[] = [];
    for (let index = 0; index < 50; index++)
      hanging.push(
        (await makeWebhook(running.app, key, { name: `h${index}`, url: hook(`${mark}-hangs`), ...onAgents })).rowId,
      );
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    receiver.answer(
      (response, { path }) => void (path === `/${mark}-hangs` ? undefined : response.writeHead(204).end()),
    );
    await change(['zero']);
    await whileDelivering(running.app, async (loop) => {
      // All are served at the same time: the healthy one, and those whose receivers do not respond.
      await until(() => expect(receiver.at(`/${mark}-hangs`)).toHaveLength(50));
      expect(loop.working()).toBeGreaterThanOrEqual(50);
      for (const name of ['one', 'two', 'three']) {
        await change([name]);
        await until(() => expect(namesAt()).toContain(name));
      }
      await until(async () =>
        expect((await deliveriesOf(rowId)).map(({ status }) => status)).toEqual(Array(4).fill('delivered')),
      );
      // The healthy one did not wait for the first of the others to fail.
      const failed = await db().webhookAttempt.count({ where: { delivery: { webhookId: { in: hanging } } } });
      expect(failed).toBe(0);
    });
  });

  it('without a response blocks a webhook that just succeeded, so that it gives its place back', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['well']);
    await whileDelivering(running.app, async (loop) => {
      await until(async () => expect((await deliveriesOf(rowId))[0]?.status).toBe('delivered'));
      receiver.answer((response) => void response.destroy());
      await change(['cut']);
      await until(async () => expect((await secondsUntil(rowId)).open).toBeGreaterThan(0));
      await until(() => expect(loop.working()).toBe(0));
    });
  });

  it('leaves its webhook behind those that work, and out of a busy account', async () => {
    const failing = await makeWebhook(running.app, key, { name: 'failing', url: hook(), ...onAgents });
    const working = await makeWebhook(running.app, key, { name: 'working', url: hook(), ...onAgents });
    await change(['one']);
    await db().webhook.update({ where: { id: failing.rowId }, data: { failures: 3 } });
    await db().webhook.update({ where: { id: working.rowId }, data: { fence: 1_000 } });
    const others = await db().webhook.findMany({ where: { id: { notIn: [failing.rowId, working.rowId] } } });
    const elsewhere = [...new Set(others.map(({ accountId }) => accountId))];
    const { accountId } = await db().webhook.findUniqueOrThrow({ where: { id: working.rowId } });
    const take = async (limit: number, busyFailing: string[]) =>
      (await takeWebhooks(running.app.database.changesDb, limit, elsewhere, busyFailing)).leases.map(
        ({ webhookId }) => webhookId,
      );
    expect(await take(1, [])).toEqual([working.rowId]);
    expect(await take(9, [accountId])).toEqual([]);
    expect(await take(9, [])).toEqual([failing.rowId]);
  });

  it('is skipped if the webhook is resumed without missed changes', async () => {
    const { id, rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await mutate(running.app, key, 'updateWebhook', 'webhook { status }', { id, paused: true });
    await change(['missed']);
    const input = { id, paused: false, skipMissed: true };
    await mutate(running.app, key, 'updateWebhook', 'webhook { status }', input);
    await change(['after']);
    await whileDelivering(running.app, () => until(() => expect(namesAt()).toEqual(['after'])));
    expect(await deliveriesOf(rowId)).toHaveLength(1);
  });
});

describe('A requested delivery', () => {
  it('is a test that is sent once, also while the webhook is paused', async () => {
    const { id, secret } = await makeWebhook(running.app, key, { url: hook() });
    await mutate(running.app, key, 'updateWebhook', 'webhook { status }', { id, paused: true });
    receiver.answer((response) => void response.writeHead(400).end());
    const { delivery } = await mutate(
      running.app,
      key,
      'testWebhook',
      'delivery { id status reason requestedBy eventId }',
      { id },
    );
    expect(delivery).toMatchObject({ status: 'WAITING', reason: 'TEST', requestedBy: `owner@${mark}.example.com` });
    await whileDelivering(running.app, () =>
      until(async () => {
        const { body } = await graphql(
          running.app,
          key,
          'query ($id: ID!) { node(id: $id) { ... on WebhookDelivery { status statusCode } } }',
          { id: delivery.id },
        );
        expect(body.data.node).toEqual({ status: 'FAILED', statusCode: 400 });
      }),
    );
    expect(received()).toMatchObject([
      {
        event: { type: 'webhook.test', data: { webhook: id, name: 'a test' } },
        headers: { 'webhook-id': delivery.eventId },
      },
    ]);
    const [{ body, headers } = { body: '', headers: {} }] = received();
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(secret).verify(body, plain)).toMatchObject({ type: 'webhook.test' });
    const paused = await db().webhook.findFirstOrThrow({ where: { accountId: tenant.accountId } });
    expect(paused).toMatchObject({ failures: 0, blockedUntil: null });
  });

  it('is a redelivery of the same event, which keeps the record of the first', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['one']);
    await whileDelivering(running.app, async () => {
      await until(async () => expect((await deliveriesOf(rowId))[0]?.status).toBe('delivered'));
      const [first] = await deliveriesOf(rowId);
      const id = Buffer.from(`1:WebhookDelivery:${first?.id}`).toString('base64url');
      receiver.answer((response) => void response.writeHead(500).end('no more'));
      const fields = 'delivery { id eventId reason redeliveryOf { id status } }';
      const again = await mutate(running.app, key, 'redeliverWebhookDelivery', fields, { id });
      expect(again.delivery).toMatchObject({ reason: 'REDELIVERY', redeliveryOf: { id, status: 'DELIVERED' } });
      await until(async () => expect((await deliveriesOf(rowId))[1]?.status).toBe('failed'));
      expect((await deliveriesOf(rowId))[0]).toEqual(first);
      const ids = received().map(({ headers }) => headers['webhook-id']);
      expect(ids).toEqual([again.delivery.eventId, again.delivery.eventId]);
      expect(received()[0]?.body).toBe(received()[1]?.body);
    });
  });

  it('links to its change during the retention, and a test links to none', async () => {
    const { id, rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['one', 'two']);
    await mutate(running.app, key, 'testWebhook', 'delivery { id }', { id });
    await whileDelivering(running.app, () => until(async () => expect(await deliveriesOf(rowId)).toHaveLength(3)));
    const told = async () => {
      const query = `query ($id: ID!) { node(id: $id) { ... on Webhook {
        deliveries { nodes { eventId change { id kind name workspaceName before actor { name } } } } } } }`;
      const { body } = await graphql(running.app, key, query, { id });
      const { nodes } = body.data.node.deliveries;
      return nodes.toSorted((one: Told, other: Told) => nameIn(one).localeCompare(nameIn(other)));
    };
    const [ofTest, one, two] = await told();
    expect(ofTest.change).toBeNull();
    expect(one.change).toMatchObject({
      id: one.eventId,
      kind: 'AGENT',
      name: 'one',
      workspaceName: mark,
      before: null,
    });
    expect(two.change).toMatchObject({ id: two.eventId, name: 'two', actor: { name: `owner@${mark}.example.com` } });
    await db().changeHorizon.create({ data: { accountId: tenant.accountId, removed: 1_000 } });
    expect(await told()).toMatchObject([{ change: null }, { change: null }, { change: null }]);
  });

  it('is rejected while the delivery is pending, and after the retention of its change', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['one']);
    receiver.answer((response) => void response.writeHead(500).end());
    await whileDelivering(running.app, () =>
      until(async () => expect((await deliveriesOf(rowId))[0]?.attemptCount).toBe(1)),
    );
    const [delivery] = await deliveriesOf(rowId);
    const id = Buffer.from(`1:WebhookDelivery:${delivery?.id}`).toString('base64url');
    const refused = () => mutate(running.app, key, 'redeliverWebhookDelivery', 'delivery { id }', { id });
    expect(await refused()).toMatchObject({
      code: 'conflict',
      message: 'The delivery is still waiting. Only a delivery that was sent can be sent again.',
    });
    await db().webhookDelivery.updateMany({ where: { webhookId: rowId }, data: { status: 'failed' } });
    await db().changeHorizon.create({ data: { accountId: tenant.accountId, removed: 1_000 } });
    expect(await refused()).toMatchObject({
      code: 'conflict',
      message: 'The delivery cannot be sent again: its change is older than the retained change log.',
    });
  });
});

describe('Redelivery from a time onwards', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const eventsOf = (deliveries: { sequence: bigint | null }[]) => deliveries.map(({ sequence }) => sequence);

  /**
   * A webhook with deliveries of one to five, created five minutes ago to one: delivered, failed, failed, waiting,
   * skipped.
   */
  async function withDeliveries() {
    const hooked = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    for (const name of ['one', 'two', 'three', 'four', 'five']) await change([name]);
    const delivered = { webhookId: hooked.rowId, status: 'delivered' };
    await whileDelivering(running.app, () =>
      until(async () => expect(await db().webhookDelivery.count({ where: delivered })).toBe(5)),
    );
    receiver.received.length = 0;
    const statuses = ['delivered', 'failed', 'failed', 'waiting', 'skipped'];
    const deliveries = await deliveriesOf(hooked.rowId);
    const nextAt = new Date(Date.now() + 3_600_000);
    for (const [index, { id }] of deliveries.entries()) {
      const data = { status: statuses[index] ?? '', createdAt: minutesAgo(5 - index), nextAt };
      await db().webhookDelivery.update({ where: { id }, data });
    }
    return { ...hooked, deliveries };
  }

  const redeliverAll = (input: object) =>
    mutate(running.app, key, 'redeliverWebhookDeliveries', 'count hasMore', input);

  it('queues the failed ones of the webhook, sends them once, and creates no duplicates', async () => {
    const { id, rowId, deliveries } = await withDeliveries();
    const [, two, three] = deliveries;
    const since = minutesAgo(30);
    const both = await Promise.all([redeliverAll({ id, since }), redeliverAll({ id, since })]);
    expect(both.map(({ count }) => count).toSorted()).toEqual([0, 2]);
    const queued = (await deliveriesOf(rowId)).filter(({ reason }) => reason === 'redelivery');
    expect(queued).toMatchObject([
      { redeliveryOf: two?.id, status: 'waiting', askedBy: `owner@${mark}.example.com` },
      { redeliveryOf: three?.id, status: 'waiting' },
    ]);
    receiver.answer((response, { event }) => void response.writeHead(event.data.name === 'two' ? 204 : 500).end());
    await whileDelivering(running.app, () => until(() => expect(namesAt().toSorted()).toEqual(['three', 'two'])));
    const ofChanges = received().map(({ headers }) => headers['webhook-id']);
    expect(new Set(ofChanges).size).toBe(2);
    // The failed one is queued again, and the delivered one is not.
    expect(await redeliverAll({ id, since })).toMatchObject({ count: 1, hasMore: false });
    const again = (await deliveriesOf(rowId)).filter(
      ({ reason, status }) => reason !== 'change' && status === 'waiting',
    );
    expect(eventsOf(again)).toEqual([three?.sequence]);
  });

  it('includes those of a period, and with includeDelivered the delivered and skipped ones too', async () => {
    const { id, rowId } = await withDeliveries();
    const deliveries = await deliveriesOf(rowId);
    const third = { since: minutesAgo(3.5), until: minutesAgo(2.5) };
    expect(await redeliverAll({ id, ...third, since: minutesAgo(2.5) })).toMatchObject({ count: 0 });
    const exactly = deliveries[2]?.createdAt.toISOString().replace('Z', '001Z');
    expect(await redeliverAll({ id, ...third, since: exactly })).toMatchObject({ count: 0 });
    expect(await redeliverAll({ id, since: third.since, until: exactly, validateOnly: true })).toMatchObject({
      count: 1,
    });
    expect(await redeliverAll({ id, ...third })).toMatchObject({ count: 1, hasMore: false });
    const all = { id, since: minutesAgo(30), includeDelivered: true };
    expect(await redeliverAll(all)).toMatchObject({ count: 3, hasMore: false });
    expect(await redeliverAll(all)).toMatchObject({ count: 0, hasMore: false });
  });

  it('queues up to the limit, oldest first, and reports that there are more', async () => {
    const { id, rowId, deliveries } = await withDeliveries();
    const asked = { webhookId: rowId, accountId: tenant.accountId, reason: 'test', eventType: 'webhook.test' };
    const nextAt = new Date(Date.now() + 3_600_000);
    await db().webhookDelivery.createMany({ data: Array.from({ length: 999 }, () => ({ ...asked, nextAt })) });
    const since = minutesAgo(30);
    expect(await redeliverAll({ id, since })).toMatchObject({ count: 1, hasMore: true });
    const queued = (await deliveriesOf(rowId)).filter(({ reason }) => reason === 'redelivery');
    expect(eventsOf(queued)).toEqual([deliveries[1]?.sequence]);
    const message = 'At most 1000 requested deliveries can wait. Try again when some of them were sent.';
    expect(await redeliverAll({ id, since })).toMatchObject({ code: 'conflict', message });
  });

  it('omits changes older than the retention, and rejects webhooks of others', async () => {
    const { id } = await withDeliveries();
    await db().changeHorizon.create({ data: { accountId: tenant.accountId, removed: 1_000 } });
    const since = minutesAgo(30);
    expect(await redeliverAll({ id, since })).toMatchObject({ count: 0, hasMore: false });
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-other`] });
    ({ key } = await createKey(running.app, other));
    expect(await redeliverAll({ id, since })).toMatchObject({ code: 'not_found' });
  });
});

describe('A secret', () => {
  it('that was rotated is valid alongside the new one for a day', async () => {
    const { id, rowId, secret: old } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    const { secret } = await mutate(
      running.app,
      key,
      'rotateWebhookSecret',
      'secret webhook { previousSecretExpiresAt }',
      { id },
    );
    expect(secret).not.toBe(old);
    const verifies = (by: string, index: number) => {
      const { body = '', headers = {} } = received()[index] ?? {};
      const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      try {
        return new Webhook(by).verify(body, plain) !== undefined;
      } catch {
        return false;
      }
    };
    await whileDelivering(running.app, async () => {
      await change(['one']);
      await until(() => expect(namesAt()).toEqual(['one']));
      expect([verifies(old, 0), verifies(secret, 0)]).toEqual([true, true]);
      await db()
        .$executeRaw`UPDATE "webhook" SET "previous_ends_at" = now() - interval '1 second' WHERE "id" = ${rowId}::uuid`;
      await change(['two']);
      await until(() => expect(namesAt()).toEqual(['one', 'two']));
      expect([verifies(old, 1), verifies(secret, 1)]).toEqual([false, true]);
    });
  });

  it('is in no change record, and in no row in plain text', async () => {
    const { id, rowId, secret } = await makeWebhook(running.app, key, { url: `${hook()}?token=of-mine` });
    const rotated = await mutate(running.app, key, 'rotateWebhookSecret', 'secret', { id });
    const row = await db().webhook.findUniqueOrThrow({ where: { id: rowId } });
    const kept = JSON.stringify([await historyOf(running.app, tenant), { ...row, url: '', position: 0, fence: 0 }]);
    for (const each of [secret, rotated.secret]) expect(kept).not.toContain(each.slice(6));
    expect(kept).not.toContain('of-mine');
  });
});

describe('Deliveries', () => {
  it('are listed newest first, also those of many changes that were created together', async () => {
    const { id } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    const names = Array.from({ length: 12 }, (_, index) => `change ${index}`);
    await change(names);
    receiver.answer((response) => void response.writeHead(204).end());
    const listed = async (first: number): Promise<string[]> => {
      const query = `{ node(id: "${id}") { ... on Webhook { deliveries(first: ${first}) { nodes { change { name } } } } } }`;
      return (await graphql(running.app, key, query)).body.data.node.deliveries.nodes.map(nameIn);
    };
    await whileDelivering(running.app, () => until(() => expect(namesAt()).toEqual(names)));
    expect(await listed(50)).toEqual(names.toReversed());
    const input = { id, since: new Date(0), includeDelivered: true };
    await mutate(running.app, key, 'redeliverWebhookDeliveries', 'count', input);
    expect(await listed(12)).toEqual(names.toReversed());
  });

  it('are deleted with their attempts after the retention', async () => {
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), ...onAgents });
    await change(['one']);
    await whileDelivering(running.app, () =>
      until(async () => expect((await deliveriesOf(rowId))[0]?.status).toBe('delivered')),
    );
    await mutate(running.app, key, 'updateWebhook', 'webhook { id }', {
      id: Buffer.from(`1:Webhook:${rowId}`).toString('base64url'),
      paused: true,
    });
    await db().webhookDelivery.create({
      data: {
        webhookId: rowId,
        accountId: tenant.accountId,
        reason: 'change',
        sequence: 999,
        eventType: 'agent.updated',
      },
    });
    await setTimeout(2);
    await removeDeliveriesBefore(db(), new Date(Date.now() + 1_000));
    expect(await deliveriesOf(rowId)).toMatchObject([{ status: 'waiting' }]);
    expect(await db().webhookAttempt.count({ where: { delivery: { webhookId: rowId } } })).toBe(0);
  });
});

describe('A webhook whose receiver fails the first two attempts of each event', () => {
  it('delivers 45 of 45 events within three minutes', { timeout: 60_000 }, async () => {
    const triesOf = ({ headers }: Received) =>
      received().filter((each) => each.headers['webhook-id'] === headers['webhook-id']).length;
    receiver.answer((response, each) => void response.writeHead(triesOf(each) > 2 ? 204 : 500).end());
    const { rowId } = await makeWebhook(running.app, key, { url: hook(), workspace: mark, ...onAgents });
    const names = Array.from({ length: 45 }, (_, index) => `agent-${index}`);
    for (const name of names) await change([name]);
    let seconds = 0;
    await whileDelivering(running.app, async (loop) => {
      const delivered = async () => {
        seconds += await skipPause(running.app, rowId);
        loop.look();
        const done = await db().webhookDelivery.count({ where: { webhookId: rowId, status: 'delivered' } });
        expect(done).toBe(45);
      };
      await vi.waitFor(delivered, { timeout: 50_000, interval: 20 });
    });
    expect(seconds).toBeLessThan(180);
    expect((await deliveriesOf(rowId)).map(({ attemptCount }) => attemptCount)).toEqual(names.map(() => 3));
    expect(await db().webhook.findUnique({ where: { id: rowId } })).toMatchObject({ failures: 0, pausedAt: null });
  });
});

describe('A change', () => {
  const pollsSince = (before: number) =>
    running.app.statements.slice(before).filter((sql) => sql.includes('"leased" AS')).length;

  /** Waits until only the interval polls for due deliveries. */
  async function sendingRests(): Promise<void> {
    for (let polls = Infinity; polls > 1;) {
      const before = running.app.statements.length;
      await setTimeout(900);
      polls = pollsSince(before);
    }
  }

  /** The polls for due deliveries while changes are recorded for a while, and how long that took (ms). */
  async function pollsDuring(by: string, workspace: string): Promise<{ polls: number; tookMs: number }> {
    const before = running.app.statements.length;
    const startedMs = performance.now();
    for (let number = 0; performance.now() - startedMs < 1_200; number++) {
      await change([`thing-${number}`], { by, workspace });
      await setTimeout(5);
    }
    const tookMs = performance.now() - startedMs;
    return { polls: pollsSince(before), tookMs };
  }

  it('of an account without webhooks does not wake the sending', async () => {
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-other`] });
    const { key: otherKey } = await createKey(running.app, other);
    await makeWebhook(running.app, key, { url: hook() });
    await whileDelivering(running.app, async () => {
      await change(['first']);
      await vi.waitFor(() => expect(received().length).toBeGreaterThan(0), 10_000);
      await sendingRests();
      const { polls, tookMs } = await pollsDuring(otherKey, `${mark}-other`);
      // Only those of the interval of a second.
      expect(polls).toBeLessThanOrEqual(tookMs / 1_000 + 1);
    });
  });
});
