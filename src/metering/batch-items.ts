// Batches items of a stream: full batches from a fast sender, small ones without delay from a slow sender. Pure.

export interface BatchLimits<Each> {
  /** The maximum number of items in a batch. */
  size: number;
  /** A batch ends when its total weight reaches this. */
  weightMax: number;
  weigh: (each: Each) => number;
  /** A batch that is not empty ends after this time without new items (ms). */
  idleMs: number;
  /** The timeout for the first item of a batch (ms). */
  emptyMsMax: number;
}

/** No item arrived within `emptyMsMax`. */
export class FirstItemTimeout extends Error {}

/**
 * Batches a stream. While a batch is processed, at most one more chunk is read.
 *
 * @throws {FirstItemTimeout}
 */
export async function* batchItems<Each>(
  chunks: AsyncIterable<readonly Each[]>,
  { size, weightMax, weigh, idleMs, emptyMsMax }: BatchLimits<Each>,
): AsyncGenerator<Each[]> {
  const iterator = chunks[Symbol.asyncIterator]();
  let batch: Each[] = [];
  let weight = 0;
  let emptySinceMs = performance.now();
  try {
    for (let next = iterator.next(); ;) {
      const timeoutMs = batch.length > 0 ? idleMs : emptyMsMax - (performance.now() - emptySinceMs);
      const chunk = await withTimeout(next, timeoutMs);
      if (chunk === undefined) {
        if (batch.length === 0) throw new FirstItemTimeout();
        yield batch;
        [batch, weight, emptySinceMs] = [[], 0, performance.now()];
        continue;
      }
      if (chunk.done === true) break;
      next = iterator.next();
      // The rejection is handled when this promise is awaited; until then it must not count as unhandled.
      next.catch(() => {});
      for (const each of chunk.value) {
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

/** Returns undefined after the timeout. */
async function withTimeout<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
