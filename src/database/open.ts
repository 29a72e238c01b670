// Opens the one database of this process: a PostgreSQL server, or PostgreSQL inside the process. What
// comes out is a Prisma client; nothing else knows which of the two it is.
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import type { ArgType, SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Config } from '../config.js';
import { PrismaClient } from './client/client.js';
import type { Prisma } from './client/client.js';
import { folderSecret, lockFolder, openEmbedded } from './embedded.js';
import { migrate, readMigrations } from './migrate.js';
import type { MigrationConnection } from './migrate.js';
import { statementNames } from './statement-names.js';

/** The Prisma client, and beside it a shorter way for the statements that answer one JSON text. */
export type Database = PrismaClient & { $text: (statement: Prisma.Sql) => Promise<string> };

/** What runs statements: the database, or one transaction in it. */
export type Transaction = Prisma.TransactionClient;

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
    const db = await createClient(new PrismaPGlite(pglite), options);
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
    // A search gathers its candidates in memory; with less of it they are looked at again one by one.
    // Compiling a statement that is answered in milliseconds takes longer than the statement.
    options: '-c timezone=UTC -c work_mem=32MB -c jit=off',
  };
  const migrator = new pg.Client(connection);
  await migrator.connect();
  try {
    await migrate(connectionOf(migrator), readMigrations(migrationsFolder));
  } finally {
    await migrator.end();
  }
  const pool = new pg.Pool({
    ...connection,
    max: config.DATABASE_POOL_SIZE,
    statement_timeout: config.DATABASE_STATEMENT_TIMEOUT_MS,
  });
  const adapter = new PrismaPg(
    pool,
    config.DATABASE_PREPARED_STATEMENTS === 'on' ? { statementNameGenerator: statementNames() } : {},
  );
  const db = await createClient(adapter, options);
  return {
    db,
    secrets: config.SERVICE_SECRETS ?? [],
    adminSocket: undefined,
    connections: config.DATABASE_POOL_SIZE,
    close: async () => {
      await db.$disconnect();
      await pool.end();
    },
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

async function createClient(adapter: SqlDriverAdapterFactory, options: OpenOptions): Promise<Database> {
  const { onStatement } = options;
  const reader = await adapter.connect();
  if (onStatement === undefined) return withReader(new PrismaClient({ adapter }), reader);
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  client.$on('query', (event) => onStatement(event.query));
  return withReader(client, reader, onStatement);
}

/**
 * Adds `$text`: one statement whose first column of its first row is a text. It goes through Prisma's own
 * driver adapter, past the client, which would spend a sixth of a small request on a value that needs none
 * of its work.
 */
function withReader(client: PrismaClient, reader: SqlDriverAdapter, onStatement?: (sql: string) => void): Database {
  return Object.assign(client, {
    $text: async (statement: Prisma.Sql): Promise<string> => {
      const { text: sql, values } = statement;
      onStatement?.(sql);
      const argTypes = values.map((value) => (Array.isArray(value) ? textList : text));
      const { rows } = await reader.queryRaw({ sql, args: values, argTypes });
      const [value] = rows[0] ?? [];
      return typeof value === 'string' ? value : '';
    },
  });
}

const text: ArgType = { scalarType: 'string', arity: 'scalar' };
const textList: ArgType = { scalarType: 'string', arity: 'list' };
