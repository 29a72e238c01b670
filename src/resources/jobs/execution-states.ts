// The actions that callers may take in each state of an execution, and the resulting states.
import { ApiError } from '../../errors.js';
import { rowTimestamp } from '../../store/read/resource-row.js';
import { executionTransitions, isExecutionOver } from '../../lifecycle/execution-states.js';
import type { ExecutionRow, ExecutionStatus } from './execution.js';

/**
 * A cancelled execution; unchanged if it was cancelled before.
 *
 * @throws 409 `conflict` if it has ended otherwise.
 */
export function cancelledExecution(row: ExecutionRow, now: Date): ExecutionRow {
  if (row.status === 'cancelling' || row.status === 'cancelled') return row;
  const leadsTo = executionTransitions[row.status];
  // An execution that no executor has started is cancelled immediately. Otherwise the executor stops it and reports.
  const status = (['cancelled', 'cancelling'] as const).find((state) => leadsTo[state] === 'caller');
  if (status === undefined) throw inState('conflict', row.status, 'it has ended and cannot be cancelled');
  if (status === 'cancelling') return { ...row, status };
  const completedAt = now.toISOString();
  const tasks = row.tasks.map((task) => ({
    ...task,
    metadata: { ...task.metadata, updatedAt: completedAt, completedAt },
  }));
  return { ...row, status, completedAt: rowTimestamp(now), stats: { ...row.stats, cancelled: tasks.length }, tasks };
}

/** @throws 409 `not_deletable` unless the execution has ended. */
export function requireOver({ status }: ExecutionRow): undefined {
  if (!isExecutionOver(status)) throw inState('not_deletable', status, 'cancel it, and delete it when it has ended');
}

function inState(code: 'conflict' | 'not_deletable', status: ExecutionStatus, rule: string): ApiError {
  return new ApiError(code, `The execution is ${status}: ${rule}.`);
}
