// What executors last observed of resources.
import DataLoader from 'dataloader';
import { authorizeScope } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { readObserved, readTaskStates } from '../../lifecycle/reported.js';
import type { ObservedStatus, TaskStates } from '../../lifecycle/reported.js';
import { isTaskOver } from '../../lifecycle/execution-states.js';
import type { ExecutionState, TaskState } from '../../lifecycle/execution-states.js';
import type { PartialResource } from '../../store/read/resource.js';
import type { Task } from '../jobs/execution.js';

/** The observed status of a resource that the caller may access; null if no executor has deployed it. */
export async function observedStatus(found: PartialResource<object>): Promise<ObservedStatus | null> {
  return found.reported === undefined ? observedStatuses(found.ctx).load(found.id) : found.reported.observed;
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
 * The status of a task of an execution that the caller may access. The tasks have no assignment if no executor served them.
 *
 * @param status the status of the execution.
 */
export async function taskStatus(
  execution: PartialResource<object>,
  { metadata: { name } }: Task,
  status: ExecutionState,
): Promise<TaskState> {
  const states = execution.reported?.taskStates ?? (await taskStates(execution.ctx).load(execution.id));
  const state = new Map(states).get(name) ?? 'QUEUED';
  return isTaskOver(state) ? state : (endsByStatus[status] ?? state);
}

const taskStates = perRequest(
  (ctx: RequestContext) =>
    new DataLoader<string, TaskStates>(async (ids) => readTaskStates(authorizeScope(ctx).db, ids)),
);
