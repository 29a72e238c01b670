import type { StoredEvent } from './usage-insertion.js';
import { haveCommon, chunkMax } from './usage-chunk.js';

/** Events that are read and inserted together. */
export interface Chunk {
  /** Events by account, sorted by identity. */
  sorted: ReadonlyMap<string, readonly StoredEvent[]>;
}

/**
 * Reads chunks and records them, two at a time, so that neither the database nor this process idles. A chunk waits for
 * the previous one when they share an event or come near a bound, because their order then matters.
 */
export async function recordChunks<Read extends Chunk>(
  count: number,
  read: (from: number) => Promise<Read>,
  isSmall: (chunk: Read) => boolean,
  record: (chunk: Read) => Promise<void>,
): Promise<void> {
  let before: Promise<void> = Promise.resolve();
  let last = { done: before, sorted: noEvents, isSmall: true };
  try {
    for (let from = 0; from < count; from += chunkMax) {
      const chunk = await read(from);
      await before;
      const isIndependent = last.isSmall && isSmall(chunk) && !shareEvents(last.sorted, chunk.sorted);
      if (!isIndependent) await last.done;
      before = last.done;
      last = { done: record(chunk), sorted: chunk.sorted, isSmall: isSmall(chunk) };
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

const noEvents: Chunk['sorted'] = new Map();

function shareEvents(some: Chunk['sorted'], others: Chunk['sorted']): boolean {
  for (const [accountId, events] of some) if (haveCommon(events, others.get(accountId) ?? [])) return true;
  return false;
}
