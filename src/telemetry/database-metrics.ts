import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** A connection pool and its current use. */
export interface ConnectionShare {
  share: string;
  max: number;
  inUse: number;
  /** Number of statements and transactions that wait for a connection. */
  waiting: number;
}

export interface DatabaseMetrics {
  /** Records a completed statement. */
  statement: (share: string, seconds: number) => void;
}

/** From index lookups to the statement timeout. */
const secondsBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/**
 * @param slowSeconds the minimum duration of a slow statement (s).
 * @param shares called when Prometheus reads the metrics.
 * @param replicaBehindSeconds the replication lag (s); undefined without a replica.
 */
export function createDatabaseMetrics(
  registry: Registry,
  slowSeconds: number,
  shares: () => ConnectionShare[],
  replicaBehindSeconds: (() => number | undefined) | undefined,
): DatabaseMetrics {
  const registers = [registry];
  const labelNames = ['share'] as const;
  for (const [name, help, read] of [
    ['wcp_database_connections_max', 'Maximum number of connections of a pool.', ({ max }: ConnectionShare) => max],
    ['wcp_database_connections_in_use', 'Connections of a pool in use.', ({ inUse }: ConnectionShare) => inUse],
    [
      'wcp_database_waiting',
      'Statements and transactions that wait for a connection of a pool.',
      ({ waiting }: ConnectionShare) => waiting,
    ],
  ] as const) {
    const gauge: Gauge<'share'> = new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect: () => shares().forEach((each) => gauge.set({ share: each.share }, read(each))),
    });
  }
  if (replicaBehindSeconds !== undefined) {
    const behind: Gauge = new Gauge({
      name: 'wcp_database_replica_behind_seconds',
      help: 'Replication lag (seconds). +Inf if unknown.',
      registers,
      collect: () => behind.set(replicaBehindSeconds() ?? Infinity),
    });
  }
  const durations = new Histogram({
    name: 'wcp_database_statement_duration_seconds',
    help: 'Duration of statements, including the wait for a connection (seconds), of requests, the replica, or the rest (background).',
    labelNames,
    buckets: secondsBounds,
    registers,
  });
  const slow = new Counter({
    name: 'wcp_database_statements_slow_total',
    help: 'Statements that took ACCESS_LOG_SLOW_MS or longer.',
    labelNames,
    registers,
  });
  return {
    statement: (share, seconds) => {
      durations.observe({ share }, seconds);
      if (seconds >= slowSeconds) slow.inc({ share });
    },
  };
}
