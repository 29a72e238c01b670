// The Prometheus metrics of the process. docs/monitoring uses their names.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { createDatabaseMetrics } from './database-metrics.js';
import type { ConnectionShare, DatabaseMetrics } from './database-metrics.js';
import { createBackgroundTaskMetrics } from './background-task-metrics.js';
import type { BackgroundTaskMetrics } from './background-task-metrics.js';
import { createUsageMetrics } from './usage-metrics.js';
import type { UsageMetrics } from './usage-metrics.js';
import { createWebhookMetrics } from './webhook-metrics.js';
import type { WebhookMetrics } from './webhook-metrics.js';
import { createWorkMetrics } from './work-metrics.js';
import type { WorkMetrics } from './work-metrics.js';

/** A completed request. */
export interface Served {
  api: string;
  /** The REST operation, or the type of the GraphQL operation. Never a name that a client chooses. */
  operation: string;
  status: number;
  seconds: number;
  /** The plan of the account, or an empty string without a valid credential. */
  plan: string;
  /** The cost of a GraphQL operation. */
  cost: number | undefined;
}

export interface ProcessMetrics {
  registry: Registry;
  served: (request: Served) => void;
  database: DatabaseMetrics;
  background: BackgroundTaskMetrics;
  usage: UsageMetrics;
  webhooks: WebhookMetrics;
  work: WorkMetrics;
  /** Counts a use of a quota that differed from the resources. */
  quotaUsageCorrected: () => void;
}

/** The sources of the metrics. */
export interface Measured {
  version: string;
  /** Numbers of requests in flight and waiting. */
  load: () => { inFlight: number; waiting: number };
  shares: () => ConnectionShare[];
  slowSeconds: number;
  /** Undefined without a replica. */
  replicaBehindSeconds?: (() => number | undefined) | undefined;
}

/** Bounds of durations, from cached responses to timeouts (s). */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const costBounds = [10, 100, 1_000, 5_000, 10_000, 25_000, 50_000];

export function createProcessMetrics({
  version,
  load,
  shares,
  slowSeconds,
  replicaBehindSeconds,
}: Measured): ProcessMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'wcp_build_info',
    help: 'Always 1. The label is the version of the program.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);

  const requests = new Counter({
    name: 'wcp_http_requests_total',
    help: 'Completed requests by API (api), operation, status and plan of the account.',
    labelNames: ['api', 'operation', 'status', 'plan'],
    registers,
  });
  const durations = new Histogram({
    name: 'wcp_http_request_duration_seconds',
    help: 'Duration of requests until the end of the response (seconds).',
    labelNames: ['api', 'operation'],
    buckets: durationBounds,
    registers,
  });
  const shed = new Counter({
    name: 'wcp_http_requests_refused_total',
    help: 'Requests rejected because of a rate limit (429) or overload (503).',
    labelNames: ['api', 'status'],
    registers,
  });
  const costs = new Histogram({
    name: 'wcp_graphql_cost',
    help: 'Cost of GraphQL operations, executed or rejected.',
    buckets: costBounds,
    registers,
  });
  const corrections = new Counter({
    name: 'wcp_quota_usage_corrections_total',
    help: 'Uses of quotas that differed from the resources when this process checked them, and were corrected.',
    registers,
  });
  for (const [name, help, read] of [
    ['wcp_http_requests_in_flight', 'Requests in flight.', () => load().inFlight],
    ['wcp_http_requests_waiting', 'Requests that wait in the queue.', () => load().waiting],
  ] as const) {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
  }

  return {
    registry,
    database: createDatabaseMetrics(registry, slowSeconds, shares, replicaBehindSeconds),
    background: createBackgroundTaskMetrics(registry),
    usage: createUsageMetrics(registry),
    webhooks: createWebhookMetrics(registry),
    work: createWorkMetrics(registry),
    quotaUsageCorrected: () => corrections.inc(),
    served: ({ api, operation, status, seconds, plan, cost }) => {
      requests.inc({ api, operation, status, plan });
      durations.observe({ api, operation }, seconds);
      if (status === 429 || status === 503) shed.inc({ api, status });
      if (cost !== undefined) costs.observe(cost);
    },
  };
}
