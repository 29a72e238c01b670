// Connections for migrations: to PostgreSQL in the process, or to a server.
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Config } from '../config.js';
import { openEmbedded } from './embedded.js';
import { lockFolder } from './embedded-folder.js';
import type { MigrationConnection } from './migrate.js';
import { connectionTo } from './server-pools.js';
import type { ServerSettings } from './server-pools.js';

export type MigratorSettings = ServerSettings & Pick<Config, 'DATABASE_URL' | 'DATABASE_MIGRATION_URL' | 'DATA_DIR'>;

/** The folder of the migrations, both for the sources and for the compiled files. */
export const migrationsFolder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/**
 * Opens a connection for migrations only, which bypasses a pooler.
 *
 * @throws {FolderInUseError} if another process has locked the embedded database.
 */
export async function withMigrator<Result>(
  config: MigratorSettings,
  act: (connection: MigrationConnection) => Promise<Result>,
): Promise<Result> {
  const url = config.DATABASE_MIGRATION_URL ?? config.DATABASE_URL;
  if (url === undefined) {
    const folder = lockFolder(config.DATA_DIR);
    try {
      const { pool, close } = await openEmbedded(folder.path, () => {});
      return await onOneConnection(pool, act).finally(close);
    } finally {
      folder.release();
    }
  }
  const client = new pg.Client(connectionTo(url, config));
  // A broken connection fails its current statement, which reports the error.
  client.on('error', () => {});
  await client.connect();
  try {
    return await act(connectionOf(client));
  } finally {
    await client.end();
  }
}

/** Runs an action on one connection of a pool. A pool closes a connection whose statement has failed, and with it its transaction. */
export async function onOneConnection<Result>(
  pool: pg.Pool,
  act: (connection: MigrationConnection) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    return await act(connectionOf(client));
  } finally {
    client.release();
  }
}

export function connectionOf(client: pg.ClientBase | pg.Pool): MigrationConnection {
  return {
    query: (sql, parameters) => client.query<object>(sql, parameters),
    script: async (sql) => {
      await client.query(sql);
    },
  };
}
