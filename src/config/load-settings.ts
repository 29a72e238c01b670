import { z } from 'zod';
import { commaList, wholeNumber } from './setting-forms.js';

/** How much is taken at once, and of whom. */
export const loadSettings = {
  REQUESTS_IN_FLIGHT_MAX: wholeNumber(1, 100_000)
    .default(16)
    .describe('Requests that a process works on at the same time; more than that wait their turn.'),
  REQUESTS_WAITING_MAX: wholeNumber(0, 1_000_000)
    .default(1000)
    .describe('Requests that wait their turn; more than that are answered 503 at once.'),
  REQUEST_WAIT_MS_MAX: wholeNumber(1, 600_000)
    .default(700)
    .describe('How long a request waits its turn before it is answered 503, in milliseconds.'),
  KEEP_ALIVE_MS: wholeNumber(0, 3_600_000)
    .default(75_000)
    .describe(
      'How long a connection without a request is kept, in milliseconds: longer than a load balancer keeps it.',
    ),
  STALLED_MS_MAX: wholeNumber(1_000, 3_600_000)
    .default(60_000)
    .describe(
      'How long a connection is kept on which nothing moves, such as one whose client does not read, in milliseconds.',
    ),
  RATE_LIMIT_REQUESTS: wholeNumber(0, 999_999_999)
    .default(600_000)
    .describe('Requests of one credential in a minute; an account has four times as many. 0 is without a limit.'),
  RATE_LIMIT_COST: wholeNumber(0, 999_999_999)
    .default(500_000_000)
    .describe(
      'Cost of GraphQL operations of one credential in a minute; an account has four times as much. 0: no limit.',
    ),
  RATE_LIMIT_USAGE_EVENTS: wholeNumber(0, 999_999_999)
    .default(10_000_000)
    .describe('Usage events of one credential in a minute; an account has four times as many. 0 is without a limit.'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe(
      'Where rates are counted for all processes together. Without it, or while it is away, each counts its own.',
    ),
  CORS_ORIGINS: commaList
    .pipe(
      z.array(
        z
          .string()
          .regex(/^(\*|https?:\/\/[^/\s]+)$/, 'must be origins such as https://dash.example.com, separated by commas'),
      ),
    )
    .optional()
    .describe('Origins whose pages may call this service from a browser, separated by commas; * is any.'),
};
