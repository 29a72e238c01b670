// The combinations of labels, by their keys, that the resources of a workspace have: what lacks a label is found by ruling
// out those that hold it.
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';

/** So many are looked up. What has another is looked at row by row. */
const setsMax = 100;

/** The first combinations of a table's rows in one workspace, in their order. */
export async function readLabelSets(db: ReadStatements, table: string, workspaceId: string): Promise<string[]> {
  const next = (behind: Prisma.Sql) => Prisma.sql`(
    SELECT ${labelSet} AS "set" FROM ${Prisma.raw(`"${table}"`)} AS r
    WHERE r."workspace_id" = ${workspaceId}::uuid AND ${behind} ORDER BY 1 LIMIT 1)`;
  const statement = Prisma.sql`
    WITH RECURSIVE known AS (
      SELECT "set", 1 AS "n" FROM ${next(Prisma.sql`true`)} AS first
      UNION ALL
      SELECT ${next(Prisma.sql`${labelSet} > known."set"`)}, "n" + 1 FROM known
      WHERE "set" IS NOT NULL AND "n" < ${setsMax}::int)
    SELECT coalesce(json_agg("set" ORDER BY "n") FILTER (WHERE "set" IS NOT NULL), '[]')::text FROM known`;
  return JSON.parse(await db.$text(statement));
}

/**
 * What every row `r` meets that lacks a label: it stands in the index between the combinations that hold it. A row that
 * got a combination since they were read is not ruled out.
 *
 * @param sets combinations in their order.
 */
export function lacksLabel(sets: readonly string[], key: string): Prisma.Sql[] {
  const holding = sets.filter((set) => `,${set},`.includes(`,${JSON.stringify(key)},`));
  if (holding.length === 0) return [];
  const between = [...holding, undefined].map((set, place) => {
    const before = holding[place - 1];
    const bounds = [
      ...(before === undefined ? [] : [Prisma.sql`${labelSet} > ${before}::text`]),
      ...(set === undefined ? [] : [Prisma.sql`${labelSet} < ${set}::text`]),
    ];
    return Prisma.sql`(${Prisma.join(bounds, ' AND ')})`;
  });
  return [Prisma.sql`(${Prisma.join(between, ' OR ')})`];
}

/** As the index has it (the migrations' label_set). */
const labelSet = Prisma.sql`label_set(r."labels") COLLATE "C"`;
