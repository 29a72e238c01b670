// Limits the number of concurrent streams of an account in one process, because each of them keeps a connection open.
import type { ServerResponse } from 'node:http';
import { tooManyRequests } from '../errors.js';
import type { Applicant } from '../database/fair-queue.js';
import { requirePresent } from './exchange.js';

export interface StreamLimits {
  /**
   * Counts a stream until its response ends.
   *
   * @throws 429 `too_many_requests` if the account has reached its limit; also if the response is over.
   */
  take: (applicant: Pick<Applicant, 'account'>, response: ServerResponse) => void;
}

const retryAfterSeconds = 10;

export function createStreamLimits(perAccountMax: number): StreamLimits {
  const counts = new Map<string, number>();
  return {
    take: ({ account }, response) => {
      requirePresent({ response });
      const before = counts.get(account) ?? 0;
      if (before >= perAccountMax) {
        throw tooManyRequests(
          `The account has ${before} open subscriptions, which is the maximum. Close one first.`,
          retryAfterSeconds,
          { limit: perAccountMax, actual: before + 1 },
        );
      }
      counts.set(account, before + 1);
      response.once('close', () => {
        const remaining = (counts.get(account) ?? 1) - 1;
        if (remaining === 0) counts.delete(account);
        else counts.set(account, remaining);
      });
    },
  };
}
