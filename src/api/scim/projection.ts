// Which attributes a response has (RFC 7644, section 3.9).
import { isDocument } from './documents.js';
import type { Document } from './documents.js';
import { parsePath } from './filter-parser.js';
import { invalidValue } from './scim-error.js';

/** Attributes by their paths in lower case. */
export interface Projection {
  only: ReadonlySet<string> | undefined;
  without: ReadonlySet<string>;
}

/** What every response has. */
const always = ['schemas', 'id'];

/** @throws {ScimError} 400 `invalidValue` for both parameters; `invalidPath` */
export function projectionOf(attributes: unknown, excluded: unknown): Projection {
  const only = pathsIn(attributes);
  const without = pathsIn(excluded);
  if (only.length > 0 && without.length > 0)
    throw invalidValue('attributes and excludedAttributes cannot be combined.');
  return { only: only.length === 0 ? undefined : new Set(only), without: new Set(without) };
}

/** A list separated by commas, as a query has it, or a list of texts, as the body of a search has it. */
function pathsIn(value: unknown): string[] {
  if (value === undefined) return [];
  const names: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
  return names.flatMap((name) => {
    if (typeof name !== 'string') throw invalidValue('attributes must be names of attributes.');
    return name.trim() === '' ? [] : [parsePath(name.trim()).path.toLowerCase()];
  });
}

/** Whether a response has an attribute of a resource. */
export function isProjected({ only, without }: Projection, name: string): boolean {
  const lower = name.toLowerCase();
  if (always.includes(lower)) return true;
  if (only === undefined) return !without.has(lower);
  return [...only].some((path) => path === lower || path.startsWith(`${lower}.`));
}

/** A resource with the attributes of the projection. */
export function project(resource: Document, projection: Projection): Document {
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => isProjected(projection, name))
      .map(([name, value]) => [name, projectedValue(name.toLowerCase(), value, projection)]),
  );
}

function projectedValue(name: string, value: unknown, projection: Projection): unknown {
  const { only, without } = projection;
  const isWhole =
    only === undefined
      ? ![...without].some((path) => path.startsWith(`${name}.`))
      : only.has(name) || always.includes(name);
  if (isWhole) return value;
  const part = (each: unknown): unknown =>
    isDocument(each)
      ? Object.fromEntries(
          Object.entries(each).filter(([sub]) => {
            const path = `${name}.${sub.toLowerCase()}`;
            return only === undefined ? !without.has(path) : only.has(path);
          }),
        )
      : each;
  return Array.isArray(value) ? value.map(part) : part(value);
}
