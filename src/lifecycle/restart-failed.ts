// The background task that restarts failed workloads whose specification asks for it.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson, readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import { resourceKinds } from '../resource-kinds.js';
import { notifyWaiters } from './assign.js';
import { deploymentWork } from './deployment-states.js';
import { recordStatus } from './record-status.js';
import { columnsWritten, holdResource } from './report.js';
import { everyRegion } from './work-kinds.js';
import type { WorkKind } from './work-kinds.js';

/** How many workloads are restarted at a time: those that are due first. */
const batch = 100;

interface Due {
  id: string;
  kind: WorkKind;
}

/** SQL for whether a restart is due and an executor serves the resource. */
const dueCondition = Prisma.sql`
  a."restart_at" <= now() AND a."phase" = 'FAILED' AND EXISTS (
    SELECT FROM "executor" AS x WHERE x."revoked_at" IS NULL AND x."kinds" @> ARRAY[a."kind"]
      AND x."regions" && ARRAY[${everyRegion}::text, a."region"])`;

/** Deploys failed workloads again whose restart is due. @returns how many there were. */
export async function restartFailed(db: Database, now: Date): Promise<number> {
  const found = await readJson<Due[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(d), '[]')::text FROM (
        SELECT a."id", a."kind" FROM "assignment" AS a WHERE ${dueCondition}
        ORDER BY a."restart_at" LIMIT ${batch}) AS d`,
  );
  await tryEach(found, (due) => db.$begin((tx) => restart(tx, due, now)));
  return found.length;
}

async function restart(db: Statements, due: Due, now: Date): Promise<void> {
  const row = await holdResource(db, due);
  if (row === undefined) return;
  const { begins } = deploymentWork.deploy;
  const restarted = await findJson<{ accountId: string; workspaceId: string; restarts: number }>(
    db,
    Prisma.sql`
      WITH "restarted" AS (
        UPDATE "assignment" AS a SET "restart_at" = NULL, "phase" = ${begins}, "attempt" = 0, "executor_id" = NULL,
          "lease_until" = NULL, "due_at" = now(), "instances" = NULL, "updated_at" = now()
        WHERE a."id" = ${due.id}::uuid AND ${dueCondition}
        RETURNING a."account_id" AS "accountId", a."workspace_id" AS "workspaceId", a."restarts",
          ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)} AS "notified")
      SELECT row_to_json(r)::text FROM "restarted" AS r`,
  );
  // Another process restarted it, or the desired state changed.
  if (restarted === undefined) return;
  const { accountId, workspaceId, restarts } = restarted;
  await db.$executeRaw(columnsWritten(Prisma.raw(`"${resourceKinds[due.kind].table}"`), row.id, { status: begins }));
  const message = `Restarted after a failure (restart ${restarts})`;
  await recordStatus(
    db,
    { now },
    {
      accountId,
      workspaceId,
      kind: due.kind,
      resourceId: row.id,
      name: row.name,
      version: row.version,
      event: { type: 'deployment', status: begins, message },
    },
  );
}
