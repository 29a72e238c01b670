// Opens the one database of this process: a PostgreSQL server, or PostgreSQL inside the process. What
// comes out is a Prisma client; nothing else knows which of the two it is.
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client';
import pg from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Config } from '../config.js';
import { PrismaClient } from './client/client.js';
import { folderSecret, lockFolder, openEmbedded } from './embedded.js';
import { migrate, readMigrations } from './migrate.js';
import type { MigrationConnection } from './migrate.js';
import { statementNames } from './statement-names.js';

export type Database = PrismaClient;

export interface OpenDatabase {
  db: Database;
  /** Seal cursors and keys: the first seals, all of them open. */
  secrets: string[];
  /** Where an embedded database's holder takes admin commands; absent with a PostgreSQL server. */
  adminSocket: string | undefined;
  /** Connections that this process uses at once; more work than that waits in line. */
  connections: number;
  close: () => Promise<void>;
}

export interface OpenOptions {
  /** Called with each SQL statement. Tests count them. */
  onStatement?: (sql: string) => void;
  /** Called when the process has to stop because the disk of an embedded database is about to be full. */
  onDiskFull?: (reason: string) => void;
}

type DatabaseSettings = Pick<
  Config,
  | 'DATABASE_PREPARED_STATEMENTS'
  | 'DATABASE_URL'
  | 'DATA_DIR'
  | 'SERVICE_SECRETS'
  | 'DATABASE_POOL_SIZE'
  | 'DATABASE_STATEMENT_TIMEOUT_MS'
>;

/** Prisma's migrations, as deployed beside the sources and beside the compiled files. */
export const migrationsFolder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/**
 * Opens the database and applies the migrations that are missing.
 *
 * @throws {FolderInUseError} when another process holds the embedded database.
 * @throws {MigrationError} when the schema cannot be brought up to date.
 */
export async function openDatabase(config: DatabaseSettings, options: OpenOptions = {}): Promise<OpenDatabase> {
  return config.DATABASE_URL === undefined
    ? openInFolder(config, options)
    : openOnServer(config, config.DATABASE_URL, options);
}

async function openInFolder(config: DatabaseSettings, options: OpenOptions): Promise<OpenDatabase> {
  const folder = lockFolder(config.DATA_DIR);
  try {
    const { pglite, close } = await openEmbedded(folder.path, options.onDiskFull ?? (() => {}));
    await migrate(
      {
        query: (sql, parameters) => pglite.query(sql, parameters),
        script: async (sql) => {
          await pglite.exec(sql);
        },
      },
      readMigrations(migrationsFolder),
    );
    const db = createClient(new PrismaPGlite(pglite), options);
    return {
      db,
      secrets: config.SERVICE_SECRETS ?? [folderSecret(folder.path)],
      adminSocket: folder.adminSocket,
      connections: 1,
      close: async () => {
        await db.$disconnect();
        await close();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function openOnServer(config: DatabaseSettings, url: string, options: OpenOptions): Promise<OpenDatabase> {
  const connection = {
    connectionString: url,
    application_name: 'workload-control-plane',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Without it a timestamptz comes back shifted by the offset of the session's time zone.
    options: '-c timezone=UTC',
  };
  const migrator = new pg.Client(connection);
  await migrator.connect();
  try {
    await migrate(connectionOf(migrator), readMigrations(migrationsFolder));
  } finally {
    await migrator.end();
  }
  const adapter = new PrismaPg(
    { ...connection, max: config.DATABASE_POOL_SIZE, statement_timeout: config.DATABASE_STATEMENT_TIMEOUT_MS },
    config.DATABASE_PREPARED_STATEMENTS === 'on' ? { statementNameGenerator: statementNames() } : {},
  );
  const db = createClient(adapter, options);
  return {
    db,
    secrets: config.SERVICE_SECRETS ?? [],
    adminSocket: undefined,
    connections: config.DATABASE_POOL_SIZE,
    close: () => db.$disconnect(),
  };
}

function connectionOf(client: pg.Client): MigrationConnection {
  return {
    query: (sql, parameters) => client.query<object>(sql, parameters),
    script: async (sql) => {
      await client.query(sql);
    },
  };
}

function createClient(adapter: SqlDriverAdapterFactory, options: OpenOptions): Database {
  const { onStatement } = options;
  if (onStatement === undefined) return new PrismaClient({ adapter });
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  client.$on('query', (event) => onStatement(event.query));
  return client;
}
