// Runs an action on many items, a few at a time, with progress, failures and a way to stop.

export interface Progress<Item> {
  done: readonly Item[];
  failed: readonly { item: Item; why: string }[];
  /** Whether all items were tried or the run was stopped. */
  isOver: boolean;
}

const concurrency = 4;

/**
 * @param act returns an error message, or undefined on success.
 * @param signal stops the run: started items finish, no more are started.
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
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  progress = { ...progress, isOver: true };
  onProgress(progress);
  return progress;
}
