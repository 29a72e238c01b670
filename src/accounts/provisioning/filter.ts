// Filters of SCIM (RFC 7644, section 3.4.2.2): as a tree of what was sent, and checked against the attributes that they name.
// Lists print a checked filter as SQL (filter-sql.ts); PATCH evaluates it on the values of a user (api/scim/value-filter.ts).
import type { Prisma } from '../../database/client/client.js';
import { invalidParameter, quoted } from '../../errors.js';
import { dateOrTimeText } from '../../schema/time.js';

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;

export type Comparison = (typeof comparisons)[number];

/** Paths are names of attributes without the URN of a schema: `userName`, `name.familyName`, `emails`. */
export type Filter =
  | { type: 'and' | 'or'; filters: Filter[] }
  | { type: 'not'; filter: Filter }
  | { type: 'present'; path: string }
  | { type: 'compare'; path: string; operator: Comparison; value: string | number | boolean | null }
  /** A filter on the values of an attribute with several: `emails[type eq "work"]`. */
  | { type: 'values'; path: string; filter: Filter };

/**
 * An attribute that a filter can name. `text` ignores upper and lower case, and so does `name`, by the index of a name in lower
 * case; `exact` does not. A `complex` one has attributes of its own, and is only present or absent.
 */
export interface FilterAttribute {
  type: 'text' | 'name' | 'exact' | 'boolean' | 'time' | 'complex';
  sql: Prisma.Sql;
}

/** Attributes by their names in lower case. */
export type NamedAttributes = Readonly<Record<string, FilterAttribute>>;

/** An attribute with several values. A comparison of the attribute itself compares `value`. */
export interface FilterValues {
  /** The values as rows: what follows SELECT. */
  from: Prisma.Sql;
  /** The attributes of a value. */
  attributes: NamedAttributes;
}

/** What filters can name. */
export interface FilterAttributes {
  single: NamedAttributes;
  several: Readonly<Record<string, FilterValues>>;
}

export type CheckedFilter =
  | { type: 'and' | 'or'; filters: CheckedFilter[] }
  | { type: 'not'; filter: CheckedFilter }
  /** Whether the filter holds for any value of an attribute. */
  | { type: 'any'; values: FilterValues; filter: CheckedFilter }
  | Condition;

/** A condition of one attribute, with an operator and a value that fit its type. */
export type Condition =
  | { type: 'present'; name: string; sql: Prisma.Sql; isPresent: boolean }
  | { type: 'boolean'; name: string; sql: Prisma.Sql; operator: 'eq' | 'ne'; value: boolean }
  | { type: 'time'; name: string; sql: Prisma.Sql; operator: Exclude<Comparison, 'co' | 'sw' | 'ew'>; value: string }
  | { type: 'text' | 'name' | 'exact'; name: string; sql: Prisma.Sql; operator: Comparison; value: string };

/**
 * @throws 400 `invalid_parameter` with the field `filter` for an attribute that filters cannot name, and for a value or operator
 * that does not fit its type.
 */
export function checkFilter(filter: Filter, attributes: FilterAttributes): CheckedFilter {
  switch (filter.type) {
    case 'and':
    case 'or':
      return { type: filter.type, filters: filter.filters.map((each) => checkFilter(each, attributes)) };
    case 'not':
      return { type: 'not', filter: checkFilter(filter.filter, attributes) };
    case 'values': {
      const values = own(attributes.several, filter.path);
      if (values === undefined) throw invalidFilter(`cannot select values of ${quoted(filter.path)}`);
      return { type: 'any', values, filter: checkValueFilter(filter.filter, values.attributes) };
    }
    default: {
      const { path } = filter;
      const single = own(attributes.single, path);
      if (single !== undefined) return conditionOf(filter, path, single);
      const [name = '', sub = 'value', ...more] = path.split('.');
      const values = own(attributes.several, name);
      const attribute = values && own(values.attributes, sub);
      if (values === undefined || attribute === undefined || more.length > 0)
        throw invalidFilter(`cannot name the attribute ${quoted(path)}`);
      return { type: 'any', values, filter: conditionOf(filter, sub, attribute) };
    }
  }
}

/** Checks the filter of one value, as in `emails[type eq "work"]`. @throws 400 like checkFilter() */
export function checkValueFilter(filter: Filter, attributes: NamedAttributes): CheckedFilter {
  return checkFilter(filter, { single: attributes, several: {} });
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

type Atom = Extract<Filter, { type: 'present' | 'compare' }>;

function conditionOf(filter: Atom, name: string, { type, sql }: FilterAttribute): Condition {
  if (filter.type === 'present') return { type: 'present', name, sql, isPresent: true };
  const { path, operator, value } = filter;
  const cannotCompare = () => invalidFilter(`cannot compare ${path} with ${quoted(value)} by ${operator}`);
  if (value === null) {
    if (operator !== 'eq' && operator !== 'ne') throw cannotCompare();
    return { type: 'present', name, sql, isPresent: operator === 'ne' };
  }
  switch (type) {
    case 'complex':
      throw invalidFilter(`must compare an attribute of ${path}, as in ${path}.familyName`);
    case 'boolean': {
      // Entra ID sends booleans as texts, too.
      const text = String(value).toLowerCase();
      if (text !== 'true' && text !== 'false') throw invalidFilter(`must compare ${path} with true or false`);
      if (operator !== 'eq' && operator !== 'ne') throw cannotCompare();
      return { type, name, sql, operator, value: text === 'true' };
    }
    case 'time': {
      const time = dateOrTimeText.safeParse(String(value).toUpperCase()).data;
      if (time === undefined) throw invalidFilter(`must compare ${path} with a time such as "2026-11-20T12:00:00Z"`);
      if (operator === 'co' || operator === 'sw' || operator === 'ew') throw cannotCompare();
      return { type, name, sql, operator, value: time };
    }
    default:
      if (typeof value !== 'string') throw invalidFilter(`must compare ${path} with a text in quotes`);
      if (/[\0\p{Cs}]/u.test(value)) throw invalidFilter('must not contain NUL or lone surrogates');
      return { type, name, sql, operator, value };
  }
}

function invalidFilter(rule: string): Error {
  return invalidParameter('filter', rule);
}
