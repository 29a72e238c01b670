// The connection of node-postgres to PostgreSQL in the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.js';
import type { EmbeddedEngine } from '../../src/database/embedded.js';
import { openEmbeddedPool } from '../../src/database/embedded-pool.js';

let folder: string;
let engine: EmbeddedEngine;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'control-plane-pool-'));
  engine = await openEmbedded(folder, () => {});
  await engine.pool.query('CREATE TABLE written (value int)');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

it('A connection that is closed leaves no transaction and no prepared statement behind', async () => {
  const insert = { name: 'insert', text: 'INSERT INTO written VALUES ($1)', values: [1] };
  const first = await engine.pool.connect();
  await first.query('BEGIN');
  await first.query(insert);
  first.release(new Error('closed'));
  await engine.pool.query({ ...insert, values: [2] });
  const { rows } = await engine.pool.query('SELECT value FROM written');
  expect(rows).toEqual([{ value: 2 }]);
});

it('A statement that fails does not fail the others that wait', async () => {
  const failing = engine.pool.query('SELECT 1 / 0');
  const waiting = Array.from({ length: 20 }, (_, n) => engine.pool.query('SELECT $1::int AS n', [n]));
  await expect(failing).rejects.toThrow('division by zero');
  expect((await Promise.all(waiting)).map(({ rows }) => rows[0].n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

it('Statements wait for the end of a transaction', async () => {
  await engine.pool.query('DELETE FROM written');
  const transaction = await engine.pool.connect();
  await transaction.query('BEGIN');
  const counted = engine.pool.query('SELECT count(*)::int AS count FROM written');
  await transaction.query('INSERT INTO written VALUES (3)');
  expect(engine.share()).toEqual({ share: 'embedded', max: 1, inUse: 1, waiting: 1 });
  await transaction.query('COMMIT');
  transaction.release();
  expect((await counted).rows).toEqual([{ count: 1 }]);
});

it('Notifications reach each listener, also after a new connection', async () => {
  const heard: unknown[] = [];
  const stop = engine.onNotification(({ channel, payload }) => heard.push([channel, payload]));
  await engine.pool.query('LISTEN news');
  await engine.pool.query(`NOTIFY news, 'one'`);
  (await engine.pool.connect()).release(new Error('closed'));
  await engine.pool.query(`NOTIFY news, 'two'`);
  stop();
  await engine.pool.query(`NOTIFY news, 'three'`);
  expect(heard).toEqual([
    ['news', 'one'],
    ['news', 'two'],
  ]);
});

it('A value of several megabytes is written and read', async () => {
  const value = 'ä'.repeat(4 * 1024 * 1024);
  const { rows } = await engine.pool.query('SELECT $1::text AS value', [value]);
  expect(rows[0].value === value).toBe(true);
});

it('The environment of other PostgreSQL programs has no effect', async () => {
  vi.stubEnv('PGSSLMODE', 'require');
  vi.stubEnv('PGHOST', 'elsewhere.example.com');
  vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere -c timezone=Asia/Tokyo');
  vi.stubEnv('PGUSER', 'nobody');
  const { pool } = openEmbeddedPool(engine.pglite);
  const { rows } = await pool.query(`SELECT current_user AS user, current_setting('timezone') AS zone`);
  await pool.end();
  expect(rows).toEqual([{ user: 'postgres', zone: 'UTC' }]);
});
