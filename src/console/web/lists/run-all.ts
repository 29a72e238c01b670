// The same done to many, a few at a time: how far it is, what failed and why, and a way to stop.

export interface Progress<Item> {
  done: readonly Item[];
  failed: readonly { item: Item; why: string }[];
  /** Whether all were tried, or it was stopped. */
  isOver: boolean;
}

const atOnce = 4;

/**
 * @param act gives why it failed, for people; undefined when it did not.
 * @param signal stops it: what has begun is finished, nothing more is begun.
 */
export async function runAll<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<string | undefined>,
  onProgress: (progress: Progress<Item>) => void,
  signal?: AbortSignal,
): Promise<Progress<Item>> {
  let progress: Progress<Item> = { done: [], failed: [], isOver: items.length === 0 };
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) {
      const why = await act(item);
      progress =
        why === undefined
          ? { ...progress, done: [...progress.done, item] }
          : { ...progress, failed: [...progress.failed, { item, why }] };
      onProgress(progress);
      if (signal?.aborted === true) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  progress = { ...progress, isOver: true };
  onProgress(progress);
  return progress;
}
