// Does in the process what `prisma migrate deploy` does from its command line: the same table, the same
// checksums, the same advisory lock. Either can take over from the other, and no engine is downloaded.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A connection of its own: the advisory lock and the scripts have to share one. */
export interface MigrationConnection {
  /** Runs one statement with parameters. */
  query: (sql: string, parameters: unknown[]) => Promise<{ rows: unknown[] }>;
  /** Runs a script of many statements as one message of the simple protocol: all of it, or nothing. */
  script: (sql: string) => Promise<void>;
}

export interface Migration {
  name: string;
  sql: string;
}

/** The database cannot be brought to the schema of this version. */
export class MigrationError extends Error {}

const advisoryLock = 72_707_369;

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

/** The migrations of a folder, in the order of their names. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

/**
 * Applies what is missing, in order, under the lock. A migration that fails leaves no trace but its record.
 *
 * @returns the names of the migrations that were applied.
 * @throws {MigrationError} when one fails, failed before, or was changed after it was applied.
 */
export async function migrate(connection: MigrationConnection, migrations: Migration[]): Promise<string[]> {
  await connection.query(`SELECT pg_advisory_lock(${advisoryLock})`, []);
  try {
    await connection.script(migrationTable);
    const applied = await readApplied(connection);
    const missing = migrations.filter((migration) => !isApplied(migration, applied));
    for (const migration of missing) await apply(connection, migration);
    return missing.map((migration) => migration.name);
  } finally {
    await connection.query(`SELECT pg_advisory_unlock(${advisoryLock})`, []);
  }
}

interface AppliedMigration {
  name: string;
  checksum: string;
  finished: boolean;
}

async function readApplied(connection: MigrationConnection): Promise<Map<string, AppliedMigration>> {
  const { rows } = await connection.query(
    `SELECT json_build_object('name', "migration_name", 'checksum', "checksum", 'finished', "finished_at" IS NOT NULL)::text AS "row"
     FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "started_at"`,
    [],
  );
  const applied = new Map<string, AppliedMigration>();
  for (const row of rows) {
    if (typeof row !== 'object' || row === null || !('row' in row)) continue;
    const migration: AppliedMigration = JSON.parse(String(row.row));
    applied.set(migration.name, migration);
  }
  return applied;
}

function isApplied(migration: Migration, applied: Map<string, AppliedMigration>): boolean {
  const record = applied.get(migration.name);
  if (record === undefined) return false;
  if (!record.finished) {
    throw new MigrationError(
      `Migration ${migration.name} failed before. Mend its cause, then mark it with ` +
        `"prisma migrate resolve --rolled-back ${migration.name}", or set rolled_back_at in _prisma_migrations.`,
    );
  }
  if (record.checksum !== checksum(migration)) {
    throw new MigrationError(`Migration ${migration.name} was changed after it was applied to this database.`);
  }
  return true;
}

async function apply(connection: MigrationConnection, migration: Migration): Promise<void> {
  const id = randomUUID();
  await connection.query('INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name") VALUES ($1, $2, $3)', [
    id,
    checksum(migration),
    migration.name,
  ]);
  try {
    await connection.script(migration.sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await connection.query('UPDATE "_prisma_migrations" SET "logs" = $2 WHERE "id" = $1', [id, reason]);
    throw new MigrationError(`Migration ${migration.name} failed and changed nothing: ${reason}`, { cause: error });
  }
  await connection.query(
    'UPDATE "_prisma_migrations" SET "finished_at" = now(), "applied_steps_count" = 1 WHERE "id" = $1',
    [id],
  );
}

function checksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
