import type { Statements } from '../database/transaction.js';
import { SeriesCache } from './usage-series.js';

declare module '../auth/context.js' {
  interface ProcessServices {
    usageMemory: UsageMemory;
  }
}

/**
 * The maximum number of events rolled up by one statement, unless a single batch has more. It takes about a second:
 * concurrent requests wait for it, and it must finish before lock timeouts.
 */
const rollupEventsMax = 100_000;
const rollupEventsMin = 1_000;

/** Everything that a process remembers of the usage in its database. */
export class UsageMemory {
  /** The accounts whose sums were far from their bounds at the last insertion. */
  readonly accountsWithHeadroom = new Set<string>();
  readonly #db: Statements;
  readonly #series = new SeriesCache();
  #rollupEvents = rollupEventsMax;

  constructor(db: Statements) {
    this.#db = db;
  }

  /** The series to use in a database or a transaction. A transaction has its own, because it can be rolled back. */
  seriesIn(db: Statements): SeriesCache {
    return db === this.#db ? this.#series : new SeriesCache();
  }

  /** The present maximum number of events of a rollup. */
  get rollupEvents(): number {
    return this.#rollupEvents;
  }

  /** Raises the maximum after a rollup, and reduces it after one that timed out. */
  adjustRollupEvents(change: 'raise' | 'reduce'): void {
    this.#rollupEvents =
      change === 'raise'
        ? Math.min(rollupEventsMax, Math.ceil(1.25 * this.#rollupEvents))
        : Math.max(rollupEventsMin, Math.floor(this.#rollupEvents / 4));
  }
}
