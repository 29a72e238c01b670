// The differences between two versions of a resource, field by field.
import { isMap } from './shape-document.js';
import type { Value, Values } from './shape-document.js';

/** A differing field; undefined if it is missing. */
export interface Difference {
  /** `spec.runtime.memory`, `spec.volumes[0].mountPath`. */
  path: string;
  before: Value | undefined;
  after: Value | undefined;
}

/** The differing fields. Maps are compared field by field, and lists of the same length item by item. */
export function differencesOf(before: Value | undefined, after: Value | undefined, path = ''): Difference[] {
  if (isFields(before) && isFields(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differencesOf(valueOf(before, name), valueOf(after, name), path === '' ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((each, index) => differencesOf(each, after[index], `${path}[${index}]`));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

/** Labels can have keys that every object inherits, such as `constructor`. */
function valueOf(fields: Values, name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isFields(value: Value | undefined): value is Values {
  return isMap(value);
}
