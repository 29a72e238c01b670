// A lock on one table by a second process: requests that do not need the table continue.
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { apiErrorFrom } from '../../src/database/failures.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { freshDatabase } from '../harness.js';

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
