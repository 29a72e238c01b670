import type { Logger } from 'pino';
import { headerNames } from '../auth/request-headers.js';
import type { Config } from '../config.js';
import type { OpenDatabase } from '../database/open.js';
import { createAdmission } from '../http/admission.js';
import type { Check } from '../http/readiness.js';
import type { TransportServices } from '../http/transport-services.js';
import { createRateLimits } from '../http/rate-limits.js';
import { openSharedLimits, redisCheck } from '../http/shared-limits.js';
import { createStreamLimits } from '../http/stream-limits.js';
import { createProcessMetrics } from '../telemetry/process-metrics.js';
import { version as programVersion } from './version.js';

/** The services that only HTTP needs, and the readiness checks that come with them. */
export type HttpServices = Pick<TransportServices, 'admission' | 'rateLimits' | 'streamLimits' | 'metrics' | 'http'> & {
  checks: readonly Check[];
};

export function createHttpServices(config: Config, database: OpenDatabase, log: Logger): HttpServices {
  const admission = createAdmission({
    inFlightMax: config.REQUESTS_IN_FLIGHT_MAX,
    waitingMax: config.REQUESTS_WAITING_MAX,
    waitMsMax: config.REQUEST_WAIT_MS_MAX,
  });
  const { version } = headerNames(config.SERVICE_NAME);
  return {
    admission,
    ...limitsOf(config, log),
    streamLimits: createStreamLimits(config.WATCHERS_PER_ACCOUNT_MAX),
    metrics: createProcessMetrics({
      version: programVersion,
      load: admission.load,
      shares: database.shares,
      slowSeconds: config.ACCESS_LOG_SLOW_MS / 1_000,
      replicaBehindSeconds: behindSecondsOf(database),
    }),
    http: {
      keepAliveMs: config.KEEP_ALIVE_MS,
      stalledMsMax: config.STALLED_MS_MAX,
      heartbeatMs: config.WATCH_HEARTBEAT_MS,
      cors: { origins: config.CORS_ORIGINS ?? [], read: [version] },
      accessLog: { choice: config.ACCESS_LOG, slowMs: config.ACCESS_LOG_SLOW_MS },
    },
  };
}

function behindSecondsOf({ replica }: OpenDatabase): (() => number | undefined) | undefined {
  if (replica === undefined) return undefined;
  return () => {
    const ms = replica.behindMs();
    return ms === undefined ? undefined : ms / 1_000;
  };
}

function limitsOf(config: Config, log: Logger): Pick<HttpServices, 'rateLimits' | 'checks'> {
  const limits = {
    requests: config.RATE_LIMIT_REQUESTS,
    cost: config.RATE_LIMIT_COST,
    usage_events: config.RATE_LIMIT_USAGE_EVENTS,
  };
  if (config.REDIS_URL === undefined) return { rateLimits: createRateLimits(limits), checks: [] };
  const shared = openSharedLimits(config.REDIS_URL, log);
  return { rateLimits: createRateLimits(limits, shared.make, shared.close), checks: [redisCheck(shared)] };
}
