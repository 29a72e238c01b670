/**
 * The value of a field, such as `spec.runtime.memory`, of a resource as a change keeps it; undefined where it has none. A
 * name may hold dots itself, as those of labels do: the longest that there is counts.
 */
export function valueAt(holder: unknown, path: string): unknown {
  if (path === '') return holder;
  if (typeof holder !== 'object' || holder === null) return undefined;
  const names = path.split('.');
  for (let length = names.length; length > 0; length--) {
    const name = names.slice(0, length).join('.');
    const entry = Object.entries(holder).find(([key]) => key === name);
    if (entry !== undefined) return valueAt(entry[1], names.slice(length).join('.'));
  }
  return undefined;
}
