import type { RequestContext } from '../auth/context.js';
import { SeriesCache } from './usage-series.js';

/** The context of requests that record or read usage. */
export interface UsageContext extends RequestContext {
  usageMemory: UsageMemory;
}

/**
 * The maximum number of events rolled up by one statement, unless a single batch has more. It takes about a second:
 * concurrent requests wait for it, and it must finish before lock timeouts.
 */
const rollupEventsMax = 100_000;
const rollupEventsMin = 1_000;

/** Everything that a process remembers of the usage in its database. */
export class UsageMemory {
  /** Series that are committed. In a transaction, which can be rolled back, use another cache. */
  readonly series = new SeriesCache();
  #rollupEvents = rollupEventsMax;

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
