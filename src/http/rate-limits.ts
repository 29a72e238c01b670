// Rate limits per minute, for each credential and each account: on requests, on the cost of GraphQL operations and on
// usage events. Counted in the memory of the process, or, with Redis, across all processes.
import type { ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { tooManyRequests } from '../errors.js';
import type { Applicant } from '../database/fair-queue.js';

const windowSeconds = 60;

/** The limit of an account as a multiple of a credential's limit. */
const accountShare = 4;

/** The limited quantities, with their names in errors. */
export const spendings = {
  requests: 'requests',
  cost: 'units of GraphQL cost',
  usage_events: 'usage events',
} as const;

export type Spending = keyof typeof spendings;

/** The limits of one credential per minute; 0 is unlimited. */
export type SpendingLimits = Record<Spending, number>;

export interface RateLimits {
  /**
   * Counts an amount before the work is done, and sets the rate limit headers of the response.
   *
   * @throws 429 `too_many_requests` with Retry-After if it exceeds the limit.
   */
  spend: (limit: Spending, amount: number, applicant: Applicant, response: ServerResponse) => Promise<void>;
  close: () => void;
}

type Limiter = Pick<RateLimiterAbstract, 'consume' | 'points'>;

/** Creates a counter of `points` per `duration` (s). The prefix separates it from other counters. */
export type LimiterFactory = (options: { keyPrefix: string; points: number; duration: number }) => Limiter;

export const inMemory: LimiterFactory = (options) => new RateLimiterMemory(options);

export function createRateLimits(
  limits: SpendingLimits,
  make: LimiterFactory = inMemory,
  close: () => void = () => {},
): RateLimits {
  const limiters = new Map(
    Object.entries(limits).flatMap(([limit, points]): [string, Counters][] => {
      if (points === 0) return [];
      const counter = (of: string, most: number) =>
        make({ keyPrefix: `wcp:${limit}:${of}`, points: most, duration: windowSeconds });
      return [
        [limit, { credential: counter('credential', points), account: counter('account', points * accountShare) }],
      ];
    }),
  );
  return {
    spend: async (limit, amount, applicant, response) => {
      const counters = limiters.get(limit);
      if (counters === undefined) return;
      const spent = await take(counters.credential, applicant.credential, amount);
      if (limit === 'requests') tell(response, counters.credential.points, spent);
      if (spent.isTooMuch) throw refusal(limit, 'credential', counters.credential.points, spent);
      const ofAccount = await take(counters.account, applicant.account, amount);
      if (ofAccount.isTooMuch) throw refusal(limit, 'account', counters.account.points, ofAccount);
    },
    close,
  };
}

interface Counters {
  credential: Limiter;
  account: Limiter;
}

interface Spent {
  isTooMuch: boolean;
  remaining: number;
  secondsLeft: number;
  /** The amount in this minute, with that of the request. */
  consumed: number;
}

async function take(limiter: Limiter, key: string, amount: number): Promise<Spent> {
  try {
    return spentOf(await limiter.consume(key, amount), false);
  } catch (error) {
    if (error instanceof RateLimiterRes) return spentOf(error, true);
    throw error;
  }
}

function spentOf({ remainingPoints, msBeforeNext, consumedPoints }: RateLimiterRes, isTooMuch: boolean): Spent {
  const secondsLeft = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return { isTooMuch, remaining: Math.max(0, remainingPoints), secondsLeft, consumed: consumedPoints };
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers: the policy and the remaining budget. */
function tell(response: ServerResponse, points: number, { remaining: left, secondsLeft }: Spent): void {
  response.setHeader('ratelimit-policy', `"requests";q=${points};w=${windowSeconds}`);
  response.setHeader('ratelimit', `"requests";r=${left};t=${secondsLeft}`);
}

function refusal(what: Spending, whose: 'credential' | 'account', points: number, { secondsLeft, consumed }: Spent) {
  const message = `Too many ${spendings[what]} of this ${whose} per minute (limit: ${points}). Retry after the time in Retry-After.`;
  return tooManyRequests(message, secondsLeft, { limit: points, actual: consumed });
}
