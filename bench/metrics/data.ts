// The databases that account metrics are measured on: made once, the same every time, and kept between runs. A mark
// is set when one is complete and proven; without it, it is made anew.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { createApiKey, hashApiKey } from '../../src/auth/api-key.js';
import type { Database } from '../../src/database/open.js';
import { idOf } from '../../src/demo/random.js';
import { createDatabase, databaseServer } from '../databases.js';
import { createAccounts, withClient, withDatabase } from './databases.js';
import { derivation } from './derivation.js';
import { accountsOf, events, metricsOwner, resources, scaffold } from './generation.js';
import type { MetricsSize } from './generation.js';
import { isSmoke } from '../smoke-mode.js';
import { proveLoad } from './proof.js';

/** Each second one holds the same account with twice the events, among twice the others. */
export const metricsSizes = {
  wcp_bench_metrics: { others: 6, eventsPerPoint: 1 },
  wcp_bench_metrics_twice: { others: 12, eventsPerPoint: 2 },
  wcp_bench_smoke_metrics: { others: 1, eventsPerPoint: 1, resources: 300 },
  wcp_bench_smoke_metrics_twice: { others: 2, eventsPerPoint: 2, resources: 300 },
} as const satisfies Record<string, MetricsSize>;

/** Those of smoke mode. */
export const metricsSmokeDatabases = ['wcp_bench_smoke_metrics', 'wcp_bench_smoke_metrics_twice'] as const;

/** What is measured, and what it is compared with. */
export const [mainMetrics, doubledMetrics] = isSmoke
  ? metricsSmokeDatabases
  : (['wcp_bench_metrics', 'wcp_bench_metrics_twice'] as const);

export type MetricsDatabaseName = keyof typeof metricsSizes;

export interface MetricsDatabase {
  name: MetricsDatabaseName;
  url: string;
  /** API key of an admin of the account. */
  key: string;
  accountId: string;
}

const cacheFolder = fileURLToPath(new URL('../.cache/', import.meta.url));

/** What a complete load is marked with: a change of what is generated needs another. */
const mark = 'complete 1';

/** Opens the way to one of them, and makes and proves it first when it is missing. */
export async function ensureMetricsDatabase(name: MetricsDatabaseName): Promise<MetricsDatabase> {
  const url = `${databaseServer}/${name}`;
  if (!(await isComplete(name))) {
    await createDatabase(name);
    await load(name, url);
  }
  const [account] = accountsOf(metricsSizes[name]);
  if (account === undefined) throw new Error('there is no account');
  return { name, url, key: await withDatabase(url, (db) => keyOf(db, name, account.id)), accountId: account.id };
}

async function isComplete(name: string): Promise<boolean> {
  return withClient(`${databaseServer}/postgres`, async (client) => {
    const { rows } = await client.query<{ mark: string | null }>(
      `SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1`,
      [name],
    );
    return rows[0]?.mark === mark;
  });
}

async function load(name: MetricsDatabaseName, url: string): Promise<void> {
  const startedMs = performance.now();
  const size = metricsSizes[name];
  const accounts = accountsOf(size);
  await withDatabase(url, (db) => createAccounts(db, accounts));
  await withClient(url, async (client) => {
    await client.query(`SET work_mem = '1GB'; SET maintenance_work_mem = '1GB'; SET synchronous_commit = off`);
    const step = async (what: string, sql: string) => {
      const stepMs = performance.now();
      await client.query(sql);
      process.stderr.write(`${name}: ${what}, ${Math.round((performance.now() - stepMs) / 1000)} s\n`);
    };
    await step('frame', scaffold);
    for (const [n, { id, name: called, workspaces, resources: count, hours }] of accounts.entries()) {
      await client.query(
        `INSERT INTO bench.account SELECT $1, $2, $3, $4, $5, max(hour) + 1 - $6::int FROM bench.calendar`,
        [n, id, called, workspaces, count, hours],
      );
    }
    await step('resources', resources);
    await step('generated events', events(size.eventsPerPoint));
    const keys = await takeKeysOff(client);
    for (const { name: what, sql } of derivation) await step(what, sql);
    for (const key of keys) await step(key, key);
    await step('statistics', 'DROP TABLE bench.bucketed; ANALYZE');
    await proveLoad(client, accounts);
    await client.query('DROP TABLE bench.event');
    await step('visibility', 'VACUUM');
    await client.query('CHECKPOINT');
    await client.query(`COMMENT ON DATABASE "${name}" IS '${mark}'`);
  });
  process.stderr.write(`${name}: loaded and proven in ${Math.round((performance.now() - startedMs) / 1000)} s\n`);
}

/** Takes the keys off the large tables and answers what puts them on again: sorted once, they are made much faster. */
async function takeKeysOff(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(`
    SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'p' AND conrelid IN ('usage_event'::regclass, 'usage_point'::regclass)`);
  for (const { table, name } of rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  return rows.map(({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
}

/** Kept in a file, because the database holds only its hash; made anew when the two do not belong together. */
async function keyOf(db: Database, name: string, accountId: string): Promise<string> {
  const file = `${cacheFolder}${name}.key`;
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    if ((await db.apiKey.count({ where: { hash: hashApiKey(kept), revokedAt: null } })) > 0) return kept;
  }
  const key = await createKey(db, accountId);
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

export async function createKey(db: Database, accountId: string): Promise<string> {
  const { key, prefix, hash } = createApiKey();
  await db.apiKey.create({
    data: { name: 'bench', prefix, hash, scope: 'admin', principalId: idOf(metricsOwner), accountId },
  });
  return key;
}
