import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/database/open.js';
import { migrationsFolder, openDatabase } from '../../src/database/open.js';
import { MigrationError, migrate, readMigrations } from '../../src/database/migrate.js';
import type { MigrationConnection } from '../../src/database/migrate.js';
import { readConfig } from '../../src/config.js';
import { freshDatabase } from '../harness.js';

let database: OpenDatabase;
let remove: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase();
  ({ remove } = fresh);
  database = await openDatabase(readConfig(fresh.settings));
});

afterAll(async () => {
  await database.close();
  await remove();
});

/** The open database as a migrator sees it. A script runs as one transaction, as the drivers' own do. */
function connection(): MigrationConnection {
  return {
    query: async (sql, parameters) => {
      // The lock answers void, which Prisma cannot read; one connection needs none.
      if (sql.includes('pg_advisory')) return { rows: [] };
      return { rows: await database.db.$queryRawUnsafe<object[]>(sql, ...parameters) };
    },
    script: async (sql) => {
      const statements = sql.split(';').filter((statement) => statement.trim() !== '');
      await database.db.$transaction(statements.map((statement) => database.db.$executeRawUnsafe(statement)));
    },
  };
}

interface MigrationRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
  applied_steps_count: number;
}

function records(): Promise<MigrationRow[]> {
  return database.db.$queryRawUnsafe<MigrationRow[]>('SELECT * FROM "_prisma_migrations" ORDER BY "started_at"');
}

describe('migrations', () => {
  it('are recorded the way that prisma migrate deploy records them', async () => {
    const rows = await records();
    expect(rows.map((row) => row.migration_name)).toEqual(readMigrations(migrationsFolder).map(({ name }) => name));
    for (const row of rows) {
      expect(row.checksum).toMatch(/^[0-9a-f]{64}$/);
      expect(row.finished_at).not.toBeNull();
      expect(row.applied_steps_count).toBe(1);
      expect(row.logs).toBeNull();
    }
  });

  it('are applied once', async () => {
    expect(await migrate(connection(), readMigrations(migrationsFolder))).toEqual([]);
  });

  it('leave the database as it was when one fails, and say why, and stop the next start', async () => {
    const broken = { name: '99999999999998_broken', sql: 'CREATE TABLE "half" ("id" INT); SELECT * FROM "nowhere"' };
    const all = [...readMigrations(migrationsFolder), broken];
    await expect(migrate(connection(), all)).rejects.toThrow(/99999999999998_broken failed and changed nothing/);
    expect(await database.db.$queryRawUnsafe(`SELECT to_regclass('half')::text AS "half"`)).toEqual([{ half: null }]);
    expect((await records()).at(-1)).toMatchObject({ finished_at: null, logs: expect.stringContaining('nowhere') });
    await expect(migrate(connection(), all)).rejects.toThrow(/99999999999998_broken failed before/);
    await database.db.$executeRawUnsafe(
      `UPDATE "_prisma_migrations" SET "rolled_back_at" = now() WHERE "migration_name" = '99999999999998_broken'`,
    );
    expect(await migrate(connection(), readMigrations(migrationsFolder))).toEqual([]);
  });

  it('are refused when one was changed after it was applied', async () => {
    const changed = readMigrations(migrationsFolder).map(({ name, sql }) => ({ name, sql: `${sql} ` }));
    await expect(migrate(connection(), changed)).rejects.toThrow(MigrationError);
  });
});

describe('the schema', () => {
  it('has every table and column that Prisma reads', async () => {
    const { db } = database;
    const reads: (() => Promise<unknown[]>)[] = [
      () => db.account.findMany(),
      () => db.workspace.findMany(),
      () => db.principal.findMany(),
      () => db.accountMember.findMany(),
      () => db.workspaceMember.findMany(),
      () => db.apiKey.findMany(),
      () => db.accessToken.findMany(),
      () => db.signingKey.findMany(),
      () => db.agent.findMany(),
      () => db.coreEvent.findMany(),
      () => db.resourceCount.findMany(),
    ];
    for (const read of reads) expect(await read()).toEqual([]);
  });
});
