/**
 * The value of a field, such as `spec.runtime.memory`, in the recorded content of a change; undefined if it is not set. Names,
 * such as label keys, can contain dots: the longest match is used.
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
