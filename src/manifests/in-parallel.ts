/** So many requests are under way at once: enough to hide the way to a gateway, too few to be a burden to it. */
const atOnce = 8;

/**
 * Acts on each item, several at once. After a failure no further item is begun, and what is under way comes to its end.
 *
 * @param done is told the results, in the order of the items; after a failure those that there are.
 * @throws the first failure, after that.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
  done: (result: Result) => void,
): Promise<void> {
  const results = new Map<number, Result>();
  const failures: unknown[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        results.set(index, await act(item));
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  for (const index of items.keys()) {
    const result = results.get(index);
    if (result !== undefined) done(result);
  }
  if (failures.length > 0) throw failures[0];
}
