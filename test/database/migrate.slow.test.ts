import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { MigrationError, migrate, missingMigrations, readMigrations } from '../../src/database/migrate.js';
import type { Migration, MigrationConnection } from '../../src/database/migrate.js';
import { migrationsFolder, withMigrator } from '../../src/database/migrator.js';
import { openDatabase } from '../../src/database/open.js';
import { freshDatabase } from '../harness.js';
import { programWords } from '../program-flags.js';
import { trialMigrations } from './trial-migrations.js';

const isServer = 'server' in inject('template');
const real = readMigrations(migrationsFolder);
const withTrial = [...real, ...trialMigrations];

let settings: Record<string, string>;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ settings, remove } = await freshDatabase());
});

afterEach(() => remove());

function connected<Result>(act: (connection: MigrationConnection) => Promise<Result>): Promise<Result> {
  return withMigrator(readConfig(settings), act);
}

async function rowsOf(connection: MigrationConnection, sql: string): Promise<unknown[]> {
  return (await connection.query(sql, [])).rows;
}

const records = `SELECT "migration_name" AS "name", "checksum", "finished_at" IS NOT NULL AS "isFinished", "logs",
  "applied_steps_count" AS "steps" FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "started_at", 1`;

describe('migrations', () => {
  it('are recorded as by prisma migrate deploy', async () => {
    const rows = await connected((connection) => rowsOf(connection, records));
    const recorded = { checksum: expect.stringMatching(/^[0-9a-f]{64}$/), isFinished: true, logs: null, steps: 1 };
    expect(rows).toEqual(real.map(({ name }) => ({ name, ...recorded })));
  });

  it('are applied once, without locks if none is missing', async () => {
    const statements: string[] = [];
    await connected(async (connection) => {
      const heard: MigrationConnection = {
        query: (sql, parameters) => {
          statements.push(sql);
          return connection.query(sql, parameters);
        },
        script: (sql) => {
          statements.push(sql);
          return connection.script(sql);
        },
      };
      expect(await migrate(heard, real)).toEqual([]);
    });
    expect(statements.every((sql) => sql.startsWith('SELECT'))).toBe(true);
    expect(statements.join(' ')).not.toContain('lock');
  });

  it('leave the database unchanged if one fails, report why, and are retried at the next start', async () => {
    const sql = 'CREATE TABLE "half" ("id" INT); SELECT * FROM "nowhere"';
    const broken: Migration = { name: '99999999999998_broken', sql };
    await connected(async (connection) => {
      await expect(migrate(connection, [...real, broken])).rejects.toThrow(
        /^Migration 99999999999998_broken failed and changed nothing: .*nowhere/,
      );
      expect(await rowsOf(connection, `SELECT to_regclass('half')::text AS "half"`)).toEqual([{ half: null }]);
      expect(await migrate(connection, real)).toEqual([]);
      const mended = { ...broken, sql: 'CREATE TABLE "half" ("id" INT)' };
      expect(await migrate(connection, [...real, mended])).toEqual([mended.name]);
    });
  });

  it('are rejected if one was changed after it was applied', async () => {
    const changed = real.map(({ name, sql }) => ({ name, sql: `${sql} ` }));
    await connected((connection) => expect(migrate(connection, changed)).rejects.toThrow(MigrationError));
  });

  it('of a newer version stop an older program with one line', async () => {
    await connected(async (connection) => {
      await migrate(connection, withTrial);
      await expect(migrate(connection, real)).rejects.toThrow(/^The database is of a newer version .*99990101000000.*/);
    });
    await expect(openDatabase(readConfig(settings))).rejects.toThrow(MigrationError);
  });

  it('of a version before the first release stop the program with one line', async () => {
    await connected((connection) =>
      connection.script(`
        INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at")
        VALUES ('x', 'x', '20261121000000_foundation', now())`),
    );
    await expect(openDatabase(readConfig(settings))).rejects.toThrow(
      /^The database was created before version 0\.1\.0.*\.$/,
    );
  });

  it('are listed without being applied', async () => {
    await connected(async (connection) => {
      const missing = await missingMigrations(connection, withTrial);
      expect(missing).toEqual(trialMigrations);
      expect(await rowsOf(connection, `SELECT to_regclass('trial')::text AS "trial"`)).toEqual([{ trial: null }]);
    });
  });
});

describe('A migration that an older version started and did not finish', () => {
  const began = `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name")
    VALUES (gen_random_uuid()::text, 'x', '${trialMigrations[0]?.name}')`;

  it.each([
    { state: 'had run', before: trialMigrations[0]?.sql ?? '' },
    { state: 'had not run', before: '' },
  ])('is completed when its script $state', async ({ before }) => {
    await connected(async (connection) => {
      await connection.script(`${before} ${began}`);
      await migrate(connection, withTrial);
      expect(await rowsOf(connection, 'SELECT count(*)::int AS "rows" FROM "trial"')).toEqual([{ rows: 1 }]);
      expect(await missingMigrations(connection, withTrial)).toEqual([]);
    });
  });
});

describe('A process that is killed during a migration', () => {
  it('leaves a state that the next one completes, wherever it was killed', { timeout: 240_000 }, async () => {
    let isDone = false;
    for (let messages = 3; !isDone; messages += 5) {
      const child = spawn(process.execPath, [...programWords('database/killed-migration'), `${messages}`], {
        env: { ...process.env, ...settings },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
      isDone = output === 'done';
      await connected(async (connection) => {
        await migrate(connection, withTrial);
        expect(await rowsOf(connection, 'SELECT count(*)::int AS "rows" FROM "trial"')).toEqual([{ rows: 1 }]);
        await connection.script(`DROP TABLE "trial"; DELETE FROM "_prisma_migrations" WHERE "migration_name" > '9999'`);
      });
    }
  });
});

describe.skipIf(!isServer)('Two processes that migrate concurrently', () => {
  it('wait for each other, and log it', async () => {
    await connected(async (holder) => {
      await holder.script('BEGIN');
      await holder.query('SELECT pg_advisory_xact_lock(72707369)', []);
      let isWaiting = false;
      const onWait = () => {
        isWaiting = true;
      };
      const waiting = connected((connection) => migrate(connection, withTrial, { onWait }));
      await expect.poll(() => isWaiting).toBe(true);
      await holder.script('COMMIT');
      expect(await waiting).toEqual(trialMigrations.map(({ name }) => name));
    });
  });

  it('apply each migration once', async () => {
    const both = await Promise.all([1, 2].map(() => connected((connection) => migrate(connection, withTrial))));
    expect(both.flat().toSorted()).toEqual(trialMigrations.map(({ name }) => name));
  });

  it('wait no longer than the limit', async () => {
    await connected(async (holder) => {
      await holder.script('BEGIN');
      await holder.query('SELECT pg_advisory_xact_lock(72707369)', []);
      await connected((connection) =>
        expect(migrate(connection, withTrial, { waitMsMax: 0 })).rejects.toThrow(
          /Timed out waiting for another process that migrates/,
        ),
      );
      await holder.script('ROLLBACK');
    });
  });
});
