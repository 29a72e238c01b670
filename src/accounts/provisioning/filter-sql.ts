import { Prisma } from '../../database/client/client.js';
import { foldedSql } from '../../database/search-pattern.js';
import type { CheckedFilter, Condition } from './filter.js';

/** A filter as a condition. It is NULL in place of false if an absent attribute is compared. */
export function filterSql(filter: CheckedFilter): Prisma.Sql {
  switch (filter.type) {
    case 'and':
    case 'or':
      return Prisma.sql`(${Prisma.join(filter.filters.map(filterSql), filter.type === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return Prisma.sql`NOT coalesce(${filterSql(filter.filter)}, false)`;
    case 'any':
      return Prisma.sql`EXISTS (SELECT ${filter.values.from} AND ${filterSql(filter.filter)})`;
    default:
      return conditionSql(filter);
  }
}

const orders = { gt: Prisma.sql`>`, ge: Prisma.sql`>=`, lt: Prisma.sql`<`, le: Prisma.sql`<=` } as const;

function conditionSql(condition: Condition): Prisma.Sql {
  if (condition.type === 'present')
    return condition.isPresent ? Prisma.sql`${condition.sql} IS NOT NULL` : Prisma.sql`${condition.sql} IS NULL`;
  const [sql, operand] = sidesOf(condition);
  switch (condition.operator) {
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
    default: {
      const order = orders[condition.operator];
      if (condition.type === 'time') return Prisma.sql`${sql} ${order} ${operand}`;
      return Prisma.sql`(${sql}) COLLATE "C" ${order} (${operand}) COLLATE "C"`;
    }
  }
}

/** The attribute and the value that it is compared with. */
function sidesOf({ type, sql, value }: Exclude<Condition, { type: 'present' }>): [Prisma.Sql, Prisma.Sql] {
  switch (type) {
    case 'boolean':
      return [sql, Prisma.sql`${value}::boolean`];
    case 'time':
      return [sql, Prisma.sql`${value}::timestamptz`];
    case 'exact':
      return [sql, Prisma.sql`${value}::text`];
    case 'name':
      return [Prisma.sql`lower(${sql})`, Prisma.sql`lower(${value}::text)`];
    default:
      return [foldedSql(sql), foldedSql(Prisma.sql`${value}::text`)];
  }
}
