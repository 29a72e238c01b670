// Opens the one database of this process: a PostgreSQL server, or PostgreSQL inside the process. What
// comes out is a Prisma client; nothing else knows which of the two it is.
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Config } from '../config.js';
import { PrismaClient } from './client/client.js';
import type { Prisma } from './client/client.js';
import { createBackUp } from './backup.js';
import type { BackUp } from './backup.js';
import { freeBytesOf, openEmbedded } from './embedded.js';
import type { EmbeddedEngine } from './embedded.js';
import { folderSecret, lockFolder } from './embedded-folder.js';
import { migrate, missingMigrations, readMigrations } from './migrate.js';
import type { Migration, MigrationConnection } from './migrate.js';
import { embeddedConnection, migrationsFolder, serverConnection, withMigrator } from './migrator.js';
import type { MigratorSettings } from './migrator.js';
import { listenEmbedded, listenOnServer } from './notifications.js';
import type { Listen } from './notifications.js';
import { observedAdapter } from './observed-adapter.js';
import type { StatementDone } from './observed-adapter.js';
import { openReplica } from './open-replica.js';
import type { ReplicaOptions } from './open-replica.js';
import type { ReadReplica } from './read-replica.js';
import { connectionTo, openPools } from './server-pools.js';
import type { ConnectionShare } from './server-pools.js';
import { statementNames } from './statement-names.js';
import { textReader } from './text-reader.js';

/** What runs statements: the database, or one transaction in it. `$text` is for those that answer one text. */
export type Statements = Prisma.TransactionClient & { $text: (statement: Prisma.Sql) => Promise<string> };

/** What only reads, one text at a time. */
export type ReadStatements = Pick<Statements, '$text'>;

/** Where a transaction can begin that takes statements of every kind. */
export type Transactional = Statements & {
  $begin: <Result>(act: (tx: Statements) => Promise<Result>) => Promise<Result>;
};

/** Prisma's client, with such transactions. */
export type Database = PrismaClient & Transactional;

export type Transaction = Prisma.TransactionClient;

export interface OpenDatabase {
  db: Database;
  /** The same database for what the process does by itself: it takes no connection from requests. */
  upkeepDb: Database;
  /** What lists and metrics may be read from instead; absent where none is set. */
  replica: ReadReplica | undefined;
  /** Tells of what is notified; absent behind a pooler, where no connection is one's own. */
  listen: Listen | undefined;
  /** Whether requests can be served from it; rejects when they cannot, soon. */
  probe: () => Promise<void>;
  /** The names of migrations that are not applied. @throws {MigrationError} for a database that this program does not know. */
  missingMigrations: () => Promise<string[]>;
  /** How much is free on the disk of an embedded database; absent with a PostgreSQL server. */
  freeBytes: (() => number) | undefined;
  /** What the connections to it are doing now. */
  shares: () => ConnectionShare[];
  /** Tells of each statement from now on, when it is over: of requests, of upkeep, or read of the replica. One listener is told. */
  watch: (listener: (statement: StatementDone, of: 'requests' | 'upkeep' | 'replica') => void) => void;
  /** Seal cursors and keys: the first seals, all of them open. */
  secrets: string[];
  /** Where an embedded database's holder takes admin commands; absent with a PostgreSQL server. */
  adminSocket: string | undefined;
  /** Backs up an embedded database; absent with a PostgreSQL server, which has its own ways. */
  backUp: BackUp | undefined;
  close: () => Promise<void>;
}

export interface OpenOptions extends ReplicaOptions {
  /** Called with each SQL statement. Tests count them. */
  onStatement?: (sql: string) => void;
  /** What stands between requests and the driver. Tests break it. */
  inFront?: (driver: SqlDriverAdapterFactory) => SqlDriverAdapterFactory;
  /** Called when the process has to stop because the disk of an embedded database is about to be full. */
  onDiskFull?: (reason: string) => void;
  /** Called when another process migrates the database, and this one waits for it. */
  onWait?: () => void;
  /** Called when a connection that nobody used broke. */
  onConnectionLost?: (error: Error) => void;
}

/** Something about the database that whoever runs it has to mend. The message names the setting. */
export class DatabaseSettingError extends Error {}

type DatabaseSettings = MigratorSettings &
  Pick<Config, 'SERVICE_SECRETS' | 'DATABASE_READ_URL' | 'DATABASE_READ_STALE_MS_MAX'>;

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
  const { inFront = (driver) => driver } = options;
  const folder = lockFolder(config.DATA_DIR);
  let engine: EmbeddedEngine | undefined;
  try {
    engine = await openEmbedded(folder.path, options.onDiskFull ?? (() => {}));
    const { pglite, close } = engine;
    const migrations = readMigrations(migrationsFolder);
    await migrate(embeddedConnection(pglite), migrations);
    const { tell, watch } = watched();
    const adapter = observedAdapter(new PrismaPGlite(pglite), (statement) => tell(statement, 'requests'));
    const db = await createClient(inFront(adapter), options);
    return {
      db,
      upkeepDb: db,
      replica: undefined,
      listen: listenEmbedded(pglite),
      probe: async () => {
        await db.$queryRaw`SELECT 1`;
      },
      missingMigrations: () => missingNames(embeddedConnection(pglite), migrations),
      freeBytes: () => freeBytesOf(folder.path),
      shares: () => [embeddedShare(adapter.running())],
      watch,
      secrets: config.SERVICE_SECRETS ?? [folderSecret(folder.path)],
      adminSocket: folder.adminSocket,
      backUp: createBackUp(pglite, folder.path),
      close: async () => {
        await db.$disconnect();
        await close();
        folder.release();
      },
    };
  } catch (error) {
    await engine?.close();
    folder.release();
    throw error;
  }
}

async function openOnServer(config: DatabaseSettings, url: string, options: OpenOptions): Promise<OpenDatabase> {
  const { onWait, inFront = (driver) => driver } = options;
  const migrations = readMigrations(migrationsFolder);
  await withMigrator(config, (connection) => migrate(connection, migrations, onWait === undefined ? {} : { onWait }));
  const pools = openPools(url, config, options.onConnectionLost ?? (() => {}));
  try {
    await requireSession(pools.probe);
    // A pooler moves a connection from one client to another, together with its prepared statements.
    const names = config.DATABASE_POOLER === 'none' ? { statementNameGenerator: statementNames() } : {};
    const { tell, watch } = watched();
    const observed = (pool: pg.Pool, of: 'requests' | 'upkeep' | 'replica') =>
      observedAdapter(new PrismaPg(pool, names), (statement) => tell(statement, of));
    const db = await createClient(inFront(observed(pools.requests, 'requests')), options);
    const upkeepDb = await createClient(observed(pools.upkeep, 'upkeep'), options);
    const opened = await openReplica(config, pools.probe, names, (statement) => tell(statement, 'replica'), options);
    return {
      db,
      upkeepDb,
      replica: opened?.replica,
      listen: config.DATABASE_POOLER === 'none' ? listenOnServer(connectionTo(url, config)) : undefined,
      probe: () => requireWritable(pools.probe),
      missingMigrations: () => missingNames(serverConnection(pools.probe), migrations),
      freeBytes: undefined,
      shares: () => [...pools.shares(), ...(opened === undefined ? [] : [opened.share()])],
      watch,
      secrets: config.SERVICE_SECRETS ?? [],
      adminSocket: undefined,
      backUp: undefined,
      close: async () => {
        await db.$disconnect();
        await upkeepDb.$disconnect();
        await opened?.close();
        await pools.close();
      },
    };
  } catch (error) {
    await pools.close();
    throw error;
  }
}

/** What is told of statements goes nowhere before somebody watches. */
function watched() {
  let listener: Parameters<OpenDatabase['watch']>[0] = () => {};
  const watch: OpenDatabase['watch'] = (next) => {
    listener = next;
  };
  const tell: typeof listener = (statement, of) => listener(statement, of);
  return { tell, watch };
}

/** An embedded database has one connection, for which all but one statement wait. */
function embeddedShare(running: number): ConnectionShare {
  return { share: 'embedded', max: 1, inUse: Math.min(1, running), waiting: Math.max(0, running - 1) };
}

async function missingNames(connection: MigrationConnection, migrations: Migration[]): Promise<string[]> {
  return (await missingMigrations(connection, migrations)).map(({ name }) => name);
}

/** Behind a pooler the session is what the role says, and times would be stored shifted by its zone. */
async function requireSession(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ zone: string }>(`SELECT current_setting('timezone') AS zone`);
  const zone = rows[0]?.zone ?? '';
  if (/^(UTC|Etc\/UTC|GMT|Etc\/GMT)$/i.test(zone)) return;
  throw new DatabaseSettingError(
    `DATABASE_URL: sessions are in the time zone ${zone}, but must be in UTC. Behind a pooler, set ` +
      "DATABASE_POOLER=transaction, and run: ALTER ROLE name SET timezone = 'UTC'.",
  );
}

/** @throws what the database says, or that it is read-only. */
async function requireWritable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ mode: string }>(`SELECT current_setting('transaction_read_only') AS mode`);
  if (rows[0]?.mode === 'on') throw new DatabaseSettingError('the database is read-only');
}

async function createClient(adapter: SqlDriverAdapterFactory, options: OpenOptions): Promise<Database> {
  const { onStatement } = options;
  const readText = textReader(await adapter.connect(), onStatement);
  if (onStatement === undefined) return withReader(new PrismaClient({ adapter }), readText);
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  client.$on('query', (event) => onStatement(event.query));
  return withReader(client, readText);
}

/** Adds `$text`. In a transaction it goes through the client, which alone knows the connection. */
function withReader(client: PrismaClient, $text: Statements['$text']): Database {
  return Object.assign(client, {
    $text,
    $begin: <Result>(act: (tx: Statements) => Promise<Result>): Promise<Result> =>
      client.$transaction((tx) => act(withText(tx))),
  });
}

function withText(tx: Prisma.TransactionClient): Statements {
  const $text = async (statement: Prisma.Sql): Promise<string> => {
    const [row = {}] = await tx.$queryRaw<Record<string, unknown>[]>(statement);
    const [value] = Object.values(row);
    return typeof value === 'string' ? value : '';
  };
  // It stands in front of the transaction's client. Set on it, or through it, it would be the property of the whole
  // process's client, whose next request then met a transaction that is over.
  const own: Statements = Object.create(tx, { $text: { value: $text } });
  return own;
}
