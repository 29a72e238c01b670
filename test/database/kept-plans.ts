// Whether PostgreSQL keeps the plan of a prepared statement, for any values.
import type { Prisma } from '../../src/database/client/client.js';
import type { Database } from '../../src/database/open.js';

/** The number of custom plans before PostgreSQL considers a generic plan. */
const plannedMin = 5;
const executed = 10;

/**
 * Executes statements with the same text in turns, as one prepared statement.
 *
 * @returns how many executions used a generic plan, of those that could, and the last result of each statement.
 */
export async function executeInTurns(
  db: Database,
  statements: readonly Prisma.Sql[],
): Promise<{ kept: number; possible: number; answers: unknown[] }> {
  return db.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(`PREPARE kept AS ${statements[0]?.text}`);
    const answers: unknown[] = [];
    for (let time = 0; time < executed; time++) {
      const place = time % statements.length;
      const values = statements[place]?.values.map((value) => `'${String(value)}'`).join(', ');
      const [row = {}] = await transaction.$queryRawUnsafe<Record<string, string>[]>(`EXECUTE kept(${values})`);
      answers[place] = JSON.parse(Object.values(row)[0] ?? '');
    }
    const [plans] = await transaction.$queryRaw<{ kept: number }[]>`
      SELECT "generic_plans"::int AS "kept" FROM "pg_prepared_statements" WHERE "name" = 'kept'`;
    await transaction.$executeRaw`DEALLOCATE kept`;
    return { kept: plans?.kept ?? 0, possible: executed - plannedMin, answers };
  });
}
