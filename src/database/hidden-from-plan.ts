import { Prisma } from './client/client.js';

/**
 * SQL of a value that PostgreSQL's planner does not see. If the best plan is the same for every value, a generic plan
 * then has the same estimated cost as a custom one, so PostgreSQL keeps it instead of planning each execution.
 */
export function hiddenFromPlan(value: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT ${value})`;
}
