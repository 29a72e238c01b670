/** The maximum number of concurrent requests: enough to hide the latency, and few enough not to burden the gateway. */
const atOnce = 8;

/**
 * Processes items, several at once. After a failure no further item is started, and items in progress finish.
 *
 * @param done is called with the results in the order of the items; after a failure with the available ones.
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
