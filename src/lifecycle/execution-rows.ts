// Reads and writes the transitions of executions with optimistic locking: the write fails if the row changed since it
// was read. If many executors report on one execution at the same time, the execution is locked before its tasks.
import { insertChanges, takeNumbers } from '../changes/change-rows.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { notifyWaiters } from './assign.js';
import { isTaskOver } from './execution-states.js';
import { stepped } from './execution-steps.js';
import type { ExecutionSeen, SteppingExecution, SteppingTask, TaskStep } from './execution-steps.js';
import { statusRow } from './record-status.js';
import type { StatusChange, Reporter } from './record-status.js';
import type { TaskState } from './execution-states.js';
import { taskKind } from './work-kinds.js';

/** A task and its execution, as they were read. */
export interface TaskRead extends ExecutionSeen {
  task: SteppingTask & { isLeased: boolean | null };
}

const executionJson = Prisma.sql`json_build_object(
  'id', e."id", 'accountId', a."account_id", 'workspaceId', e."workspace_id", 'version', e."version", 'status', e."status",
  'startedAt', e."started_at", 'spec', e."spec", 'stats', e."stats", 'tasks', e."tasks")`;

/**
 * Reads a task; undefined if it was deleted or the condition does not hold.
 *
 * @param isLeased SQL for whether the executor holds its lease.
 */
export async function readTask(
  db: Statements,
  id: string,
  which: Prisma.Sql,
  isLeased: Prisma.Sql,
): Promise<TaskRead | undefined> {
  const text = await db.$text(Prisma.sql`
    SELECT json_build_object('execution', ${executionJson}, 'seen', e.xmin::text, 'task', json_build_object(
      'id', a."id", 'task', a."task", 'ordinal', a."ordinal", 'phase', a."phase", 'retries', a."retries",
      'retriesMax', a."retries_max", 'stop', a."stop", 'isLeased', ${isLeased}))::text
    FROM "assignment" AS a JOIN "job_execution" AS e ON e."id" = a."resource_id" WHERE a."id" = ${id}::uuid AND ${which}`);
  return text === '' ? undefined : JSON.parse(text);
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
  /** SQL of a further condition on the assignment `a`. */
  which: Prisma.Sql;
  /** The new duration of the lease; absent if the executor loses it. */
  leaseSeconds?: number | undefined;
}

/** The result of writing a transition. */
export interface Written {
  to: TaskState;
  leaseUntil: string | null;
}

/** Writes a task's transition and its execution by one statement; undefined if either changed since it was read. */
export async function writeStep(
  db: Statements,
  { read, step, reporter, which, leaseSeconds }: TakenStep,
): Promise<(Written & ExecutionSeen) | undefined> {
  const { execution, seen, task } = read;
  const { to, retry, letsNextOn, execution: after, columns } = stepped(execution, task, step, reporter.now);
  const change = retry === undefined ? phaseColumns(to, leaseSeconds) : retryColumns(retry);
  const text = await db.$text(Prisma.sql`
    WITH "seen" AS MATERIALIZED (
      SELECT e."id" FROM "job_execution" AS e WHERE e."id" = ${execution.id}::uuid AND e.xmin::text = ${seen} FOR UPDATE),
    "task" AS (
      UPDATE "assignment" AS a SET ${change}, "updated_at" = now() FROM "seen"
      WHERE a."id" = ${task.id}::uuid AND a."phase" = ${task.phase} AND ${which} RETURNING a."lease_until"),
    ${letsNextOn ? lettingNextOn(execution.id) : Prisma.empty}
    "written" AS (
      UPDATE "job_execution" AS r SET ${assignmentsOf(columns)}
      FROM "task", json_populate_record(NULL::"job_execution", ${JSON.stringify(columns)}::json) AS n
      WHERE r."id" = ${execution.id}::uuid RETURNING r."id", r.xmin::text AS "seen")
    ${after.status === execution.status ? Prisma.empty : recording(reporter, executionChange(after, step.message))}
    SELECT json_build_object('leaseUntil', "lease_until", 'seen', "seen")::text FROM "task", "written"`);
  return text === '' ? undefined : { to, execution: after, ...JSON.parse(text) };
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

/** SQL of the columns of a task that is retried. */
export function retryColumns({ number, afterSeconds }: { number: number; afterSeconds: number }): Prisma.Sql {
  return Prisma.sql`
    "phase" = 'QUEUED', "retries" = ${number}, "attempt" = 0, "executor_id" = NULL, "lease_until" = NULL,
    "runs_until" = NULL, "due_at" = now() + ${afterSeconds} * interval '1 second'`;
}

function lettingNextOn(executionId: string): Prisma.Sql {
  return Prisma.sql`
    "next" AS (
      UPDATE "assignment" AS a SET "phase" = 'QUEUED', "due_at" = now(), "updated_at" = now() FROM (
        SELECT w."id" FROM "task", "assignment" AS w
        WHERE w."resource_id" = ${executionId}::uuid AND w."phase" = 'WAITING' ORDER BY w."ordinal" LIMIT 1) AS w
      WHERE a."id" = w."id" RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}),`;
}

function recording(reporter: Reporter, change: StatusChange): Prisma.Sql {
  const account = Prisma.sql`SELECT ${change.accountId}::uuid AS "account_id" FROM "written"`;
  return Prisma.sql`
    , "head" AS (${takeNumbers(account, 1)}), "recorded" AS (${insertChanges([statusRow(reporter, change)])})`;
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

/** SQL that sets columns from a row `n`. */
export function assignmentsOf(columns: Record<string, unknown>): Prisma.Sql {
  return Prisma.raw(
    Object.keys(columns)
      .map((column) => `"${column}" = n."${column}"`)
      .join(', '),
  );
}
