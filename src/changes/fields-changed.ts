/**
 * The paths at which two values differ in their JSON form: `spec.runtime.memory`. Lists are compared as a whole, as an
 * update replaces them. Undefined counts as absent.
 *
 * @returns paths in the order of the first value, then of the second; empty if the values are equal.
 */
export function fieldsChanged(before: object, after: object): string[] {
  return differences('', before, after);
}

function differences(path: string, before: unknown, after: unknown): string[] {
  if (!isBranch(before) || !isBranch(after)) return isSame(before, after) ? [] : [path];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differences(joined(path, name), before[name], after[name]));
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((each, index) => isSame(each, after[index]));
  }
  if (isBranch(before) && isBranch(after)) return differences('', before, after).length === 0;
  return before === after;
}

/** A name that is not an identifier, such as the key of a label, is written in brackets: `metadata.labels["a.b"]`. */
function joined(path: string, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
