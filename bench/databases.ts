// The databases that are measured: made once, the same every time, and kept between runs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createApiKey, hashApiKey } from '../src/auth/api-key.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import type { Database } from '../src/database/open.js';
import { demoAccounts, demoOwner, tidewaterOwner } from '../src/demo/company.js';
import { isEmpty } from '../src/demo/is-empty.js';
import { loadDemo } from '../src/demo/load.js';
import { idOf } from '../src/demo/random.js';
import { createEncryption } from '../src/encryption.js';
import { isSmoke } from './smoke-mode.js';

export interface BenchDatabase {
  name: string;
  agents: number;
  url: string;
  /** API key of the demo's owner. */
  key: string;
  /** API key of the same owner that only reads agents. The control plane shows it no secrets, and its peers have none. */
  readingKey: string;
  /** API key of the owner of the other account. */
  otherKey: string;
}

/** Guards nothing but generated data. */
export const benchSecret = 'nothing but generated data is sealed with this one';

/** Fixed, so that two runs on two days measure the same rows. */
const end = new Date('2026-11-01T00:00:00.000Z');

const longestMs = 600_000;

export const databaseServer = (process.env['BENCH_DATABASE_SERVER'] ?? 'postgres://postgres@127.0.0.1').replace(
  /\/+$/,
  '',
);
const cacheFolder = fileURLToPath(new URL('.cache/', import.meta.url));

export const sizes = { wcp_bench: 100_000, wcp_bench_1m: 1_000_000 } as const;

/** Those, and the one of smoke mode. */
const allSizes = { wcp_bench_smoke: 500, ...sizes } as const;

export type DatabaseName = keyof typeof allSizes;

/** The database of most benchmarks. */
export const mainDatabase: DatabaseName = isSmoke ? 'wcp_bench_smoke' : 'wcp_bench';

/** The database that is kept with so many agents, if there is one. */
export function keptWith(agents: number): DatabaseName | undefined {
  return Object.keys(sizes)
    .filter(isDatabaseName)
    .find((name) => allSizes[name] === agents);
}

export const isDatabaseName = (name: string): name is DatabaseName => Object.hasOwn(allSizes, name);

/** Opens the way to one of them, and makes and fills it first when it is missing. */
export async function ensureDatabase(name: DatabaseName): Promise<BenchDatabase> {
  const agents = allSizes[name];
  const url = `${databaseServer}/${name}`;
  await createWhenMissing(name);
  // Loading a million agents takes statements longer than a request may have.
  const { db, close } = await openDatabase(
    readConfig({
      DATABASE_URL: url,
      SERVICE_SECRETS: benchSecret,
      DATABASE_STATEMENT_TIMEOUT_MS: String(longestMs),
    }),
  );
  try {
    if (await isEmpty(db)) await load(db, name);
    // PostGraphile follows a key of one column: without an index of its own it would read the whole history.
    await db.$executeRaw`CREATE INDEX IF NOT EXISTS "bench_change_resource_id_idx" ON "change"("resource_id")`;
    const key = await keyOf(db, name, demoOwner, demoAccounts[0]?.name ?? '');
    const readingKey = await keyOf(
      db,
      `${name}-reading`,
      demoOwner,
      demoAccounts[0]?.name ?? '',
      'agents:list agents:get',
    );
    const otherKey = await keyOf(db, `${name}-other`, tidewaterOwner, demoAccounts[1]?.name ?? '');
    return { name, agents, url, key, readingKey, otherKey };
  } finally {
    await close();
  }
}

async function load(db: Database, name: DatabaseName): Promise<void> {
  const agents = allSizes[name];
  const started = performance.now();
  try {
    await loadDemo(db, createEncryption([benchSecret]), {
      end,
      agents,
      onProgress: (done) => {
        if (done % 50_000 === 0) process.stderr.write(`${name}: ${done} of ${agents} agents\n`);
      },
    });
  } catch (error) {
    // Half a load would be taken for a whole one by the next run.
    await db.$disconnect();
    await dropDatabase(name);
    throw error;
  }
  process.stderr.write(`${name}: loaded in ${Math.round((performance.now() - started) / 1000)} s\n`);
}

async function createWhenMissing(name: string): Promise<void> {
  const known = await onServer('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (known === 0) await onServer(`CREATE DATABASE "${name}"`);
}

/** Makes an empty database, in the place of one that an interrupted run left. @returns its address. */
export async function createDatabase(name: string): Promise<string> {
  await dropDatabase(name);
  await onServer(`CREATE DATABASE "${name}"`);
  return `${databaseServer}/${name}`;
}

/**
 * Makes a copy of one that is kept, in the place of one that an interrupted run left, to be written to. @returns its
 * address.
 */
export async function copyDatabase(of: DatabaseName, name: string): Promise<string> {
  await ensureDatabase(of);
  await dropDatabase(name);
  // Through the log, as it is otherwise copied, it would be written twice.
  await onServer(`CREATE DATABASE "${name}" TEMPLATE "${of}" STRATEGY FILE_COPY`);
  // It is there for a peer that only reads, and writing would pay for it.
  await onServer('DROP INDEX IF EXISTS "bench_change_resource_id_idx"', [], name);
  return `${databaseServer}/${name}`;
}

export async function dropDatabase(name: string): Promise<void> {
  await onServer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

/** @returns how many rows the statement found. */
async function onServer(statement: string, values: string[] = [], database = 'postgres'): Promise<number> {
  const client = new pg.Client({ connectionString: `${databaseServer}/${database}` });
  await client.connect();
  try {
    const { rowCount } = await client.query(statement, values);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** Kept in a file, because the database holds only its hash; made anew when the two do not belong together. */
async function keyOf(db: Database, name: string, owner: string, account: string, scope = 'admin'): Promise<string> {
  const file = `${cacheFolder}${name}.key`;
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    if ((await db.apiKey.count({ where: { hash: hashApiKey(kept), revokedAt: null } })) > 0) return kept;
  }
  const { key, prefix, hash } = createApiKey();
  await db.apiKey.create({
    data: { name: 'bench', prefix, hash, scope, principalId: idOf(owner), accountId: idOf(account) },
  });
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
