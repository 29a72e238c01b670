import { z } from 'zod';
import { commaList, wholeNumber } from './setting-forms.js';

/** Limits of requests and connections, rate limits, and allowed origins. */
export const loadSettings = {
  REQUESTS_IN_FLIGHT_MAX: wholeNumber(1, 100_000)
    .default(16)
    .describe('Maximum number of requests that a process executes at a time. Further requests wait in a queue.'),
  REQUESTS_WAITING_MAX: wholeNumber(0, 1_000_000)
    .default(1000)
    .describe('Maximum number of requests in the queue. Above it, requests get 503 immediately.'),
  REQUEST_WAIT_MS_MAX: wholeNumber(1, 600_000)
    .default(700)
    .describe('Maximum time that a request waits in the queue (ms). Above it, the request gets 503.'),
  KEEP_ALIVE_MS: wholeNumber(0, 3_600_000)
    .default(75_000)
    .describe(
      'Maximum time that a connection stays open without a request (ms). Set it above the idle timeout of your load ' +
        'balancer.',
    ),
  STALLED_MS_MAX: wholeNumber(1_000, 3_600_000)
    .default(60_000)
    .describe('Maximum time that a connection stays open without traffic, such as when its client does not read (ms).'),
  RATE_LIMIT_REQUESTS: wholeNumber(0, 999_999_999)
    .default(600_000)
    .describe(
      'Maximum requests of one credential in a minute. An account has four times as many. 0 disables the limit.',
    ),
  RATE_LIMIT_COST: wholeNumber(0, 999_999_999)
    .default(500_000_000)
    .describe(
      'Maximum cost of GraphQL operations of one credential in a minute. An account has four times as much. ' +
        '0 disables the limit.',
    ),
  RATE_LIMIT_USAGE_EVENTS: wholeNumber(0, 999_999_999)
    .default(10_000_000)
    .describe(
      'Maximum usage events of one credential in a minute. An account has four times as many. 0 disables the limit.',
    ),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL, such as redis://cache:6379' })
    .optional()
    .describe(
      'URL of Redis, which counts rate limits for all processes together. Without it, or if it does not respond, each ' +
        'process counts by itself.',
    ),
  CORS_ORIGINS: commaList
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^(\*|https?:\/\/[^/\s]+)$/,
            'must be * or origins such as https://dash.example.com, separated by commas',
          ),
      ),
    )
    .optional()
    .describe(
      'Origins of web pages that can call this service from a browser, with any headers, separated by commas. `*` allows any.',
    ),
};
