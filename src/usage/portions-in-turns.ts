import { portionMax } from './usage-portion.js';

/** Events that are read and inserted together. */
export interface Portion {
  /** Of the events, whatever their source. */
  ids: Set<string>;
}

/**
 * Reads portions and records them: two at a time, so that neither the database nor this process waits for the other. But
 * where the order counts one waits for the one before: where they have an id in common, or come near a bound.
 */
export async function inTurns<Read extends Portion>(
  count: number,
  read: (from: number) => Promise<Read>,
  isSmall: (portion: Read) => boolean,
  record: (portion: Read) => Promise<void>,
): Promise<void> {
  let before: Promise<void> = Promise.resolve();
  let last = { done: before, ids: new Set<string>(), isSmall: true };
  try {
    for (let from = 0; from < count; from += portionMax) {
      const portion = await read(from);
      await before;
      const isOneOfTwo = last.isSmall && isSmall(portion) && !hasAny(last.ids, portion.ids);
      if (!isOneOfTwo) await last.done;
      before = last.done;
      last = { done: record(portion), ids: portion.ids, isSmall: isSmall(portion) };
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

function hasAny(ids: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const id of others) if (ids.has(id)) return true;
  return false;
}
