/** The maximum number of concurrent requests: enough to hide the latency, and few enough not to burden the gateway. */
const atOnce = 8;

/**
 * Processes items, several at once. After a failure or an interrupt no further item is started, and items in progress
 * finish.
 *
 * @param done is called with the results in the order of the items, each as soon as it and those before it are known;
 *   after a failure with the available ones.
 * @throws the first failure, after that.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
  done: (result: Result) => void,
  interrupted?: AbortSignal,
): Promise<void> {
  const results = new Map<number, { result: Result }>();
  const failures: unknown[] = [];
  const queue = items.entries();
  let next = 0;
  const passOn = () => {
    for (let known = results.get(next); known !== undefined; known = results.get(next)) {
      results.delete(next++);
      done(known.result);
    }
  };
  const work = async () => {
    for (const [index, item] of queue) {
      if (failures.length > 0 || interrupted?.aborted === true) return;
      try {
        results.set(index, { result: await act(item) });
        passOn();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  for (const [, { result }] of [...results].toSorted(([first], [second]) => first - second)) done(result);
  if (failures.length > 0) throw failures[0];
}
