// Opens the database of this process: a PostgreSQL server, or PostgreSQL inside the process. Both give a Prisma client,
// so other modules do not depend on which it is.
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
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
import { connectionOf, migrationsFolder, onOneConnection, withMigrator } from './migrator.js';
import type { MigratorSettings } from './migrator.js';
import { createFairConnections, fairReplica } from './fair-connections.js';
import type { DatabaseUser, FairConnections } from './fair-connections.js';
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
import { createPrismaInTransaction, transactionMsMax } from './prisma-in-transaction.js';
import { runAtOnce, runOnDriver } from './transaction.js';
import type { Statements, TransactionDriver } from './transaction.js';
import { connectFrom } from './transaction-connections.js';
import type { Connect, StatementNames } from './transaction-connections.js';

/** Runs read-only statements that return a single text. */
export type ReadStatements = Pick<Statements, '$text'>;

/** Can begin a transaction, which may run any statement (transaction.ts). */
export type Transactional = Statements & {
  $begin: <Result>(act: (tx: Statements) => Promise<Result>) => Promise<Result>;
  /** Whether its transactions are parts of another one, and cannot be repeated alone. */
  isNested?: true;
};

/** Prisma's client with such transactions. */
export type Database = PrismaClient & Transactional;

export type Transaction = Prisma.TransactionClient;

export interface OpenDatabase {
  db: Database;
  /** The same database for background tasks: it takes no connections from requests. */
  backgroundDb: Database;
  /** The same database for subscriptions and webhooks: long background tasks do not delay them. */
  changesDb: Database;
  /** The replica for reads of lists and metrics; absent if none is configured. */
  replica: ReadReplica | undefined;
  /** The database and the replica for one request, which gets its fair share of the connections. */
  forUser: (user: DatabaseUser) => { db: Transactional; replica: ReadReplica | undefined };
  /** Listens for notifications; absent behind a pooler, which has no connection to listen on. */
  listen: Listen | undefined;
  /** Checks that the database can serve requests; rejects quickly if it cannot. */
  probe: () => Promise<void>;
  /** Runs one statement on the connection of the readiness check. */
  probeQuery: MigrationConnection['query'];
  /** The names of migrations that are not applied. @throws {MigrationError} if the database has an unknown schema. */
  missingMigrations: () => Promise<string[]>;
  /** The free space on the disk of an embedded database (bytes); absent with a PostgreSQL server. */
  freeBytes: (() => number) | undefined;
  /** The current use of the connection pools. */
  shares: () => ConnectionShare[];
  /**
   * Calls the listener with each finished statement, whether of a request, of a background task or on the replica.
   * There is one listener.
   */
  watch: (listener: (statement: StatementDone, of: 'requests' | 'background' | 'replica') => void) => void;
  /** Secrets that encrypt cursors and keys: the first encrypts, all of them decrypt. */
  secrets: string[];
  /** The admin socket of an embedded database; absent with a PostgreSQL server. */
  adminSocket: string | undefined;
  /** Backs up an embedded database; absent with a PostgreSQL server, which has its own tools. */
  backUp: BackUp | undefined;
  close: () => Promise<void>;
}

export interface OpenOptions extends ReplicaOptions {
  /** Called with each SQL statement. Tests count them. */
  onStatement?: (sql: string) => void;
  /** Wraps the driver. Tests inject failures with it. */
  inFront?: (driver: SqlDriverAdapterFactory) => SqlDriverAdapterFactory;
  /** Wraps the connections of transactions. Tests inject failures with it. */
  inFrontOfTransactions?: (connect: Connect) => Connect;
  /** Called when the process has to stop because the disk of an embedded database is almost full. */
  onDiskFull?: (reason: string) => void;
  /** Called when an embedded database has crashed; must end the process at once. Default: it ends with code 1. */
  onCrash?: (error: unknown) => void;
  /** Called when another process migrates the database and this one waits for it. */
  onWait?: () => void;
  /** Called when an idle connection broke. */
  onConnectionLost?: (error: Error) => void;
}

/** A problem of the database that its operator has to fix. The message names the setting. */
export class DatabaseSettingError extends Error {}

type DatabaseSettings = MigratorSettings &
  Pick<Config, 'SERVICE_SECRETS' | 'DATABASE_READ_URL' | 'DATABASE_READ_STALE_MS_MAX'>;

/**
 * Opens the database and applies missing migrations.
 *
 * @throws {FolderInUseError} if another process has locked the embedded database.
 * @throws {MigrationError} if a migration fails.
 */
export async function openDatabase(config: DatabaseSettings, options: OpenOptions = {}): Promise<OpenDatabase> {
  return config.DATABASE_URL === undefined
    ? openInFolder(config, options)
    : openOnServer(config, config.DATABASE_URL, options);
}

async function openInFolder(config: DatabaseSettings, options: OpenOptions): Promise<OpenDatabase> {
  const folder = lockFolder(config.DATA_DIR);
  let engine: EmbeddedEngine | undefined;
  try {
    engine = await openEmbedded(folder.path, options.onDiskFull ?? (() => {}), options.onCrash);
    const { pool, share, close } = engine;
    const connection = connectionOf(pool);
    const migrations = readMigrations(migrationsFolder);
    await onOneConnection(pool, (alone) => migrate(alone, migrations));
    const clients = createClients(preparedStatements(embeddedPreparedMax), options.onStatement);
    const db = await clients.create(pool, 'requests', options);
    const backgroundDb = await clients.create(pool, 'background');
    return {
      db,
      backgroundDb,
      changesDb: backgroundDb,
      replica: undefined,
      // There is one connection, and it works in this process.
      forUser: () => ({ db, replica: undefined }),
      listen: listenEmbedded(engine),
      probe: async () => {
        await pool.query('SELECT 1');
      },
      probeQuery: connection.query,
      missingMigrations: () => missingNames(connection, migrations),
      freeBytes: () => freeBytesOf(folder.path),
      shares: () => [share()],
      watch: clients.watch,
      secrets: config.SERVICE_SECRETS ?? [folderSecret(folder.path)],
      adminSocket: folder.adminSocket,
      backUp: createBackUp(pool, folder.path),
      close: async () => {
        await clients.close();
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
  const { onWait } = options;
  const migrations = readMigrations(migrationsFolder);
  await withMigrator(config, (connection) => migrate(connection, migrations, onWait === undefined ? {} : { onWait }));
  const pools = openPools(url, config, options.onConnectionLost ?? (() => {}));
  try {
    await requireSession(pools.probe);
    // A pooler shares a server connection, with its prepared statements, between clients.
    const names = config.DATABASE_POOLER === 'none' ? preparedStatements(preparedMax) : unpreparedStatements;
    const clients = createClients(names, options.onStatement);
    const db = await clients.create(pools.requests, 'requests', options);
    const backgroundDb = await clients.create(pools.background, 'background');
    const changesDb = await clients.create(pools.changes, 'background');
    const opened = await openReplica(config, pools.probe, names.ofPrisma, clients.doneOf('replica'), options);
    const shares = () => [...pools.shares(), ...(opened === undefined ? [] : [opened.share()])];
    const fair = createFairConnections(shares(), config.DATABASE_STATEMENT_TIMEOUT_MS);
    return {
      db,
      backgroundDb,
      changesDb,
      replica: opened?.replica,
      forUser: (user) => connectionsOf(user, fair, { db, replica: opened?.replica }),
      listen: config.DATABASE_POOLER === 'none' ? listenOnServer(connectionTo(url, config)) : undefined,
      probe: () => requireWritable(pools.probe),
      probeQuery: connectionOf(pools.probe).query,
      missingMigrations: () => missingNames(connectionOf(pools.probe), migrations),
      freeBytes: undefined,
      shares: () => fair.withWaiting(shares()),
      watch: clients.watch,
      secrets: config.SERVICE_SECRETS ?? [],
      adminSocket: undefined,
      backUp: undefined,
      close: async () => {
        await clients.close();
        await opened?.close();
        await pools.close();
      },
    };
  } catch (error) {
    await pools.close();
    throw error;
  }
}

function connectionsOf(
  user: DatabaseUser,
  fair: FairConnections,
  { db, replica }: Pick<OpenDatabase, 'db' | 'replica'>,
): ReturnType<OpenDatabase['forUser']> {
  const read = fair.turnOf(user, 'reads');
  const write = fair.turnOf(user, 'writes');
  // Also a write outside a transaction runs on a connection for reads. It is not left out.
  const change = fair.turnOf({ ...user, isGone: () => false }, 'reads');
  const own: Transactional = {
    $text: (statement) => read(() => db.$text(statement)),
    $executeRaw: (query, ...values) => change(() => db.$executeRaw(query, ...values)),
    $defer: (statement, errorFrom) => change(() => db.$defer(statement, errorFrom)),
    $flush: () => db.$flush(),
    // Without turns: requests read only single rows and short lists with it, which wait for no row that is locked.
    $prisma: () => db.$prisma(),
    $alone: fair.aloneOf(user),
    $begin: (act) => write(() => db.$begin(act)),
  };
  return { db: own, replica: replica && fairReplica(replica, fair.turnOf(user, 'replica')) };
}

async function missingNames(connection: MigrationConnection, migrations: Migration[]): Promise<string[]> {
  return (await missingMigrations(connection, migrations)).map(({ name }) => name);
}

/** Behind a pooler, the role decides the session's settings. With another time zone, times would be stored shifted. */
async function requireSession(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ zone: string }>(`SELECT current_setting('timezone') AS zone`);
  const zone = rows[0]?.zone ?? '';
  if (/^(UTC|Etc\/UTC|GMT|Etc\/GMT)$/i.test(zone)) return;
  throw new DatabaseSettingError(
    `DATABASE_URL: sessions are in the time zone ${zone}, but must be in UTC. Behind a pooler, set ` +
      "DATABASE_POOLER=transaction, and run: ALTER ROLE name SET timezone = 'UTC'.",
  );
}

/** @throws the database's error, or an error if it is read-only. */
async function requireWritable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ mode: string }>(`SELECT current_setting('transaction_read_only') AS mode`);
  if (rows[0]?.mode === 'on') throw new DatabaseSettingError('the database is read-only');
}

interface Clients {
  create: (pool: pg.Pool, of: 'requests' | 'background', wrappers?: Wrappers) => Promise<Database>;
  watch: OpenDatabase['watch'];
  /** Returns the function that another driver calls with each finished statement. */
  doneOf: (of: StatementsOf) => (statement: StatementDone) => void;
  close: () => Promise<void>;
}

type Wrappers = Pick<OpenOptions, 'inFront' | 'inFrontOfTransactions'>;

type StatementsOf = 'requests' | 'background' | 'replica';

/** How many statements are prepared, for Prisma and again for transactions. */
const preparedMax = 500;

/** Fewer in this process: 400 of the largest ones take 160 MiB. */
const embeddedPreparedMax = 200;

/** Prisma and the transactions share connections, so they need different names. */
function preparedStatements(max: number): StatementNames {
  return { ofPrisma: { statementNameGenerator: statementNames('s', max) }, ofBatches: statementNames('t', max) };
}

const unpreparedStatements: StatementNames = { ofPrisma: {}, ofBatches: () => '' };

/** @param onStatement called with each SQL statement. Tests count them. */
function createClients(names: StatementNames, onStatement: ((sql: string) => void) | undefined): Clients {
  const { tell, watch } = watched();
  const doneOf = (of: StatementsOf) => (statement: StatementDone) => tell(statement, of);
  const prisma = createPrismaInTransaction(onStatement);
  const created: Database[] = [];
  return {
    create: async (pool, of, { inFront = asItIs, inFrontOfTransactions = asItIs } = {}) => {
      const adapter = inFront(observedAdapter(new PrismaPg(pool, names.ofPrisma), doneOf(of)));
      const connect = inFrontOfTransactions(connectFrom(pool, names));
      const driver = { connect, prisma, onStatement: onStatement ?? (() => {}), onDone: doneOf(of) };
      const client = await createClient(adapter, driver, onStatement);
      created.push(client);
      return client;
    },
    watch,
    doneOf,
    close: async () => {
      for (const client of created) await client.$disconnect();
      await prisma.close();
    },
  };
}

function asItIs<Wrapped>(wrapped: Wrapped): Wrapped {
  return wrapped;
}

/** Statements are dropped until a listener is set. */
function watched() {
  let listener: Parameters<OpenDatabase['watch']>[0] = () => {};
  const watch: OpenDatabase['watch'] = (next) => {
    listener = next;
  };
  const notify: typeof listener = (statement, of) => listener(statement, of);
  return { tell: notify, watch };
}

async function createClient(
  adapter: SqlDriverAdapterFactory,
  driver: TransactionDriver,
  onStatement: ((sql: string) => void) | undefined,
): Promise<Database> {
  const readText = textReader(await adapter.connect(), onStatement);
  // Waiting for the connection of an embedded database counts as well: its transactions run one after the other.
  const transactionOptions = { maxWait: transactionMsMax, timeout: transactionMsMax };
  if (onStatement === undefined) return withDriver(new PrismaClient({ adapter, transactionOptions }), driver, readText);
  const client = new PrismaClient({ adapter, transactionOptions, log: [{ emit: 'event', level: 'query' }] });
  client.$on('query', (event) => onStatement(event.query));
  return withDriver(client, driver, readText);
}

function withDriver(client: PrismaClient, driver: TransactionDriver, $text: Statements['$text']): Database {
  const $begin: Transactional['$begin'] = (act) => runOnDriver(driver, act);
  return Object.assign(client, {
    $text,
    // Outside a transaction there is nothing to wait for.
    $defer: runAtOnce(client),
    $flush: async () => {},
    $prisma: async () => client,
    $alone: <Result>(_key: string, act: () => Promise<Result>) => act(),
    $begin,
  });
}
