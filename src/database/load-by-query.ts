/**
 * Batches the keys of a loader by query, and loads each query's keys together. The values are in the order of the keys.
 *
 * @param load returns a value for each key of one query, in their order.
 */
export async function loadByQuery<Key, Value>(
  keys: readonly Key[],
  queryOf: (key: Key) => string,
  load: (same: Key[]) => Promise<Value[]>,
): Promise<Value[]> {
  const groups = new Map<string, { key: Key; place: number }[]>();
  for (const [place, key] of keys.entries()) {
    const query = queryOf(key);
    const group = groups.get(query);
    if (group === undefined) groups.set(query, [{ key, place }]);
    else group.push({ key, place });
  }
  const values: Value[] = [];
  await Promise.all(
    Array.from(groups.values(), async (same) => {
      const found = await load(same.map(({ key }) => key));
      if (found.length !== same.length) throw new Error('a query has no value for one of its keys');
      for (const [index, value] of found.entries()) values[same[index]?.place ?? 0] = value;
    }),
  );
  return values;
}
