// Reads and writes the transitions of executions. The execution is locked before its tasks, so that transactions cannot
// deadlock.
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { growthOf } from '../quotas/growth.js';
import type { Growth } from '../quotas/growth.js';
import { notifyWaiters } from './assign.js';
import { isTaskOver } from './execution-states.js';
import { stepped } from './execution-steps.js';
import type { SteppingExecution, SteppingTask, TaskStep } from './execution-steps.js';
import { recordStatus } from './record-status.js';
import { columnsWritten } from './report.js';
import type { StatusChange, Reporter } from './record-status.js';
import type { ExecutionState, TaskState } from './execution-states.js';
import { taskKind } from './work-kinds.js';

/** A task and its execution, as they were read. */
export interface TaskRead {
  execution: SteppingExecution & { jobId: string };
  /** `isLeased` is null without a lease, and false if the lease has expired. */
  task: SteppingTask & { isLeased: boolean | null };
}

const executionJson = Prisma.sql`json_build_object(
  'id', e."id", 'jobId', e."job_id", 'accountId', a."account_id", 'workspaceId', e."workspace_id", 'version', e."version", 'status', e."status",
  'startedAt', e."started_at", 'spec', e."spec", 'stats', e."stats", 'tasks', e."tasks")`;

/**
 * Reads a task, and locks it until the transaction ends; undefined if it was deleted or the condition does not hold. Its
 * execution must be locked before.
 *
 * @param leasedSql SQL for whether the executor holds its lease.
 */
export async function lockTask(
  db: Statements,
  id: string,
  which: Prisma.Sql,
  leasedSql: Prisma.Sql,
): Promise<TaskRead | undefined> {
  return findJson(
    db,
    Prisma.sql`
      SELECT json_build_object('execution', ${executionJson}, 'task', json_build_object(
        'id', a."id", 'task', a."task", 'ordinal', a."ordinal", 'phase', a."phase", 'retries', a."retries",
        'retriesMax', a."retries_max", 'stop', a."stop", 'isLeased', ${leasedSql}))::text
      FROM "assignment" AS a JOIN "job_execution" AS e ON e."id" = a."resource_id"
      WHERE a."id" = ${id}::uuid AND ${which} FOR UPDATE OF a`,
  );
}

/** Locks the execution of a task until the transaction ends. */
export async function lockExecution(db: Statements, assignmentId: string): Promise<void> {
  await db.$executeRaw`
    SELECT FROM "job_execution" AS e
    WHERE e."id" = (SELECT a."resource_id" FROM "assignment" AS a WHERE a."id" = ${assignmentId}::uuid) FOR UPDATE`;
}

interface TakenStep {
  read: TaskRead;
  step: TaskStep;
  reporter: Reporter;
  /** The URL of the task's logs; absent if it does not change. */
  logsUrl?: string | undefined;
  /** The new duration of the lease; absent if the executor loses it. */
  leaseSeconds?: number | undefined;
}

/** The result of writing a transition. */
export interface Written {
  to: TaskState;
  leaseUntil: string | null;
}

/** Writes a task's transition and its execution, which is locked. */
export async function writeStep(
  db: Statements,
  { read: { execution, task }, step, reporter, logsUrl, leaseSeconds }: TakenStep,
): Promise<Written> {
  const { to, retry, letsNextOn, execution: after, columns } = stepped(execution, task, step, reporter.now);
  const change = retry === undefined ? phaseColumns(to, leaseSeconds) : retryColumns(retry, leaseSeconds);
  const leaseUntil = await db.$text(Prisma.sql`
    UPDATE "assignment" SET ${change}, "updated_at" = now(), "logs_url" = coalesce(${logsUrl ?? null}::text, "logs_url")
    WHERE "id" = ${task.id}::uuid
    RETURNING coalesce(to_json("lease_until")#>>'{}', '')`);
  if (letsNextOn) await queueNextTask(db, execution.id);
  await writeExecution(db, execution.id, columns);
  if (after.status !== execution.status) {
    const growths = growthOfStep(execution, after.status);
    await recordStatus(db, reporter, { ...executionChange(after, step.message), growths });
  }
  return { to, leaseUntil: leaseUntil === '' ? null : leaseUntil };
}

/** Queues the next waiting task of an execution. */
async function queueNextTask(db: Statements, executionId: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    UPDATE "assignment" AS a SET "phase" = 'QUEUED', "due_at" = now(), "updated_at" = now() FROM (
      SELECT w."id" FROM "assignment" AS w
      WHERE w."resource_id" = ${executionId}::uuid AND w."phase" = 'WAITING' ORDER BY w."ordinal" LIMIT 1) AS w
    WHERE a."id" = w."id" RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`);
}

/**
 * SQL of a task's columns after a transition. The fencing number stays, so that a repeated report is recognized.
 *
 * @param leaseSeconds absent if the executor loses its lease.
 */
export function phaseColumns(to: TaskState, leaseSeconds: number | undefined): Prisma.Sql {
  const nobody = leaseSeconds === undefined ? Prisma.sql`"executor_id" = NULL,` : Prisma.empty;
  if (isTaskOver(to)) {
    return Prisma.sql`"phase" = ${to}, ${nobody} "lease_until" = NULL, "runs_until" = NULL, "due_at" = NULL, "stop" = false`;
  }
  const until = Prisma.sql`clock_timestamp() + ${leaseSeconds ?? 0} * interval '1 second'`;
  return Prisma.sql`"phase" = ${to}, ${nobody} "lease_until" = ${until}, "due_at" = ${until}`;
}

/**
 * SQL of the columns of a task that is retried. The executor that reported the failure stays until the next claim, so that a
 * repeated report is recognized.
 *
 * @param leaseSeconds absent if no executor reported the failure.
 */
export function retryColumns(
  { number, afterSeconds }: { number: number; afterSeconds: number },
  leaseSeconds: number | undefined,
): Prisma.Sql {
  const nobody = leaseSeconds === undefined ? Prisma.sql`"executor_id" = NULL,` : Prisma.empty;
  return Prisma.sql`
    "phase" = 'QUEUED', "retries" = ${number}, "attempt" = 0, ${nobody} "lease_until" = NULL,
    "runs_until" = NULL, "due_at" = now() + ${afterSeconds} * interval '1 second'`;
}

/** What the new status of a locked execution adds to the use of quotas. */
export function growthOfStep(
  { workspaceId, jobId, status }: Pick<TaskRead['execution'], 'workspaceId' | 'jobId' | 'status'>,
  next: ExecutionState,
): Growth[] {
  const row = { workspaceId, containerId: jobId };
  return growthOf(taskKind, { ...row, status }, { ...row, status: next });
}

export type ToldExecution = Pick<SteppingExecution, 'id' | 'accountId' | 'workspaceId' | 'version' | 'status'>;

/** The change record of an execution. */
export function executionChange(
  { id, accountId, workspaceId, version, status }: ToldExecution,
  message: string,
): StatusChange {
  const event = { type: 'execution', status: status.toUpperCase(), message };
  return { accountId, workspaceId, kind: taskKind, resourceId: id, name: undefined, version, event };
}

/** Updates columns of an execution, by name. */
export async function writeExecution(db: Statements, id: string, columns: Record<string, unknown>): Promise<void> {
  await db.$executeRaw(columnsWritten(Prisma.sql`"job_execution"`, id, columns));
}
