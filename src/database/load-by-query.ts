/**
 * Batches the keys of a loader by query, and loads each query's keys together. The values are in the order of the keys.
 */
export async function loadByQuery<Key, Value>(
  keys: readonly Key[],
  queryOf: (key: Key) => string,
  none: Value,
  load: (same: Key[]) => Promise<Value[]>,
): Promise<Value[]> {
  const groups = new Map<string, Key[]>();
  for (const key of keys) {
    const query = queryOf(key);
    const group = groups.get(query);
    if (group === undefined) groups.set(query, [key]);
    else group.push(key);
  }
  const values = new Map<Key, Value>();
  await Promise.all(
    Array.from(groups.values(), async (same) => {
      const found = await load(same);
      same.forEach((key, index) => values.set(key, found[index] ?? none));
    }),
  );
  return keys.map((key) => values.get(key) ?? none);
}
