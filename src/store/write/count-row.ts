// What a resource of a workspace counts towards quotas.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import { growthOf, sumOfGrowth } from '../../quotas/growth.js';
import type { CountedRow, Growth } from '../../quotas/growth.js';
import type { ResourceKindName } from '../../resource-kinds.js';
import type { Writable, WritableRow } from './writable.js';

/** A row, as quotas count it. */
export function countedRow<Row extends WritableRow>(
  { workspace }: AuthorizedWorkspace,
  { containerId }: Pick<Writable<Row>, 'containerId'>,
  row: Row,
): CountedRow {
  return { workspaceId: workspace.id, spec: row.spec, status: row.status, containerId: containerId?.(row) };
}

/** The region that a specification names. */
export function regionIn(spec: unknown): string | undefined {
  return typeof spec === 'object' && spec !== null && 'region' in spec ? String(spec.region) : undefined;
}

/**
 * The resources that are in a region because they are in another resource, and SQL that locks those of one. Their region
 * is read from the locked rows.
 */
const contained: Partial<Record<ResourceKindName, { kind: ResourceKindName; rows: (id: string) => Prisma.Sql }>> = {
  JOB: {
    kind: 'JOB_EXECUTION',
    rows: (id) => Prisma.sql`
      SELECT e."status"::text AS "status", NULL::text AS "region" FROM "job_execution" AS e WHERE e."job_id" = ${id}::uuid FOR SHARE`,
  },
  SANDBOX: {
    kind: 'SANDBOX_PREVIEW',
    rows: (id) => Prisma.sql`
      SELECT NULL::text AS "status", p."spec"->>'region' AS "region" FROM "sandbox_preview" AS p
      WHERE p."sandbox_id" = ${id}::uuid FOR SHARE`,
  },
};

/**
 * What a move of a locked resource to another region adds by the resources in it. Their rows are locked, because a change
 * of one of them at the same time counts in the region that it finds. The cost grows with their number.
 */
export async function growthOfMove(
  { db, workspace }: AuthorizedWorkspace,
  kind: ResourceKindName,
  id: string,
  { from, to }: { from: string | undefined; to: string | undefined },
): Promise<Growth[]> {
  const inside = contained[kind];
  if (from === to || inside === undefined) return [];
  // Materialized, because the planner would otherwise move the condition below the locks: a row with a region of its own
  // would not be locked, and a transaction that is removing this region would count in the region before the move.
  const counts = await readJson<{ status: string | null; count: number }[]>(
    db,
    Prisma.sql`
      WITH "inside" AS MATERIALIZED (${inside.rows(id)})
      SELECT coalesce(json_agg(s), '[]')::text FROM (
        SELECT r."status", count(*) AS "count" FROM "inside" AS r WHERE r."region" IS NULL GROUP BY 1) AS s`,
  );
  return sumOfGrowth(
    counts.flatMap(({ status, count }) => {
      const row = { workspaceId: workspace.id, status };
      const one = growthOf(inside.kind, { ...row, containerRegion: from }, { ...row, containerRegion: to });
      return one.map((growth) => ({ ...growth, amount: growth.amount * BigInt(count) }));
    }),
  );
}
