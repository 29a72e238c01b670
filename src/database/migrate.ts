// Implements `prisma migrate deploy` in the process, with the same table, checksums and advisory lock. Both can be used
// on the same database, and no engine is downloaded. Unlike Prisma, a migration and its record are one transaction: a
// killed process never leaves half a migration.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A single connection: the statements of a transaction must share one. */
export interface MigrationConnection {
  /** Runs one statement with parameters. */
  query: (sql: string, parameters: unknown[]) => Promise<{ rows: unknown[] }>;
  /** Runs a script of many statements. */
  script: (sql: string) => Promise<void>;
}

export interface Migration {
  name: string;
  sql: string;
}

/** The database cannot be migrated to the schema of this version. */
export class MigrationError extends Error {}

export interface MigrateOptions {
  /** Called once if another process is migrating and this one waits. */
  onWait?: () => void;
  /** How long to wait for the other process (milliseconds). */
  waitMsMax?: number;
  /** The id of the record of a migration. By default, a random UUID. */
  recordId?: (migration: Migration) => string;
}

const advisoryLock = 72_707_369;
const waitMsMax = 10 * 60_000;
const retryMs = 200;

/** A change of a table waits for its readers, and all other statements then wait for the change. */
const tableLockSeconds = 30;

const migrationTable = `
CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                  VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"            VARCHAR(64) NOT NULL,
    "finished_at"         TIMESTAMPTZ,
    "migration_name"      VARCHAR(255) NOT NULL,
    "logs"                TEXT,
    "rolled_back_at"      TIMESTAMPTZ,
    "started_at"          TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** SQLSTATEs for objects that exist already: tables, columns, indexes, functions, schemas, keys. */
const alreadyThere = new Set(['42P07', '42701', '42710', '42723', '42P06', '42P16', '23505']);

/** The migrations of a folder, sorted by name. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

/** The checksum that is recorded with an applied migration: SHA-256 of its script, as Prisma records it. */
export function migrationChecksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}

/**
 * Applies missing migrations, in order. A migration that fails is rolled back. If none is missing, nothing is locked
 * and only read access is needed.
 *
 * @returns the names of the applied migrations.
 * @throws {MigrationError} if a migration fails or was changed after it was applied, if the database has a newer
 * version or one before 0.1.0, or if another process migrates for too long.
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: Migration[],
  options: MigrateOptions = {},
): Promise<string[]> {
  const applied: string[] = [];
  let next = (await missingMigrations(connection, migrations))[0];
  while (next !== undefined) {
    if (await applyUnderLock(connection, migrations, next, options)) applied.push(next.name);
    next = (await missingMigrations(connection, migrations))[0];
  }
  return applied;
}

/** The migrations that `migrate` would apply; changes nothing. @throws {MigrationError} as `migrate` does. */
export async function missingMigrations(
  connection: MigrationConnection,
  migrations: Migration[],
): Promise<Migration[]> {
  const records = await readRecords(connection);
  const known = new Set(migrations.map(({ name }) => name));
  const first = migrations[0]?.name ?? '';
  if (records.some(({ name }) => name < first)) {
    throw new MigrationError(
      'The database was created before version 0.1.0, from which on databases are upgraded. Use another database, or a new DATA_DIR.',
    );
  }
  const newer = records.find(({ name }) => !known.has(name));
  if (newer !== undefined) {
    throw new MigrationError(
      `The database is of a newer version than this program: its migration ${newer.name} is unknown. ` +
        'Run that version or a newer one, or restore an older backup.',
    );
  }
  return migrations.filter((migration) => {
    const record = records.find(({ name }) => name === migration.name);
    if (record === undefined || !record.finished) return true;
    if (record.checksum === migrationChecksum(migration)) return false;
    throw new MigrationError(`Migration ${migration.name} was changed after it was applied to this database.`);
  });
}

interface MigrationRecord {
  id: string;
  name: string;
  checksum: string;
  finished: boolean;
}

async function readRecords(connection: MigrationConnection): Promise<MigrationRecord[]> {
  const { rows } = await connection.query(`SELECT to_regclass('_prisma_migrations')::text AS "row"`, []);
  if (textsOf(rows).length === 0) return [];
  const { rows: found } = await connection.query(
    `SELECT json_build_object('id', "id", 'name', "migration_name", 'checksum', "checksum",
                              'finished', "finished_at" IS NOT NULL)::text AS "row"
     FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "started_at"`,
    [],
  );
  return textsOf(found).map((text): MigrationRecord => JSON.parse(text));
}

function textsOf(rows: unknown[]): string[] {
  return rows.flatMap((row) =>
    typeof row === 'object' && row !== null && 'row' in row && typeof row.row === 'string' ? [row.row] : [],
  );
}

/** @returns whether it was applied here; another process may have applied it before. */
async function applyUnderLock(
  connection: MigrationConnection,
  migrations: Migration[],
  migration: Migration,
  options: MigrateOptions,
): Promise<boolean> {
  await beginUnderLock(connection, options);
  try {
    const missing = await missingMigrations(connection, migrations);
    const isMissing = missing.some(({ name }) => name === migration.name);
    if (isMissing) await apply(connection, migration, options.recordId?.(migration) ?? randomUUID());
    await connection.script('COMMIT');
    return isMissing;
  } catch (error) {
    await connection.script('ROLLBACK');
    if (error instanceof MigrationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${migration.name} failed and changed nothing: ${reason}`, { cause: error });
  }
}

/** Begins a transaction that has the lock. A session lock would stay on a pooler's connection. */
async function beginUnderLock(connection: MigrationConnection, options: MigrateOptions): Promise<void> {
  const endsAtMs = performance.now() + (options.waitMsMax ?? waitMsMax);
  for (let isFirst = true; ; isFirst = false) {
    await connection.script('BEGIN');
    const { rows } = await connection.query(`SELECT pg_try_advisory_xact_lock(${advisoryLock})::text AS "row"`, []);
    if (textsOf(rows)[0] === 'true') break;
    await connection.script('ROLLBACK');
    if (isFirst) options.onWait?.();
    if (performance.now() > endsAtMs) {
      throw new MigrationError(
        'Timed out waiting for another process that migrates this database. Check what it is waiting for.',
      );
    }
    await setTimeout(retryMs);
  }
  await connection.script(`
    SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${tableLockSeconds}s'; SET LOCAL timezone = 'UTC';
    ${migrationTable}`);
}

/**
 * Runs one migration and records it. A record that was started and not finished does not show whether its script ran,
 * so the script is run again; if its objects exist, it had run.
 */
async function apply(connection: MigrationConnection, migration: Migration, recordId: string): Promise<void> {
  const unfinished = (await readRecords(connection)).filter(({ name }) => name === migration.name);
  await connection.script('SAVEPOINT migration');
  try {
    await connection.script(migration.sql);
  } catch (error) {
    if (unfinished.length === 0 || !alreadyThere.has(stateOf(error))) throw error;
    await connection.script('ROLLBACK TO SAVEPOINT migration');
  }
  for (const { id } of unfinished) {
    await connection.query('UPDATE "_prisma_migrations" SET "rolled_back_at" = now() WHERE "id" = $1', [id]);
  }
  await connection.query(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count")
     VALUES ($1, $2, $3, now(), 1)`,
    [recordId, migrationChecksum(migration), migration.name],
  );
}

function stateOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
