import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import type { Database, OpenDatabase } from '../../src/database/open.js';
import { demoAccounts, demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { isEmpty } from '../../src/demo/is-empty.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { createEncryption } from '../../src/encryption.js';
import { freshDatabase } from '../harness.js';

const end = new Date('2026-11-20T12:00:00.000Z');
let database: OpenDatabase;
let remove: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase();
  remove = fresh.remove;
  database = await openDatabase(readConfig(fresh.settings));
});

afterAll(async () => {
  await database.close();
  await remove();
});

async function indexesOf(db: Database): Promise<string[]> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT indexname::text AS "name" FROM pg_indexes WHERE tablename IN ('agent', 'change') ORDER BY 1`;
  return rows.map(({ name }) => name);
}

describe('Loading the demo', () => {
  it('has no effect if it fails midway', async () => {
    const { db, secrets } = database;
    const indexes = await indexesOf(db);
    const onProgress = () => {
      throw new Error('interrupted');
    };
    await expect(loadDemo(db, createEncryption(secrets), { end, onProgress })).rejects.toThrow('interrupted');
    expect(await isEmpty(db)).toBe(true);
    expect(await indexesOf(db)).toEqual(indexes);
  });

  it('fills an empty database, and keeps every index', async () => {
    const { db, secrets } = database;
    const indexes = await indexesOf(db);
    expect(await isEmpty(db)).toBe(true);
    const progress: number[] = [];
    await loadDemo(db, createEncryption(secrets), { end, agents: 2_100, onProgress: (done) => progress.push(done) });
    expect(await isEmpty(db)).toBe(false);
    expect(await indexesOf(db)).toEqual(indexes);
    expect(progress.at(-1)).toBe(2_100);
    expect(await db.agent.count({ where: { workspaceId: idOf(mainWorkspace) } })).toBe(2_100);
    const counted = await db.$queryRaw`
      SELECT "status", "total" FROM "resource_count" WHERE "workspace_id" = ${idOf(mainWorkspace)}::uuid AND "resource" = 'agent'
      ORDER BY "status"`;
    const states = await db.$queryRaw`
      SELECT coalesce("status"::text, '') AS "status", count(*) AS "total" FROM "agent"
      WHERE "workspace_id" = ${idOf(mainWorkspace)}::uuid GROUP BY 1 ORDER BY 1`;
    expect(counted).toEqual(states);
    expect(await db.change.count()).toBeGreaterThan(2_100 * 4);
  });

  it('creates the whole company: accounts, workspaces, people and their roles', async () => {
    const { db } = database;
    const names = demoAccounts.flatMap(({ workspaces }) => workspaces);
    const workspaces = await db.workspace.findMany();
    expect(workspaces.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    const owner = await db.principal.findUnique({ where: { name: demoOwner }, include: { accounts: true } });
    expect(owner?.accounts.map(({ role }) => role)).toEqual(['admin']);
  });

  it('stores no secret in plain text', async () => {
    const [leaked] = await database.db.$queryRaw<{ total: bigint }[]>`
      SELECT count(*) AS "total" FROM "agent" WHERE "spec"::text ~ '"(cbs|tms)-'`;
    expect(leaked?.total).toBe(0n);
  });

  it('is rejected for a database with accounts', async () => {
    const { db, secrets } = database;
    await expect(loadDemo(db, createEncryption(secrets), { end })).rejects.toThrow('empty database');
  });
});
