// What executors last observed of resources.
import DataLoader from 'dataloader';
import { authorizeScope } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { readObserved } from '../../lifecycle/reported.js';
import type { ObservedStatus } from '../../lifecycle/reported.js';
import { isTaskOver, isTaskState } from '../../lifecycle/execution-states.js';
import type { ExecutionState, TaskState } from '../../lifecycle/execution-states.js';
import type { PartialResource } from '../../store/read/resource.js';
import type { RowTask } from '../jobs/execution.js';

/** The observed status of a resource that the caller may access; null if no executor has deployed it. */
export async function observedStatus(found: PartialResource<object>): Promise<ObservedStatus | null> {
  return found.reportedInDryRun === undefined
    ? observedStatuses(found.ctx).load(found.id)
    : found.reportedInDryRun.observed;
}

const observedStatuses = perRequest(
  (ctx: RequestContext) =>
    new DataLoader<string, ObservedStatus | null>(
      async (ids) => {
        const observed = await readObserved(authorizeScope(ctx).db, ids);
        return ids.map((id) => observed[id] ?? null);
      },
      { cache: false },
    ),
);

/** How the tasks of an execution in a final state ended, if their assignments do not say it. */
const endsByStatus: Partial<Record<ExecutionState, TaskState>> = {
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  timeout: 'CANCELLED',
};

/**
 * The status of a task of an execution that the caller may access. The tasks have no assignment if no executor served them. In
 * a dry run of a cancellation, the assignment is still that before the change.
 *
 * @param status the status of the execution.
 */
export async function taskStatus(
  execution: PartialResource<object>,
  { metadata: { name }, state: known }: RowTask,
  status: ExecutionState,
): Promise<TaskState> {
  const state = known ?? (await taskStates(execution.ctx).load(execution.id)).get(name) ?? 'QUEUED';
  return isTaskOver(state) ? state : (endsByStatus[status] ?? state);
}

const taskStates = perRequest(
  (ctx: RequestContext) =>
    new DataLoader<string, ReadonlyMap<string, TaskState>>(async (ids) => readTaskStates(authorizeScope(ctx).db, ids)),
);

/** The states of the tasks of executions, by the name of the task, in the order of the ids. */
export async function readTaskStates(
  db: Statements,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TaskState>[]> {
  const rows = await readJson<[id: string, task: string, phase: string][]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_array(a."resource_id", a."task", a."phase")), '[]')::text
      FROM "assignment" AS a WHERE a."resource_id" = ANY(${[...ids]}::uuid[])`,
  );
  return ids.map(
    (id) => new Map(rows.flatMap(([of, task, phase]) => (of === id && isTaskState(phase) ? [[task, phase]] : []))),
  );
}
