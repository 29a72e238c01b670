// The stored form of an execution, and the form of its tasks for executors.
import { durationSeconds } from '../../schema/values.js';
import type { ExecutionRow } from './execution.js';

/** The stored values of an execution, by column. */
export function executionColumns(row: ExecutionRow): Record<string, unknown> {
  return {
    cluster: row.cluster,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    started_at: row.startedAt,
    completed_at: row.completedAt,
    deleted_at: row.deletedAt,
    expired_at: row.expiredAt,
    scheduled_at: row.scheduledAt,
    status: row.status,
    spec: row.spec,
    stats: row.stats,
    tasks: row.tasks,
  };
}

/** The tasks of an execution for executors. */
export function tasksOf({ job, spec, tasks }: ExecutionRow) {
  const limits = tasks.map(({ spec: { maxRetries = 0, timeout } }) => ({
    retries: maxRetries,
    timeoutSeconds: timeout === undefined ? null : durationSeconds(timeout),
  }));
  return { job, parallelism: spec.parallelism, limits };
}
