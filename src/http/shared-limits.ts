// Rate limits that all processes share, counted in Redis. While Redis is unreachable or does not answer, each process
// counts by itself, so that an unresponsive Redis delays one batch of requests and not every request.
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { inMemory } from './rate-limits.js';
import type { LimiterFactory } from './rate-limits.js';
import type { Check } from './readiness.js';

const commandMsMax = 250;
const probeIntervalMs = 1_000;

export interface SharedLimits {
  make: LimiterFactory;
  /** Resolves when Redis is connected for the first time; until then each process counts by itself. */
  ready: Promise<void>;
  isThere: () => boolean;
  close: () => void;
}

/** Connects in the background. */
export function openSharedLimits(url: string, log: Logger): SharedLimits {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: commandMsMax });
  let isAnswering = false;
  let wasReported = false;
  let reason: unknown;
  let probe: NodeJS.Timeout | undefined;
  const leave = (error: unknown): void => {
    isAnswering = false;
    if (!wasReported) log.warn({ err: error }, 'Redis does not respond; this process counts rate limits by itself');
    wasReported = true;
    probe ??= setInterval(() => void ping(), probeIntervalMs).unref();
  };
  const comeBack = (): void => {
    clearInterval(probe);
    probe = undefined;
    isAnswering = true;
    if (wasReported) log.info('Redis responds again; rate limits are counted for all processes together');
    wasReported = false;
  };
  const ping = async (): Promise<void> => {
    try {
      await redis.ping();
      comeBack();
    } catch (error) {
      reason = error;
    }
  };
  redis.on('error', (error) => {
    reason = error;
  });
  redis.on('close', () => leave(reason));
  redis.on('ready', comeBack);
  return {
    ready: new Promise<void>((resolve) => redis.once('ready', () => resolve())),
    isThere: () => isAnswering,
    make: (options) => {
      const shared = new RateLimiterRedis({ ...options, storeClient: redis });
      const local = inMemory(options);
      return {
        points: options.points,
        consume: async (key, amount) => {
          if (!isAnswering) return local.consume(key, amount);
          try {
            return await shared.consume(key, amount);
          } catch (error) {
            if (error instanceof RateLimiterRes) throw error;
            leave(error);
            return local.consume(key, amount);
          }
        },
      };
    },
    close: () => {
      wasReported = true;
      redis.disconnect();
      clearInterval(probe);
    },
  };
}

/** Warns if Redis does not respond. The process stays ready, and counts rate limits by itself. */
export function redisCheck({ isThere }: SharedLimits): Check {
  return {
    name: 'redis',
    look: () =>
      isThere() ? undefined : { reason: 'no response, so each process counts rate limits by itself', stops: false },
  };
}
