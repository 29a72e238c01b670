import type { StoredEvent } from './usage-insertion.js';
import { haveCommon, portionMax } from './usage-portion.js';

/** Events that are read and inserted together. */
export interface Portion {
  /** Events by account, sorted by identity. */
  sorted: ReadonlyMap<string, readonly StoredEvent[]>;
}

/**
 * Reads chunks and records them, two at a time, so that neither the database nor this process idles. A chunk waits for
 * the previous one when they share an event or come near a bound, because their order then matters.
 */
export async function inTurns<Read extends Portion>(
  count: number,
  read: (from: number) => Promise<Read>,
  isSmall: (portion: Read) => boolean,
  record: (portion: Read) => Promise<void>,
): Promise<void> {
  let before: Promise<void> = Promise.resolve();
  let last = { done: before, sorted: nothing, isSmall: true };
  try {
    for (let from = 0; from < count; from += portionMax) {
      const portion = await read(from);
      await before;
      const isOneOfTwo = last.isSmall && isSmall(portion) && !overlap(last.sorted, portion.sorted);
      if (!isOneOfTwo) await last.done;
      before = last.done;
      last = { done: record(portion), sorted: portion.sorted, isSmall: isSmall(portion) };
      // Awaited by a later iteration.
      last.done.catch(() => {});
    }
    await before;
    await last.done;
  } finally {
    // Leave nothing running after a failure is reported.
    await Promise.allSettled([before, last.done]);
  }
}

const nothing: Portion['sorted'] = new Map();

function overlap(some: Portion['sorted'], others: Portion['sorted']): boolean {
  for (const [accountId, events] of some) if (haveCommon(events, others.get(accountId) ?? [])) return true;
  return false;
}
