// The connections of this process to a PostgreSQL server: separate small pools, so that a locked table or a long rollup
// does not use up the connections of everything else.
import { Socket } from 'node:net';
import pg from 'pg';
import type { Config } from '../config.js';
import { silentMessage, uncommittedMessage } from './failures.js';

export type ServerSettings = Pick<
  Config,
  'DATABASE_POOL_SIZE' | 'DATABASE_STATEMENT_TIMEOUT_MS' | 'DATABASE_LOCK_TIMEOUT_MS' | 'DATABASE_POOLER'
>;

export interface ServerPools {
  /** For single statements of requests. Transactions have a pool of their own, so that neither starves the other. */
  requests: pg.Pool;
  background: pg.Pool;
  /** For subscriptions and webhooks, which a long background task must not delay. */
  changes: pg.Pool;
  /** One connection for the readiness check. */
  probe: pg.Pool;
  /** The current use of each pool. */
  shares: () => ConnectionShare[];
  close: () => Promise<void>;
}

/** The use of one pool. */
export interface ConnectionShare {
  share: 'reads' | 'writes' | 'background' | 'changes' | 'probe' | 'replica' | 'embedded';
  max: number;
  inUse: number;
  /** Statements and transactions that wait for a connection. */
  waiting: number;
}

/** The maximum wait for a new or pooled connection: well below the statement timeout (ms). */
export const connectMsMax = 3_000;

/**
 * The server cancels a statement that takes too long. If the server is unreachable, the client fails the statement this
 * long after that (milliseconds).
 */
const silenceMsMax = 1_000;

const probeMsMax = 2_000;

/** The maximum wait for the replica before the primary is used. */
const replicaProbeMsMax = 500;
const connectionLifeSeconds = 15 * 60;
const keepAliveMs = 5_000;
const backgroundConnections = 2;
const changesConnections = 2;

/**
 * @returns the settings of one connection. Behind a pooler, the role must have the server's part of them (see
 * operations.md).
 */
export function connectionTo(url: string, settings: ServerSettings): pg.ClientConfig {
  // Without the time zone, a timestamptz is read shifted by the session's offset; the date style is that of times as
  // text. A search collects its candidates in memory; with a smaller work_mem they are rechecked one by one. JIT
  // compilation takes longer than statements that run for milliseconds.
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

/** Creates pools for a server, given their size and the statement timeout. */
function poolsOf(url: string, settings: ServerSettings, onError: (error: Error) => void) {
  return (max: number, msMax: number): pg.Pool => {
    const pool = new pg.Pool({
      ...connectionTo(url, settings),
      max,
      maxLifetimeSeconds: connectionLifeSeconds,
      ...(settings.DATABASE_POOLER === 'transaction' ? {} : { statement_timeout: msMax }),
    });
    // An idle connection broke. The pool replaces it when needed.
    pool.on('error', onError);
    pool.on('connect', (client) => {
      // A connection in use broke between two statements: the next statement fails and reports it. Without a listener,
      // the event would end the process.
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
  const background = open(backgroundConnections, statementMsMax);
  const changes = open(changesConnections, statementMsMax);
  const probe = open(1, probeMsMax);
  return {
    requests: readingBeside(reads, writes),
    background,
    changes,
    probe,
    shares: () => [
      shareOf('reads', reads),
      shareOf('writes', writes),
      shareOf('background', background),
      shareOf('changes', changes),
      shareOf('probe', probe),
    ],
    close: async () => {
      await Promise.all([reads, writes, background, changes, probe].map((pool) => pool.end()));
    },
  };
}

/** The connections to a replica. */
export interface ReplicaPools {
  reads: pg.Pool;
  /** One connection for reading its WAL position. */
  probe: pg.Pool;
  share: () => ConnectionShare;
  close: () => Promise<void>;
}

/** Opens the pools when they are needed. A broken idle connection is not reported: it loses nothing. */
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

export function shareOf(share: ConnectionShare['share'], pool: pg.Pool): ConnectionShare {
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { share, max: options.max, inUse: totalCount - idleCount, waiting: waitingCount };
}

/**
 * Combines two pools in one object: single statements run in the first, transactions take their connections from the
 * second.
 */
function readingBeside(reads: pg.Pool, writes: pg.Pool): pg.Pool {
  const both: pg.Pool = Object.create(reads, {
    query: { value: reads.query.bind(reads) },
    connect: { value: writes.connect.bind(writes) },
  });
  return both;
}

/**
 * Ends a connection whose statement gets no byte of an answer for this long. The driver's own limit (`query_timeout`)
 * has a timer for each statement, and keeps each result alive until a full garbage collection; this timer belongs to
 * the socket.
 */
function endWhenSilent(client: pg.PoolClient, msMax: number) {
  const socket = connectionOf(client).stream;
  if (!(socket instanceof Socket)) throw new TypeError('A connection to the database has no socket');
  // A listener passed to setTimeout() would be called only once, and an idle connection would use that up.
  socket.setTimeout(msMax);
  socket.on('timeout', () => {
    if (isBusy(client)) socket.destroy(new Error(silentMessage));
  });
}

/**
 * Fails a statement if a machine of a cluster was lost during its commit. Citus only sends a warning and then answers
 * as usual. The caller can safely repeat the request.
 */
function failWhenUncommitted(client: pg.PoolClient) {
  client.on('notice', ({ message }) => {
    if (!message?.startsWith('failed to commit transaction on ')) return;
    const connection = connectionOf(client);
    // The answer may have arrived with the warning: the statement must fail before it is read.
    connection.emit('error', new Error(uncommittedMessage));
    connection.stream.destroy();
  });
}

function connectionOf(client: pg.PoolClient): pg.Connection {
  if ('connection' in client && client.connection instanceof pg.Connection) return client.connection;
  throw new TypeError('A client of the database has no connection');
}

/**
 * A connection that returns to the pool while its statement still runs was abandoned: no other statement may wait for
 * it.
 */
function isBusy(client: pg.PoolClient): boolean {
  if ('_getActiveQuery' in client && typeof client._getActiveQuery === 'function') {
    return client._getActiveQuery() != null;
  }
  return 'activeQuery' in client && client.activeQuery != null;
}
