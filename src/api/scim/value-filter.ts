import type { Filter } from '../../accounts/provisioning/filter.js';
import { quoted } from '../../errors.js';
import { ScimError } from './scim-error.js';
import { attributeOf, booleanValue } from './documents.js';
import type { Document } from './documents.js';

/**
 * Whether a value of an attribute matches the filter of a path, such as `type eq "work"`. Texts ignore upper and lower case.
 * Entra ID sends booleans as texts, too.
 *
 * @throws {ScimError} 400 `invalidFilter` for an operator that does not fit the value.
 */
export function matches(filter: Filter, value: Document): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((each) => matches(each, value));
    case 'or':
      return filter.filters.some((each) => matches(each, value));
    case 'not':
      return !matches(filter.filter, value);
    case 'values':
      throw new ScimError(400, 'invalidFilter', 'A filter of values cannot have another one in it.');
    case 'present':
      return attributeOf(value, filter.path) !== undefined;
    default:
      return compares(filter, attributeOf(value, filter.path));
  }
}

/** @throws {ScimError} 400 `invalidFilter` for a filter that names another attribute, which a list refuses, too. */
export function requireAttributes(filter: Filter, names: readonly string[]): void {
  switch (filter.type) {
    case 'and':
    case 'or':
      for (const each of filter.filters) requireAttributes(each, names);
      return;
    case 'not':
      requireAttributes(filter.filter, names);
      return;
    default:
      if (filter.type === 'values' || !names.includes(filter.path.toLowerCase()))
        throw new ScimError(400, 'invalidFilter', `The filter names the unknown attribute ${quoted(filter.path)}.`);
  }
}

function compares({ operator, value, path }: Extract<Filter, { type: 'compare' }>, actual: unknown): boolean {
  const wanted = typeof value === 'string' ? value.toLowerCase() : value;
  const given = typeof actual === 'string' ? actual.toLowerCase() : (actual ?? null);
  if (operator === 'eq') return booleanValue(given) === booleanValue(wanted);
  if (operator === 'ne') return booleanValue(given) !== booleanValue(wanted);
  if (typeof wanted !== 'string')
    throw new ScimError(400, 'invalidFilter', `The filter cannot compare ${path} by ${operator}.`);
  if (typeof given !== 'string') return false;
  switch (operator) {
    case 'co':
      return given.includes(wanted);
    case 'sw':
      return given.startsWith(wanted);
    case 'ew':
      return given.endsWith(wanted);
    case 'gt':
      return given > wanted;
    case 'ge':
      return given >= wanted;
    case 'lt':
      return given < wanted;
    default:
      return given <= wanted;
  }
}
