/** How many failures an error keeps: each has a stack, and all of them are logged. */
const keptMax = 10;

/**
 * Handles items one after the other. The failure of one, such as a locked row, does not stop the others.
 *
 * @param options.stopping leaves out the remaining items.
 * @param options.message the message of the error, by the number of failures.
 * @throws {AggregateError} the first failures, after all items were tried.
 */
export async function tryEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  act: (item: Item) => Promise<unknown>,
  { stopping, message }: { stopping?: AbortSignal | undefined; message?: (failed: number) => string } = {},
): Promise<void> {
  const failures: unknown[] = [];
  let tried = 0;
  let failed = 0;
  for await (const item of items) {
    if (stopping?.aborted === true) break;
    tried += 1;
    try {
      await act(item);
    } catch (error) {
      failed += 1;
      if (failures.length < keptMax) failures.push(error);
    }
  }
  if (failed > 0) throw new AggregateError(failures, message?.(failed) ?? `${failed} of ${tried} failed`);
}
