// SQL that assigns work to executors, in the statement that writes the resource.
import { Prisma } from '../database/client/client.js';
import { deploymentWork } from './deployment-states.js';
import type { DeploymentWork } from './deployment-states.js';
import { everyRegion, workChannel } from './work-kinds.js';
import type { AssignmentKind, WorkKind } from './work-kinds.js';

/** How many runs of a schedule may be queued: more would be useless while no executor starts them. */
export const waitingMax = 1_000;

/**
 * SQL for whether an executor is registered for a kind in a region.
 *
 * @param region NULL for resources without a region.
 */
export function isServed(kind: AssignmentKind, region: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM "executor" AS x WHERE x."revoked_at" IS NULL AND x."kinds" @> ARRAY[${kind}::text]
      AND x."regions" && ARRAY[${everyRegion}::text, (${region})::text])`;
}

/** SQL that notifies executors that wait for work of a kind in a region; NULL if none waits. */
export function notifyWaiters(kind: Prisma.Sql, region: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    CASE WHEN EXISTS (SELECT FROM "executor" AS x WHERE x."waiting_until" > now())
      THEN pg_notify(${workChannel}, ${kind} || ' ' || coalesce(${region}, ''))::text END`;
}

interface Assigned {
  kind: WorkKind;
  wanted: DeploymentWork;
  accountId: string;
  workspace: string;
  /** SQL of the region of a row `r`. */
  region: Prisma.Sql;
  /** SQL that selects the rows `r` of "written" to assign. */
  where: Prisma.Sql;
}

/**
 * SQL that assigns the written rows, as the body of a CTE after "written". It replaces the previous assignment of a
 * row, whose executor loses its lease.
 */
export function assigning({ kind, wanted, accountId, workspace, region, where }: Assigned): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO "assignment" AS a
      ("kind", "resource_id", "account_id", "workspace_id", "workspace", "name", "region", "wanted", "phase", "due_at")
    SELECT ${kind}::text, r."id", ${accountId}::uuid, r."workspace_id", ${workspace}, r."name", ${region},
      ${wanted}::text, ${deploymentWork[wanted].begins}::text, now()
    FROM "written" AS r WHERE ${where}
    ON CONFLICT ("resource_id", "task") DO UPDATE SET
      "region" = EXCLUDED."region", "name" = EXCLUDED."name", "wanted" = EXCLUDED."wanted", "phase" = EXCLUDED."phase",
      "carried_out" = CASE WHEN a."region" IS NOT DISTINCT FROM EXCLUDED."region" THEN a."carried_out" END,
      "attempt" = 0, "executor_id" = NULL, "lease_until" = NULL, "due_at" = now(), "updated_at" = now()
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`;
}

/**
 * SQL that assigns the removal of a resource from its previous region when its region changes; for a row `r` in
 * "written".
 */
export function leaving(region: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO "assignment" AS a ("kind", "resource_id", "task", "account_id", "workspace_id", "workspace", "name",
      "region", "wanted", "phase", "carried_out", "gone", "due_at", "fence")
    SELECT o."kind", o."resource_id", 'left ' || coalesce(o."region", ''), o."account_id", o."workspace_id", o."workspace",
      o."name", o."region", 'delete', ${deploymentWork.delete.begins}::text, o."carried_out",
      json_build_object('name', o."name", 'spec', o."carried_out"->'spec'), now(), o."fence"
    FROM "written" AS r JOIN "assignment" AS o ON o."resource_id" = r."id" AND o."task" = ''
    WHERE o."fence" > 0 AND o."region" IS DISTINCT FROM ${region}
    ON CONFLICT ("resource_id", "task") DO UPDATE SET
      "phase" = EXCLUDED."phase", "carried_out" = EXCLUDED."carried_out", "gone" = EXCLUDED."gone", "attempt" = 0,
      "executor_id" = NULL, "lease_until" = NULL, "due_at" = now(), "updated_at" = now()
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`;
}

/** SQL that deletes the assignments of the written rows, because no executor serves them any longer. */
export function unassigning(): Prisma.Sql {
  return Prisma.sql`DELETE FROM "assignment" AS a USING "written" AS r WHERE a."resource_id" = r."id" AND a."task" = ''`;
}
