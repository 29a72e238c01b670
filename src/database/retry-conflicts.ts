import { setTimeout as delay } from 'node:timers/promises';
import { isTransactionConflict } from './failures.js';

/** How often a transaction is tried. */
const triesMax = 4;

/** The longest pause before the second try (ms); it doubles with each try. */
const pauseMsMax = 20;

/**
 * Runs a transaction, and runs it again after a deadlock, a serialization failure, or a row that was deleted after it had been
 * read: it is then rolled back.
 * Random pauses keep transactions that met once from meeting again.
 *
 * @param run runs the whole transaction.
 * @throws the last conflict, and any other error at once.
 */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await run();
    } catch (error) {
      if (tried === triesMax || !isTransactionConflict(error)) throw error;
      await delay(Math.random() * pauseMsMax * 2 ** (tried - 1));
    }
  }
}
