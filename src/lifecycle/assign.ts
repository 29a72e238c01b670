// Assigns work to executors, in the transaction that writes the resource.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';
import { resourceKinds } from '../resource-kinds.js';
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
export function servedCondition(kind: AssignmentKind, region: Prisma.Sql): Prisma.Sql {
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

/** A resource that executors reconcile. */
export interface Reconciled {
  kind: WorkKind;
  id: string;
  /** SQL of the region of its row `r`. */
  region: Prisma.Sql;
}

/**
 * Assigns work on a resource. It replaces the previous assignment of the resource, whose executor loses its lease. So it
 * does with a removal in this region, from which the resource was moved before: the deployment there is updated instead.
 *
 * @param workspace the account's id and the name of the workspace.
 */
export async function assign(
  db: Statements,
  { kind, id, region }: Reconciled,
  wanted: DeploymentWork,
  { accountId, workspace }: { accountId: string; workspace: string },
): Promise<void> {
  await db.$defer(Prisma.sql`
    WITH "left" AS (
      DELETE FROM "assignment" AS o USING ${tableOf(kind)} AS r
      WHERE r."id" = ${id}::uuid AND o."resource_id" = r."id" AND o."task" = 'left ' || coalesce(${region}, '') RETURNING o.*)
    INSERT INTO "assignment" AS a ("kind", "resource_id", "account_id", "workspace_id", "workspace", "name", "region",
      "wanted", "phase", "carried_out", "fence", "due_at")
    SELECT ${kind}::text, r."id", ${accountId}::uuid, r."workspace_id", ${workspace}, r."name", ${region},
      ${wanted}::text, ${deploymentWork[wanted].begins}::text, l."carried_out", coalesce(l."fence", 0), now()
    FROM ${tableOf(kind)} AS r LEFT JOIN "left" AS l ON l."phase" <> ${deploymentWork.delete.ends}
    WHERE r."id" = ${id}::uuid
    ON CONFLICT ("resource_id", "task") DO UPDATE SET
      "region" = EXCLUDED."region", "name" = EXCLUDED."name", "wanted" = EXCLUDED."wanted", "phase" = EXCLUDED."phase",
      "fence" = greatest(a."fence", EXCLUDED."fence"),
      "carried_out" = CASE WHEN a."region" IS NOT DISTINCT FROM EXCLUDED."region" THEN a."carried_out"
        ELSE EXCLUDED."carried_out" END,
      "logs_url" = CASE WHEN a."region" IS NOT DISTINCT FROM EXCLUDED."region" THEN a."logs_url" END,
      "attempt" = 0, "executor_id" = NULL, "lease_until" = NULL, "due_at" = now(), "updated_at" = now(),
      "instances" = NULL, "restarts" = 0, "restart_at" = NULL
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`);
}

/** After the region of a resource changed, assigns the removal of its deployment in the previous region. */
export async function assignRemoval(db: Statements, { kind, id, region }: Reconciled): Promise<void> {
  await db.$defer(Prisma.sql`
    INSERT INTO "assignment" AS a ("kind", "resource_id", "task", "account_id", "workspace_id", "workspace", "name",
      "region", "wanted", "phase", "carried_out", "gone", "due_at", "fence")
    SELECT o."kind", o."resource_id", 'left ' || coalesce(o."region", ''), o."account_id", o."workspace_id", o."workspace",
      o."name", o."region", 'delete', ${deploymentWork.delete.begins}::text, o."carried_out",
      json_build_object('name', o."name", 'spec', o."carried_out"->'spec'), now(), o."fence"
    FROM ${tableOf(kind)} AS r JOIN "assignment" AS o ON o."resource_id" = r."id" AND o."task" = ''
    WHERE r."id" = ${id}::uuid AND o."fence" > 0 AND o."region" IS DISTINCT FROM ${region}
    ON CONFLICT ("resource_id", "task") DO UPDATE SET
      "phase" = EXCLUDED."phase", "carried_out" = EXCLUDED."carried_out", "gone" = EXCLUDED."gone", "attempt" = 0,
      "executor_id" = NULL, "lease_until" = NULL, "due_at" = now(), "updated_at" = now()
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`);
}

/**
 * Deletes the assignment of a resource that no executor has work on any longer. Also deletes a pending removal in this region,
 * which the resource left before: an enabled resource runs here again. A disabled one is still removed.
 */
export async function unassign(db: Statements, { kind, id, region }: Reconciled): Promise<void> {
  await db.$defer(Prisma.sql`
    DELETE FROM "assignment" AS a USING ${tableOf(kind)} AS r
    WHERE r."id" = ${id}::uuid AND a."resource_id" = r."id" AND (a."task" = ''
      OR a."task" = 'left ' || coalesce(${region}, '') AND r."spec"->>'enabled' IS DISTINCT FROM 'false')`);
}

function tableOf(kind: WorkKind): Prisma.Sql {
  return Prisma.raw(`"${resourceKinds[kind].table}"`);
}
