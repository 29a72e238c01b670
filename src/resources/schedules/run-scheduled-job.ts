import { randomUUID } from 'node:crypto';
import { recordAsSystem } from '../../changes/record-as-system.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { growthOf } from '../../quotas/growth.js';
import { servedCondition, waitingMax } from '../../lifecycle/assign.js';
import { assignTasks } from '../../lifecycle/assign-tasks.js';
import { taskKind } from '../../lifecycle/work-kinds.js';
import { executionRecord } from '../jobs/execution-record.js';
import { queuedExecution } from '../jobs/execution-request.js';
import { executionColumns, tasksOf } from '../jobs/execution-row.js';
import type { JobSpec } from '../jobs/job.js';
import { advanceSchedule } from './claimed-schedule.js';
import type { DueSchedule, Making } from './claimed-schedule.js';
import { holdScheduled } from './hold-scheduled.js';
import { recordSkipped, tooManyWait } from './record-skipped.js';

/** Creates the execution of a job that is due, like runJob() without overrides. Records it if too many wait. */
export async function runScheduledJob(
  db: Statements,
  { encryption, now }: Making,
  schedule: DueSchedule,
): Promise<void> {
  const { resourceId, scheduledAt } = schedule;
  const job = await holdScheduled<JobSpec>(db, 'job', resourceId);
  // The job was deleted, and its schedule with it.
  if (job === undefined) return;
  const { accountId, workspaceId, workspace, name } = job;
  const id = randomUUID();
  const row = {
    ...queuedExecution({ encryption, now }, id, { id: resourceId, name, spec: job.spec }, {}),
    scheduledAt,
  };
  const values = { ...executionColumns(row), id, version: row.version, job_id: resourceId, workspace_id: workspaceId };
  if (!(await advanceSchedule(db, schedule))) return;
  const region = Prisma.sql`${job.spec.region ?? null}::text`;
  // Executions that waited before an executor served the region never begin. They must not stop those that it would run.
  const { isMade, isFull } = await readJson<{ isMade: boolean; isFull: boolean }>(
    db,
    Prisma.sql`
      WITH "given" AS MATERIALIZED (
        SELECT count(*) >= ${waitingMax} AS "is_full" FROM "job_execution" AS o
        WHERE o."job_id" = ${resourceId}::uuid AND o."status" = 'queued' AND o."scheduled_at" IS NOT NULL
          AND (NOT ${servedCondition(taskKind, region)} OR EXISTS (
            SELECT FROM "assignment" AS a WHERE a."resource_id" = o."id"))),
      "made" AS (
        INSERT INTO "job_execution"
        SELECT r.* FROM json_populate_record(NULL::"job_execution", ${JSON.stringify(values)}::json) AS r, "given"
        WHERE NOT "is_full"
        ON CONFLICT ("job_id", "scheduled_at") DO NOTHING RETURNING "id")
      SELECT json_build_object('isMade', EXISTS (SELECT FROM "made"), 'isFull', (SELECT "is_full" FROM "given"))::text`,
  );
  if (isFull) await recordSkipped(db, now(), 'JOB', job, schedule, tooManyWait('executions'));
  if (!isMade) return;
  await assignTasks(db, id, { accountId, workspace, ...tasksOf(row) });
  const message = `Created by the schedule of the job, scheduled for ${scheduledAt}`;
  const change = {
    kind: 'JOB_EXECUTION',
    verb: 'created',
    resourceId: id,
    version: row.version,
    after: executionRecord({ id, row, workspace: { name: workspace } }),
    event: { type: 'creation', status: 'CREATED', message },
  } as const;
  const counted = { workspaceId, containerId: resourceId, status: row.status };
  await recordAsSystem(db, { accountId, workspaceId }, now(), [change], growthOf('JOB_EXECUTION', undefined, counted));
}
