import type { CheckedFilter, Comparison, Condition } from '../../accounts/provisioning/filter.js';
import { foldCase } from '../../pagination/page.js';
import { attributeOf, booleanValue } from './documents.js';
import type { Document } from './documents.js';

/** Returns whether a value matches the filter of a path, such as `type eq "work"`. The SQL of lists matches the same values. */
export function matches(filter: CheckedFilter, value: Document): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((each) => matches(each, value));
    case 'or':
      return filter.filters.some((each) => matches(each, value));
    case 'not':
      return !matches(filter.filter, value);
    case 'any':
    case 'time':
      throw new TypeError('Values of an attribute have neither times nor several values of their own.');
    default:
      return holds(filter, attributeOf(value, filter.name));
  }
}

function holds(condition: Exclude<Condition, { type: 'time' }>, actual: unknown): boolean {
  switch (condition.type) {
    case 'present':
      return (actual !== undefined) === condition.isPresent;
    case 'boolean':
      return (booleanValue(actual) === condition.value) === (condition.operator === 'eq');
    default: {
      if (typeof actual !== 'string') return condition.operator === 'ne';
      const fold = condition.type === 'exact' ? String : foldCase;
      return compares(fold(actual), condition.operator, fold(condition.value));
    }
  }
}

function compares(given: string, operator: Comparison, wanted: string): boolean {
  switch (operator) {
    case 'eq':
      return given === wanted;
    case 'ne':
      return given !== wanted;
    case 'co':
      return given.includes(wanted);
    case 'sw':
      return given.startsWith(wanted);
    case 'ew':
      return given.endsWith(wanted);
    default:
      return isInOrder(Buffer.compare(Buffer.from(given), Buffer.from(wanted)), operator);
  }
}

/** @param order of the bytes, as the database compares. */
function isInOrder(order: number, operator: 'gt' | 'ge' | 'lt' | 'le'): boolean {
  if (order === 0) return operator === 'ge' || operator === 'le';
  return order > 0 ? operator === 'gt' || operator === 'ge' : operator === 'lt' || operator === 'le';
}
