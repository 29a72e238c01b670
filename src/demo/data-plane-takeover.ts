// The demo program generates usage only until the data plane has changed a resource for the first time. After that, the
// data plane measures it.
import type { Database } from '../database/open.js';
import { documentsOf } from './documents.js';
import { idOf } from './random.js';

const measuredKinds = { Agent: 'agents', Sandbox: 'sandboxes', Job: 'jobs', Volume: 'volumes' } as const;

/**
 * When the data plane took over or terminated each resource, by id; long ago if the change log no longer contains it.
 *
 * @param end the end of the demo data: earlier reports are part of it.
 */
export async function takenOverAt(
  db: Database,
  accountId: string,
  workspaces: string[],
  end: Date,
): Promise<Map<string, Date>> {
  const ids = workspaces.flatMap((workspace) =>
    Object.entries(measuredKinds).flatMap(([kind, folder]) =>
      documentsOf(kind, workspace).map(({ name }) => idOf(`${workspace}/${folder}/${name}`)),
    ),
  );
  const rows = await db.$queryRaw<{ id: string; at: Date }[]>`
    SELECT w."id"::text AS "id", coalesce((
      SELECT min(c."time") FROM "change" AS c
      WHERE c."account_id" = ${accountId}::uuid AND c."resource_id" = w."id"
        AND c."time" >= ${end} AND (c."actor_kind" = 'executor' OR c."verb" = 'deleted')), to_timestamp(0)) AS "at"
    FROM unnest(${ids}::uuid[]) AS w("id")
    WHERE EXISTS (SELECT FROM "assignment" AS a WHERE a."resource_id" = w."id" AND a."carried_out" IS NOT NULL)
      OR NOT EXISTS (
        SELECT FROM "agent" WHERE "id" = w."id" UNION ALL SELECT FROM "sandbox" WHERE "id" = w."id"
        UNION ALL SELECT FROM "job" WHERE "id" = w."id" UNION ALL SELECT FROM "volume" WHERE "id" = w."id")`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}
