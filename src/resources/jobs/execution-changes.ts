import { authorizeWorkspace } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError, notFound } from '../../errors.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import type { Precondition } from '../../store/write/precondition.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { readParent } from '../../store/write/read-parent.js';
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
  shown: executionRecord,
  removed: (row, time) => ({ ...row, deletedAt: rowTimestamp(time) }),
};

interface OfJob {
  /** Name of the workspace; else that of the request's header. */
  workspace?: string | null | undefined;
  /** Name of the job. */
  job: string;
  /** Does everything but the change. */
  validateOnly?: boolean | null | undefined;
}

/** An execution of a job, and its expected version. */
interface WhichExecution extends OfJob {
  /** metadata.id of the execution. */
  execution: string;
  /** The version that it must still have. */
  ifVersion?: number | null | undefined;
}

/**
 * Creates a queued execution of a job.
 *
 * @param input.asked its tasks and overrides, parsed by their shape.
 * @throws 400 `invalid_input` with every violated rule; 403; 404 for an unknown job; 409 `conflict` for a disabled job.
 */
export async function runJob(ctx: RequestContext, input: OfJob & { asked: unknown }): Promise<Resource<ExecutionRow>> {
  const within = authorizeWorkspace(ctx, 'jobs:update', input.workspace);
  const asked = readInput(executionRequest, input.asked);
  const job = await readParent(within, jobKind, input.job, ['spec']);
  const { spec } = await job.read(['spec']);
  const id = newResourceId(ctx.now());
  const row = queuedExecution(ctx, id, { id: job.id, name: input.job, spec }, asked);
  const created = { id, row, parentColumns: { job_id: job.id } };
  return createResource(within, executions, created, {
    validateOnly: input.validateOnly,
    precondition: enabledJob(job.id, input.job),
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
  const within = authorizeWorkspace(ctx, 'jobs:update', input.workspace);
  const which = { ...input, name: input.execution, owner: { kind: jobKind, name: input.job } };
  return updateResource(within, executions, which, ({ id, row }) => {
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
  const within = authorizeWorkspace(ctx, 'jobs:update', input.workspace);
  const which = { ...input, name: input.execution, owner: { kind: jobKind, name: input.job } };
  return deleteResource(within, executions, which, (_, current) => requireOver(current.row));
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
