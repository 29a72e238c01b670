// Filters of SCIM (RFC 7644, section 3.4.2.2) as a tree, and as conditions of SQL.
import { Prisma } from '../../database/client/client.js';
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

/** An attribute that a filter can name. `text` ignores upper and lower case, `exact` does not. */
export interface FilterAttribute {
  type: 'text' | 'exact' | 'boolean' | 'time';
  sql: Prisma.Sql;
}

/** An attribute with several values. A comparison of the attribute itself compares `value`. */
export interface FilterValues {
  /** The values as rows: what follows SELECT. */
  from: Prisma.Sql;
  /** The attributes of a value, by their name in lower case. */
  attributes: Readonly<Record<string, FilterAttribute>>;
}

/** What filters can name, in lower case. */
export interface FilterAttributes {
  single: Readonly<Record<string, FilterAttribute>>;
  several: Readonly<Record<string, FilterValues>>;
}

/**
 * A filter as a condition. It is NULL in place of false if an absent attribute is compared.
 *
 * @throws 400 `invalid_parameter` with the field `filter` for an unknown attribute, or a value or operator that does not
 * fit its type.
 */
export function filterSql(filter: Filter, attributes: FilterAttributes): Prisma.Sql {
  switch (filter.type) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((each) => filterSql(each, attributes));
      return Prisma.sql`(${Prisma.join(parts, filter.type === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      return Prisma.sql`NOT coalesce(${filterSql(filter.filter, attributes)}, false)`;
    case 'values': {
      const values = own(attributes.several, filter.path);
      if (values === undefined) throw invalidFilter(`cannot select values of ${quoted(filter.path)}`);
      const within = filterSql(filter.filter, { single: values.attributes, several: {} });
      return anyOf(values, within);
    }
    default: {
      const { path } = filter;
      const single = own(attributes.single, path);
      if (single !== undefined) return conditionSql(filter, single);
      const [name = '', sub = 'value', ...more] = path.split('.');
      const values = own(attributes.several, name);
      const attribute = values && own(values.attributes, sub);
      if (values === undefined || more.length > 0) throw invalidFilter(`names the unknown attribute ${quoted(path)}`);
      if (attribute === undefined) throw invalidFilter(`names the unknown attribute ${quoted(path)}`);
      return anyOf(values, conditionSql(filter, attribute));
    }
  }
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function anyOf({ from }: FilterValues, condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT ${from} AND ${condition})`;
}

type Atom = Extract<Filter, { type: 'present' | 'compare' }>;

function conditionSql(filter: Atom, attribute: FilterAttribute): Prisma.Sql {
  const { sql } = attribute;
  if (filter.type === 'present') return Prisma.sql`${sql} IS NOT NULL`;
  const { operator, value } = filter;
  if (value === null) {
    if (operator === 'eq') return Prisma.sql`${sql} IS NULL`;
    if (operator === 'ne') return Prisma.sql`${sql} IS NOT NULL`;
    throw invalidFilter(`cannot compare ${filter.path} with null by ${operator}`);
  }
  switch (attribute.type) {
    case 'boolean':
      return booleanSql(filter, sql);
    case 'time':
      return timeSql(filter, sql);
    default:
      return textSql(filter, sql, attribute.type === 'exact');
  }
}

type Compared = Extract<Filter, { type: 'compare' }>;

/** Entra ID sends booleans as texts, too. */
function booleanSql({ path, operator, value }: Compared, sql: Prisma.Sql): Prisma.Sql {
  const text = String(value).toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalidFilter(`must compare ${path} with true or false`);
  if (operator !== 'eq' && operator !== 'ne') throw invalidFilter(`cannot compare ${path} by ${operator}`);
  const isTrue = text === 'true';
  if (operator === 'eq') return Prisma.sql`${sql} = ${isTrue}::boolean`;
  return Prisma.sql`${sql} IS DISTINCT FROM ${isTrue}::boolean`;
}

const orders = { gt: Prisma.sql`>`, ge: Prisma.sql`>=`, lt: Prisma.sql`<`, le: Prisma.sql`<=` } as const;

function timeSql({ path, operator, value }: Compared, sql: Prisma.Sql): Prisma.Sql {
  const time = dateOrTimeText.safeParse(String(value).toUpperCase()).data;
  if (time === undefined) throw invalidFilter(`must compare ${path} with a time such as "2026-11-20T12:00:00Z"`);
  if (operator === 'co' || operator === 'sw' || operator === 'ew')
    throw invalidFilter(`cannot compare ${path} by ${operator}`);
  const operand = Prisma.sql`${new Date(time)}::timestamptz`;
  if (operator === 'eq') return Prisma.sql`${sql} = ${operand}`;
  if (operator === 'ne') return Prisma.sql`${sql} IS DISTINCT FROM ${operand}`;
  return Prisma.sql`${sql} ${orders[operator]} ${operand}`;
}

function textSql({ path, operator, value }: Compared, attribute: Prisma.Sql, isExact: boolean): Prisma.Sql {
  if (typeof value !== 'string') throw invalidFilter(`must compare ${path} with a text in quotes`);
  if (value.includes('\0')) throw invalidFilter('must not contain NUL');
  const sql = isExact ? attribute : Prisma.sql`lower(${attribute})`;
  const operand = isExact ? Prisma.sql`${value}::text` : Prisma.sql`lower(${value}::text)`;
  switch (operator) {
    case 'eq':
      return Prisma.sql`${sql} = ${operand}`;
    case 'ne':
      return Prisma.sql`${sql} IS DISTINCT FROM ${operand}`;
    case 'co':
      return Prisma.sql`strpos(${sql}, ${operand}) > 0`;
    case 'sw':
      return Prisma.sql`starts_with(${sql}, ${operand})`;
    case 'ew':
      return Prisma.sql`right(${sql}, length(${operand})) = ${operand}`;
    default:
      return Prisma.sql`(${sql}) COLLATE "C" ${orders[operator]} ${operand}`;
  }
}

function invalidFilter(rule: string): Error {
  return invalidParameter('filter', rule);
}
