import { Prisma } from './client/client.js';
import type { Database } from './open.js';
import { namedColumns } from './select-page.js';

/**
 * Deletes the rows that meet a condition, and gives them as they were, in the form in which lists read them.
 * Of two callers at the same time one gets the row, the other none.
 *
 * @param condition its rows are called `r`.
 */
export async function deleteRows<Row>(
  tx: Pick<Database, '$queryRaw'>,
  query: { table: Prisma.Sql; condition: Prisma.Sql; columns: Record<string, Prisma.Sql> },
): Promise<Row[]> {
  const [answer] = await tx.$queryRaw<{ rows: string }[]>(Prisma.sql`
    WITH gone AS (DELETE FROM ${query.table} AS r WHERE ${query.condition} RETURNING r.*)
    SELECT coalesce(json_agg(p), '[]')::text AS "rows"
    FROM (SELECT r."id", r."created_at" AS "key", ${namedColumns(query.columns)} FROM gone AS r) AS p`);
  return JSON.parse(answer?.rows ?? '[]');
}
