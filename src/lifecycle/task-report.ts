// Reports of executors on tasks of executions.
import { isDeepStrictEqual } from 'node:util';
import type { AuthorizedExecutor } from '../auth/authorize.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';
import { ApiError } from '../errors.js';
import { leasedToSql } from './claim.js';
import { lockExecution, lockTask, writeStep } from './execution-rows.js';
import type { TaskRead } from './execution-rows.js';
import { isTaskOver, mayReportTask } from './execution-states.js';
import type { TaskState } from './execution-states.js';
import type { Condition } from './execution-steps.js';
import { leaseLost, reportedBy } from './report.js';

export interface TaskReport {
  id: string;
  fence: number;
  /** Absent in a report that only extends the lease. */
  state: TaskState | undefined;
  message: string | undefined;
  conditions: Condition[];
  logsUrl: string | undefined;
  leaseSeconds: number;
}

export interface ReportedTask {
  state: TaskState;
  leaseUntil: string | null;
  /** Whether the executor must stop the task. */
  stop: boolean;
}

/**
 * Processes a report on a task. A failed task with retries left is queued.
 *
 * @throws 409 `lease_lost`; 409 `conflict` for an invalid transition.
 */
export async function takeTaskReport(authorized: AuthorizedExecutor, report: TaskReport): Promise<ReportedTask> {
  const { db, executor } = authorized;
  const number = Prisma.sql`${String(report.fence)}::bigint`;
  const claimCondition = Prisma.sql`a."fence" = ${number} AND a."executor_id" = ${executor.id}::uuid`;
  const leasedSql = leasedToSql(executor, number);
  const executionId = await db.$text(Prisma.sql`
    SELECT a."resource_id"::text FROM "assignment" AS a WHERE a."id" = ${report.id}::uuid AND ${claimCondition}`);
  if (executionId === '') throw leaseLost();
  return db.$alone(executionId, () =>
    runInTransaction(authorized, false, async (within) => {
      await lockExecution(within.db, report.id);
      const task = await lockTask(within.db, report.id, claimCondition, leasedSql);
      if (task === undefined) throw leaseLost();
      return takeStep(within, report, leasedSql, task);
    }),
  );
}

async function takeStep(
  within: AuthorizedExecutor,
  report: TaskReport,
  leasedSql: Prisma.Sql,
  read: TaskRead,
): Promise<ReportedTask> {
  const { db } = within;
  const { message, logsUrl, leaseSeconds } = report;
  const { task } = read;
  const { state = task.phase } = report;
  if (isTaskOver(task.phase) && state === task.phase) return { state, leaseUntil: null, stop: false };
  if (isRetriedFailure(task, state)) return { state: task.phase, leaseUntil: null, stop: false };
  if (task.isLeased !== true) throw leaseLost();
  const isHeartbeat = state === task.phase;
  const conditions = isHeartbeat ? newConditions(read, report.conditions) : report.conditions;
  if (isHeartbeat && conditions.length === 0) {
    return { state, leaseUntil: await extendTask(db, report, leasedSql), stop: task.stop };
  }
  if (!isHeartbeat) requireTaskStep(task.phase, state);
  const reporter = reportedBy(within);
  const { name } = reporter.executor;
  const step = { to: state, conditions, message: message ?? `The task ${task.task} is ${state} at ${name}` };
  const { to, leaseUntil } = await writeStep(db, { read, step, reporter, logsUrl, leaseSeconds });
  return { state: to, leaseUntil, stop: to === 'RUNNING' && task.stop };
}

/** Whether an executor reports the failure of a task again that is retried. It then has the task without a lease. */
export function isRetriedFailure(
  { phase, isLeased }: { phase: TaskState; isLeased: boolean | null },
  state: TaskState,
): boolean {
  return state === 'FAILED' && phase === 'QUEUED' && isLeased === null;
}

/** The conditions after those that repeat the latest of the task: a repeated report adds none. */
function newConditions({ execution, task }: TaskRead, conditions: readonly Condition[]): Condition[] {
  const known = execution.tasks[task.ordinal - 1]?.conditions ?? [];
  for (let count = conditions.length; count > 0; count--)
    if (isDeepStrictEqual(known.slice(-count), conditions.slice(0, count))) return conditions.slice(count);
  return [...conditions];
}

/** @throws 409 `conflict` for an invalid transition. */
export function requireTaskStep(from: TaskState, to: TaskState): void {
  if (mayReportTask(from, to)) return;
  throw new ApiError('conflict', `The task is ${from} and cannot become ${to}.`);
}

/**
 * Extends the lease of an assignment, and keeps a new URL of its logs.
 *
 * @returns the new end of the lease.
 * @throws 409 `lease_lost`.
 */
export async function extendTask(
  db: Statements,
  { id, leaseSeconds, logsUrl }: Pick<TaskReport, 'id' | 'leaseSeconds'> & Partial<Pick<TaskReport, 'logsUrl'>>,
  leasedSql: Prisma.Sql,
): Promise<string> {
  const until = Prisma.sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`;
  const extended = await db.$text(Prisma.sql`
    UPDATE "assignment" AS a SET "lease_until" = ${until}, "due_at" = ${until},
      "logs_url" = coalesce(${logsUrl ?? null}::text, a."logs_url")
    WHERE a."id" = ${id}::uuid AND ${leasedSql} RETURNING to_json(a."lease_until")#>>'{}'`);
  if (extended === '') throw leaseLost();
  return extended;
}
