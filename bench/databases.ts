// The databases that are measured: made once, the same every time, and kept between runs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { createApiKey, hashApiKey } from '../src/access/api-key.js';
import { readConfig } from '../src/config.js';
import { PrismaClient } from '../src/database/client/client.js';
import { openDatabase } from '../src/database/open.js';
import type { Database } from '../src/database/open.js';
import { demoAccounts, demoOwner } from '../src/demo/company.js';
import { isEmpty, loadDemo } from '../src/demo/load.js';
import { idOf } from '../src/demo/random.js';
import { createSeal } from '../src/seal.js';

export interface BenchDatabase {
  name: string;
  agents: number;
  url: string;
  /** API key of the demo's owner. */
  key: string;
}

/** Guards nothing but generated data. */
export const benchSecret = 'nothing but generated data is sealed with this one';

/** Fixed, so that two runs on two days measure the same rows. */
const end = new Date('2026-11-01T00:00:00.000Z');

const longestMs = 600_000;

const server = (process.env['BENCH_DATABASE_SERVER'] ?? 'postgres://postgres@127.0.0.1').replace(/\/+$/, '');
const cacheFolder = fileURLToPath(new URL('.cache/', import.meta.url));

export const sizes = { wcp_bench: 100_000, wcp_bench_1m: 1_000_000 } as const;

/** Opens the way to one of them, and makes and fills it first when it is missing. */
export async function ensureDatabase(name: keyof typeof sizes): Promise<BenchDatabase> {
  const agents = sizes[name];
  const url = `${server}/${name}`;
  await createWhenMissing(name);
  await applyMigrations(url);
  const db = openForBulk(url);
  try {
    if (await isEmpty(db)) await load(db, name);
    return { name, agents, url, key: await ownersKey(db, name) };
  } finally {
    await db.$disconnect();
  }
}

async function applyMigrations(url: string): Promise<void> {
  const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret });
  const { close } = await openDatabase(config);
  await close();
}

/** A client of our own, because loading a million agents takes transactions longer than a request may have. */
function openForBulk(url: string): Database {
  const adapter = new PrismaPg({ connectionString: url, options: '-c timezone=UTC', statement_timeout: longestMs });
  return new PrismaClient({ adapter, transactionOptions: { timeout: longestMs } });
}

async function load(db: Database, name: keyof typeof sizes): Promise<void> {
  const agents = sizes[name];
  const started = performance.now();
  try {
    await loadDemo(db, createSeal([benchSecret]), {
      end,
      agents,
      onProgress: (done) => {
        if (done % 50_000 === 0) process.stderr.write(`${name}: ${done} of ${agents} agents\n`);
      },
    });
  } catch (error) {
    // Half a load would be taken for a whole one by the next run.
    await db.$disconnect();
    await onServer((client) => client.query(`DROP DATABASE "${name}" WITH (FORCE)`));
    throw error;
  }
  process.stderr.write(`${name}: loaded in ${Math.round((performance.now() - started) / 1000)} s\n`);
}

async function createWhenMissing(name: string): Promise<void> {
  await onServer(async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${name}"`);
  });
}

async function onServer(act: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}

/** Kept in a file, because the database holds only its hash; made anew when the two do not belong together. */
async function ownersKey(db: Database, name: string): Promise<string> {
  const file = `${cacheFolder}${name}.key`;
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    if ((await db.apiKey.count({ where: { hash: hashApiKey(kept), revokedAt: null } })) > 0) return kept;
  }
  const { key, prefix, hash } = createApiKey();
  const accountId = idOf(demoAccounts[0]?.name ?? '');
  await db.apiKey.create({ data: { name: 'bench', prefix, hash, principalId: idOf(demoOwner), accountId } });
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
