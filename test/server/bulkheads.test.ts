// What continues while a table is locked by a second process, and while background tasks take long.
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { readConfig } from '../../src/config.js';
import { apiErrorFrom } from '../../src/database/failures.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { watch } from '../changes/event-stream.js';
import { createKey, createTenant, freshDatabase, useApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { openReceiver } from '../webhooks/receiver.js';
import { makeWebhook, toReceivers, whileDelivering } from '../webhooks/sending.js';

const isServer = 'server' in inject('template');

describe.skipIf(!isServer)('while a table is locked', () => {
  let database: OpenDatabase;
  let locker: pg.Client;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    const { settings, ...fresh } = await freshDatabase();
    ({ remove } = fresh);
    database = await openDatabase(
      readConfig({ ...settings, DATABASE_POOL_SIZE: '4', DATABASE_LOCK_TIMEOUT_MS: '400' }),
    );
    locker = new pg.Client({ connectionString: settings['DATABASE_URL'] });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE "agent"');
  });

  afterEach(async () => {
    await locker.end();
    await database.close();
    await remove();
  });

  it('returns 503 to requests that wait for it, and serves other tables, background tasks and the probe', async () => {
    const { db, backgroundDb } = database;
    const waiting = Promise.allSettled(Array.from({ length: 8 }, () => db.agent.count()));
    const changed = db.$transaction((tx) => tx.account.create({ data: { name: 'northwind', plan: 'free' } }));
    const others = await Promise.all([changed, backgroundDb.account.count(), database.probe()]);
    expect(others[0].name).toBe('northwind');
    for (const result of await waiting) {
      expect(result.status === 'rejected' && apiErrorFrom(result.reason)).toMatchObject({
        status: 503,
        error: 'unavailable',
      });
    }
    await locker.query('ROLLBACK');
    expect(await db.agent.count()).toBe(0);
  });
});

describe.skipIf(!isServer)('while background tasks hold all their connections', () => {
  const running = useApp(toReceivers);

  it('sends changes to subscriptions and webhooks', async () => {
    const { app } = running;
    const { backgroundDb, db, shares } = app.database;
    const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
    const receiver = await openReceiver();
    await makeWebhook(app, key, { url: `${receiver.origin}/`, filter: { kinds: ['AGENT'] } });
    const subscriber = await watch(app, key, 'subscription { changes { node { name } } }');
    const max = shares().find(({ share }) => share === 'background')?.max ?? 0;
    const tasks = Array.from({ length: max }, () => backgroundDb.$executeRaw`SELECT pg_sleep(14)`.catch(() => {}));
    try {
      await vi.waitFor(() =>
        expect(shares()).toContainEqual(expect.objectContaining({ share: 'background', inUse: max })),
      );
      await whileDelivering(app, async () => {
        await mutate(app, key, 'createAgent', 'agent { id }', { workspace: 'main', metadata: { name: 'one' } });
        expect((await subscriber.next())?.data.data.changes.node.name).toBe('one');
        await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 5_000 });
      });
      expect(shares()).toContainEqual(expect.objectContaining({ share: 'background', inUse: max }));
    } finally {
      await db.$executeRaw`
        SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
      await Promise.all(tasks);
      subscriber.leave();
      await receiver.close();
    }
  });
});
