// Limits that hold for all processes together, counted in Redis. When Redis is away each process counts by itself.
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { inMemory } from './rate-limits.js';
import type { LimiterFactory } from './rate-limits.js';
import type { Check } from './readiness.js';

const commandMsMax = 250;

export interface SharedLimits {
  make: LimiterFactory;
  /** Told when Redis is there for the first time; until then each process counts by itself. */
  ready: Promise<void>;
  isThere: () => boolean;
  close: () => void;
}

/** Connects in the background; nothing waits for it. */
export function openSharedLimits(url: string, log: Logger): SharedLimits {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: commandMsMax });
  let isAway = false;
  let reason: Error | undefined;
  redis.on('error', (error) => {
    reason = error;
  });
  redis.on('close', () => {
    if (!isAway) log.warn({ err: reason }, 'Redis is away: each process limits rates by itself');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('Redis is back: rates are limited for all processes together');
    isAway = false;
  });
  const ready = new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  return {
    ready,
    isThere: () => redis.status === 'ready',
    make: (options) => new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: inMemory(options) }),
    close: () => {
      isAway = true;
      redis.disconnect();
    },
  };
}

/** Without Redis rates are limited all the same, for each process by itself. */
export function redisCheck({ isThere }: SharedLimits): Check {
  return {
    name: 'redis',
    look: () => (isThere() ? undefined : { reason: 'away; each process limits rates by itself', stops: false }),
  };
}
