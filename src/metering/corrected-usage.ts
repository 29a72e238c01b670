// The results of usage corrections, and their records in the change log.
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { CorrectionRecord, EventIdentity } from './adjustment-statements.js';
import { costDigits, decimalFromUnits } from './amounts.js';
import type { CorrectionResult } from './correction-result.js';

/** The maximum number of identities listed in a change of the change log, which also has the total. */
export const namedMax = 100;

/** The result of a correction. */
export interface CorrectedUsage {
  /** The number of changed events. */
  count: number;
  /** A result for each event: in the order of the input, or newest first for a filter. */
  results: CorrectionResult[];
  /** The cost of the changed events before and after (USD). */
  costBefore: string;
  costAfter: string;
}

export const nothingCorrected: CorrectedUsage = { count: 0, results: [], costBefore: '0', costAfter: '0' };

export function recordOf({ caller, ctx }: AuthorizedAccount, reason: string): CorrectionRecord {
  return { by: caller.principal.name, at: ctx.now(), reason };
}

export function identitiesAt(events: readonly EventIdentity[], orders: readonly number[]): EventIdentity[] {
  return orders
    .toSorted((one, other) => one - other)
    .flatMap((order) => {
      const event = events[order - 1];
      return event === undefined ? [] : [{ source: event.source, id: event.id }];
    });
}

export function usd(nanoUsd: string): string {
  return decimalFromUnits(BigInt(nanoUsd), costDigits);
}

export function eventsText(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}
