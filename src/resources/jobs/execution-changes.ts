import { authorizeResource } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError, notFound } from '../../errors.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import type { Reference, DryRun } from '../../store/write/change-input.js';
import type { Precondition } from '../../store/write/precondition.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { readReferenced } from '../../store/write/read-parent.js';
import { newResourceId } from '../../schema/resource-id.js';
import { rowTimestamp } from '../../store/read/resource-row.js';
import { readInput } from '../../schema/shape-value.js';
import { assignTasks, stopTasks } from '../../lifecycle/assign-tasks.js';
import { isExecutionOver } from '../../lifecycle/execution-states.js';
import { executionKind } from './execution.js';
import type { ExecutionRow } from './execution.js';
import { executionColumns, tasksOf } from './execution-row.js';
import { executionRecord } from './execution-record.js';
import { executionRequest, queuedExecution } from './execution-request.js';
import { cancelledExecution, requireOver } from './execution-states.js';
import { jobKind } from './job.js';

export const executions: Writable<ExecutionRow> = {
  kind: executionKind,
  columnsOf: executionColumns,
  containerId: ({ jobId }) => jobId,
  shown: executionRecord,
  removed: (row, time) => ({ ...row, deletedAt: rowTimestamp(time) }),
};

/** An execution by its id, and the conditions of the change. */
interface WhichExecution extends DryRun {
  id: string;
  /** The version that it must still have. */
  ifVersion?: number | null | undefined;
}

/**
 * Creates a queued execution of a job.
 *
 * @param input.request its tasks and overrides, parsed by their shape.
 * @throws 400 `invalid_input` with every violated rule; 403; 404 for an unknown job; 409 `conflict` for a disabled job.
 */
export async function runJob(
  ctx: RequestContext,
  input: Reference & DryRun & { request: unknown },
): Promise<Resource<ExecutionRow>> {
  const within = await authorizeResource(ctx, 'jobs:update', jobKind, input);
  const request = readInput(executionRequest, input.request);
  const job = await readReferenced(within, jobKind, input, ['name', 'spec']);
  const { name, spec } = await job.read(['name', 'spec']);
  const id = newResourceId(ctx.now());
  const row = queuedExecution(ctx, id, { id: job.id, name, spec }, request);
  const created = { id, row, parentColumns: { job_id: job.id } };
  return createResource(within, executions, created, {
    validateOnly: input.validateOnly,
    precondition: enabledJob(job.id, name),
    assign: (db) => assignTasks(db, id, { ...placeOf(within), ...tasksOf(row) }),
  });
}

/**
 * Cancels an execution: immediately if no executor has started it, otherwise when its executor has stopped. A cancelled
 * execution stays unchanged.
 *
 * @throws 403; 404; 409 `version_mismatch`, or `conflict` if the execution has ended.
 */
export async function cancelExecution(ctx: RequestContext, input: WhichExecution): Promise<Resource<ExecutionRow>> {
  const within = await authorizeResource(ctx, 'jobs:update', executionKind, input);
  return updateResource(within, executions, input, ({ id, row }) => {
    const cancelled = cancelledExecution(row, ctx.now());
    const isOver = isExecutionOver(cancelled.status);
    return { row: cancelled, verb: 'cancelled', assign: (db) => stopTasks(db, id, isOver) };
  });
}

function placeOf({ account, workspace }: AuthorizedWorkspace) {
  return { accountId: account.id, workspace: workspace.name };
}

/**
 * Deletes an execution that has ended.
 *
 * @returns the deleted execution, with the time of the deletion.
 * @throws 403; 404; 409 `version_mismatch`, or `not_deletable` for one that has not ended.
 */
export async function deleteExecution(ctx: RequestContext, input: WhichExecution): Promise<Resource<ExecutionRow>> {
  const within = await authorizeResource(ctx, 'jobs:update', executionKind, input);
  return deleteResource(within, executions, input, (_within, { row }) => requireOver(row));
}

/** The precondition of a run: the job exists and is enabled until the execution is created. */
function enabledJob(id: string, name: string): Precondition {
  return {
    names: Prisma.sql`
      SELECT n."name" FROM (SELECT "spec", "status" FROM "job" WHERE "id" = ${id}::uuid FOR SHARE) AS j, LATERAL (
        SELECT 'job' AS "name" WHERE j."status" IS DISTINCT FROM 'DELETING'
        UNION ALL SELECT 'enabled' WHERE coalesce(j."spec"->>'enabled', 'true') = 'true') AS n`,
    count: 2,
    refuse: (found) =>
      found.has('job')
        ? new ApiError(
            'conflict',
            `The job ${JSON.stringify(name)} is disabled. Set its spec.enabled to true to execute it.`,
          )
        : notFound(jobKind.label, name),
  };
}
