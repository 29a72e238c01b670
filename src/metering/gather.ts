// What comes bit by bit, gathered into batches: as large as they may be from who sends much, and soon from who sends
// little. Pure.

export interface Gathering<Each> {
  /** The most that is handed on at once. */
  size: number;
  /** What is heavier together is handed on at once, too. */
  weightMax: number;
  weigh: (each: Each) => number;
  /** What is there is handed on when nothing more has come for so long. */
  idleMs: number;
  /** How long it may take until something comes. */
  emptyMsMax: number;
}

/** Nothing came for as long as it may take. */
export class NothingCame extends Error {}

/**
 * Gathers parts into batches. While one is worked on, at most one more part is read.
 *
 * @throws {NothingCame}
 */
export async function* gather<Each>(
  parts: AsyncIterable<readonly Each[]>,
  { size, weightMax, weigh, idleMs, emptyMsMax }: Gathering<Each>,
): AsyncGenerator<Each[]> {
  const iterator = parts[Symbol.asyncIterator]();
  let batch: Each[] = [];
  let weight = 0;
  let emptySinceMs = performance.now();
  try {
    for (let next = iterator.next(); ;) {
      const patienceMs = batch.length > 0 ? idleMs : emptyMsMax - (performance.now() - emptySinceMs);
      const part = await within(next, patienceMs);
      if (part === undefined) {
        if (batch.length === 0) throw new NothingCame();
        yield batch;
        [batch, weight, emptySinceMs] = [[], 0, performance.now()];
        continue;
      }
      if (part.done === true) break;
      next = iterator.next();
      // Whoever is asked next may wait for this one meanwhile.
      next.catch(() => {});
      for (const each of part.value) {
        batch.push(each);
        weight += weigh(each);
        if (batch.length < size && weight < weightMax) continue;
        yield batch;
        [batch, weight, emptySinceMs] = [[], 0, performance.now()];
      }
    }
    if (batch.length > 0) yield batch;
  } finally {
    void iterator.return?.().catch(() => {});
  }
}

/** Nothing when it takes longer. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
