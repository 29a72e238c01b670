import type { CombinedError } from '@urql/core';
import { failureFrom, isUnreachable } from './failure.js';

/** An object as it is now, or the reason why it cannot be read. */
export type Reading<Found> = { found: Found; why?: undefined } | { found?: undefined; why: string };

/**
 * @param one what is read, such as `agent`
 * @param found undefined if the answer does not contain it
 */
export function readingOf<Found>(
  one: string,
  found: Found | null | undefined,
  error: CombinedError | undefined,
): Reading<Found> {
  if (error !== undefined) return { why: unreadReason(error) };
  return found == null ? { why: `The ${one} was deleted.` } : { found };
}

/** Why something could not be read that is not retried automatically. */
export function unreadReason(error: CombinedError): string {
  return isUnreachable(error) ? 'The service did not respond.' : failureFrom(error).message;
}
