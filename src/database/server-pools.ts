// The connections of this process to a PostgreSQL server: small pools apart from each other, so that a table that is
// locked, or a fold that takes long, leaves something for everything else.
import { Socket } from 'node:net';
import pg from 'pg';
import type { Config } from '../config.js';

export type ServerSettings = Pick<
  Config,
  'DATABASE_POOL_SIZE' | 'DATABASE_STATEMENT_TIMEOUT_MS' | 'DATABASE_LOCK_TIMEOUT_MS' | 'DATABASE_POOLER'
>;

export interface ServerPools {
  /** Single statements of requests; its transactions run on connections of their own, so that neither starves. */
  requests: pg.Pool;
  upkeep: pg.Pool;
  /** One connection, for the question whether the database answers. */
  probe: pg.Pool;
  /** What each share is doing now. */
  shares: () => ConnectionShare[];
  close: () => Promise<void>;
}

/** Connections that are set apart from the others. */
export interface ConnectionShare {
  share: 'reads' | 'writes' | 'upkeep' | 'probe' | 'replica' | 'embedded';
  max: number;
  inUse: number;
  /** Statements and transactions that wait for one of them. */
  waiting: number;
}

/** How long is waited for a connection, new or out of the pool: well below what a statement may take. */
const connectMsMax = 3_000;

/** The server ends a statement that takes too long. A server that is no longer there does not: then it ends here. */
const silenceMsMax = 1_000;

/** What a statement fails with whose server has not answered for longer than that. */
export const silentMessage = 'The database has fallen silent';

/** What a statement fails with of which a cluster cannot say that all its machines have committed it. */
export const uncommittedMessage = 'The database has not committed everywhere';

const probeMsMax = 2_000;

/** Who reads of a replica does not wait for long before the primary is asked. */
const replicaProbeMsMax = 500;
const connectionLifeSeconds = 15 * 60;
const keepAliveMs = 5_000;
const upkeepConnections = 2;

/** @returns settings of one connection; with a pooler between, the server's side of them is the role's (see operations.md). */
export function connectionTo(url: string, settings: ServerSettings): pg.ClientConfig {
  // Without the zone a timestamptz comes back shifted by the offset of the session's; the style is that of times as text.
  // A search gathers its candidates in memory; with less of it they are looked at again one by one.
  // Compiling a statement that is answered in milliseconds takes longer than the statement.
  const session = `-c timezone=UTC -c datestyle=ISO -c work_mem=32MB -c jit=off -c lock_timeout=${settings.DATABASE_LOCK_TIMEOUT_MS}`;
  return {
    connectionString: url,
    application_name: 'workload-control-plane',
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...(settings.DATABASE_POOLER === 'transaction' ? {} : { options: session }),
  };
}

/** What opens pools of connections to a server, by their sizes and the longest time for a statement. */
function poolsOf(url: string, settings: ServerSettings, onError: (error: Error) => void) {
  return (max: number, msMax: number): pg.Pool => {
    const pool = new pg.Pool({
      ...connectionTo(url, settings),
      max,
      maxLifetimeSeconds: connectionLifeSeconds,
      ...(settings.DATABASE_POOLER === 'transaction' ? {} : { statement_timeout: msMax }),
    });
    // An idle connection broke. It is replaced when the next one is needed.
    pool.on('error', onError);
    pool.on('connect', (client) => {
      // One that somebody has broke between two statements: the next one fails, and tells. Unheard it would end the process.
      client.on('error', () => {});
      endWhenSilent(client, msMax + silenceMsMax);
      failWhenUncommitted(client);
    });
    pool.on('release', (_error, client) => {
      if (isBusy(client)) void client.end();
    });
    return pool;
  };
}

export function openPools(url: string, settings: ServerSettings, onError: (error: Error) => void): ServerPools {
  const statementMsMax = settings.DATABASE_STATEMENT_TIMEOUT_MS;
  const open = poolsOf(url, settings, onError);
  const half = Math.max(1, Math.floor(settings.DATABASE_POOL_SIZE / 2));
  const reads = open(settings.DATABASE_POOL_SIZE - half || 1, statementMsMax);
  const writes = open(half, statementMsMax);
  const upkeep = open(upkeepConnections, statementMsMax);
  const probe = open(1, probeMsMax);
  return {
    requests: readingBeside(reads, writes),
    upkeep,
    probe,
    shares: () => [
      shareOf('reads', reads),
      shareOf('writes', writes),
      shareOf('upkeep', upkeep),
      shareOf('probe', probe),
    ],
    close: async () => {
      await Promise.all([reads, writes, upkeep, probe].map((pool) => pool.end()));
    },
  };
}

/** The connections to a replica. */
export interface ReplicaPools {
  reads: pg.Pool;
  /** One connection, for the question how far it is. */
  probe: pg.Pool;
  share: () => ConnectionShare;
  close: () => Promise<void>;
}

/** Opens them when they are needed; one that nobody used and that broke is no loss, so nobody is told. */
export function openReplicaPools(url: string, settings: ServerSettings): ReplicaPools {
  const open = poolsOf(url, settings, () => {});
  const reads = open(settings.DATABASE_POOL_SIZE, settings.DATABASE_STATEMENT_TIMEOUT_MS);
  const probe = open(1, replicaProbeMsMax);
  return {
    reads,
    probe,
    share: () => shareOf('replica', reads),
    close: async () => {
      await Promise.all([reads.end(), probe.end()]);
    },
  };
}

function shareOf(share: ConnectionShare['share'], pool: pg.Pool): ConnectionShare {
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { share, max: options.max, inUse: totalCount - idleCount, waiting: waitingCount };
}

/** One pool for who sees it: single statements run in one, transactions take their connections from the other. */
function readingBeside(reads: pg.Pool, writes: pg.Pool): pg.Pool {
  const both: pg.Pool = Object.create(reads, {
    query: { value: reads.query.bind(reads) },
    connect: { value: writes.connect.bind(writes) },
  });
  return both;
}

/**
 * Ends a connection whose statement gets no byte of an answer for so long.
 *
 * The driver's own limit (`query_timeout`) has a timer for each statement, and keeps each answer alive until a full
 * collection of garbage; this one belongs to the socket.
 */
function endWhenSilent(client: pg.PoolClient, msMax: number) {
  const socket = connectionOf(client).stream;
  if (!(socket instanceof Socket)) throw new TypeError('A connection to the database has no socket');
  // A listener that is given to setTimeout() hears one silence, such as that of a connection nobody uses.
  socket.setTimeout(msMax);
  socket.on('timeout', () => {
    if (isBusy(client)) socket.destroy(new Error(silentMessage));
  });
}

/**
 * Fails a statement that a machine of a cluster was lost with while it committed: Citus but warns of that, and answers as
 * if all were well. Who sends the same again counts nothing twice.
 */
function failWhenUncommitted(client: pg.PoolClient) {
  client.on('notice', ({ message }) => {
    if (!message?.startsWith('failed to commit transaction on ')) return;
    const connection = connectionOf(client);
    // The answer may be there already, right behind the warning: the statement fails before that is read.
    connection.emit('error', new Error(uncommittedMessage));
    connection.stream.destroy();
  });
}

function connectionOf(client: pg.PoolClient): pg.Connection {
  if ('connection' in client && client.connection instanceof pg.Connection) return client.connection;
  throw new TypeError('A client of the database has no connection');
}

/** A connection that comes back while its statement is still on its way has been given up: nobody may wait for it. */
function isBusy(client: pg.PoolClient): boolean {
  if ('_getActiveQuery' in client && typeof client._getActiveQuery === 'function') {
    return client._getActiveQuery() != null;
  }
  return 'activeQuery' in client && client.activeQuery != null;
}
