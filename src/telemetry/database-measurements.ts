import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** What a share of the connections to the database is doing. */
export interface ConnectionShare {
  share: string;
  max: number;
  inUse: number;
  /** Statements and transactions that wait for one of them. */
  waiting: number;
}

export interface DatabaseMeasurements {
  /** A statement is over. */
  statement: (share: string, seconds: number) => void;
}

/** From what an index answers to what is given up. */
const secondsBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/**
 * @param slowSeconds from which duration on a statement is slow.
 * @param shares read when Prometheus asks.
 * @param replicaBehindSeconds how old what is read of the replica may be; absent without one.
 */
export function createDatabaseMeasurements(
  registry: Registry,
  slowSeconds: number,
  shares: () => ConnectionShare[],
  replicaBehindSeconds: (() => number | undefined) | undefined,
): DatabaseMeasurements {
  const registers = [registry];
  const labelNames = ['share'] as const;
  for (const [name, help, read] of [
    ['wcp_database_connections_max', 'Connections that a share may have.', ({ max }: ConnectionShare) => max],
    [
      'wcp_database_connections_in_use',
      'Connections of a share that are in use now.',
      ({ inUse }: ConnectionShare) => inUse,
    ],
    [
      'wcp_database_waiting',
      'Statements and transactions that wait for a connection of a share now.',
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
      help: 'How old what is read of the replica may be; +Inf while nothing is known of it.',
      registers,
      collect: () => behind.set(replicaBehindSeconds() ?? Infinity),
    });
  }
  const durations = new Histogram({
    name: 'wcp_database_statement_duration_seconds',
    help: 'From a statement to its answer, waiting for a connection included; of requests, of upkeep, or read of the replica.',
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
