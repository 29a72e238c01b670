import { Prisma } from './client/client.js';

/**
 * SQL of a value that PostgreSQL's planner does not see. Where the best plan is the same for every value, one that is made
 * without them then costs what it costs with them, so that it is kept, instead of being made anew for each execution.
 */
export function hiddenFromPlan(value: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT ${value})`;
}
