import type { StoredEvent } from './usage-insertion.js';
import { haveCommon, portionMax } from './usage-portion.js';

/** Events that are read and inserted together. */
export interface Portion {
  /** Of each account, in the order of their identities. */
  sorted: ReadonlyMap<string, readonly StoredEvent[]>;
}

/**
 * Reads portions and records them: two at a time, so that neither the database nor this process waits for the other. But
 * where the order counts one waits for the one before: where they have an event in common, or come near a bound.
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
      // It is waited for later.
      last.done.catch(() => {});
    }
    await before;
    await last.done;
  } finally {
    // Nothing goes on behind who is told of a failure.
    await Promise.allSettled([before, last.done]);
  }
}

const nothing: Portion['sorted'] = new Map();

function overlap(some: Portion['sorted'], others: Portion['sorted']): boolean {
  for (const [accountId, events] of some) if (haveCommon(events, others.get(accountId) ?? [])) return true;
  return false;
}
