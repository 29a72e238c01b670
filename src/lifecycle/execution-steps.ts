// Steps of executions: what becomes of one when something becomes of one of its tasks. The execution is held first and
// its tasks after it, in every step, so that no two of them wait for each other.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { backoffSeconds, figuresOf, isExecutionOver, isTaskOver, stateAfter } from './execution-states.js';
import type { ExecutionState, TaskCounts, TaskState } from './execution-states.js';
import { recordStatus } from './record-status.js';
import type { Teller } from './record-status.js';
import { columnsWritten } from './report.js';
import { tellingWaiters } from './assign.js';
import { taskKind } from './work-kinds.js';

/** A condition of a task, as the specification has it. */
export type Condition = Partial<
  Record<'type' | 'state' | 'reason' | 'executionReason' | 'message' | 'severity', string>
>;

interface TaskValue {
  metadata: { name: string; updatedAt?: string; scheduledAt?: string; startedAt?: string; completedAt?: string };
  spec: object;
  conditions: Condition[];
}

/** An execution that is held. */
export interface HeldExecution {
  id: string;
  version: number;
  workspace_id: string;
  status: ExecutionState;
  started_at: string | null;
  spec: { timeout?: number };
  tasks: TaskValue[];
}

/** A task of it that is held. */
export interface HeldTask {
  id: string;
  accountId: string;
  task: string;
  ordinal: number;
  phase: TaskState;
  retries: number;
  retriesMax: number;
  stop: boolean;
}

export const heldTaskColumns = Prisma.sql`
  a."id", a."account_id" AS "accountId", a."task", a."ordinal", a."phase", a."retries", a."retries_max" AS "retriesMax",
  a."stop"`;

/** Holds an execution by one of its tasks; undefined once it is gone. */
export async function holdExecution(db: Statements, assignmentId: string): Promise<HeldExecution | undefined> {
  const text = await db.$text(Prisma.sql`
    SELECT row_to_json(e)::text FROM "job_execution" AS e
    WHERE e."id" = (SELECT a."resource_id" FROM "assignment" AS a WHERE a."id" = ${assignmentId}::uuid)
    FOR UPDATE`);
  return text === '' ? undefined : JSON.parse(text);
}

/** What becomes of a task. */
export interface TaskStep {
  to: TaskState;
  conditions: Condition[];
  message: string;
}

/** Writes what becomes of a task, and of its execution with it; both are held. @returns the state that it came to. */
export async function takeStep(
  db: Statements,
  teller: Teller,
  execution: HeldExecution,
  task: HeldTask,
  step: TaskStep,
): Promise<TaskState> {
  const isRetried =
    step.to === 'FAILED' && task.retries < task.retriesMax && !task.stop && execution.status !== 'cancelling';
  const to = isRetried ? 'QUEUED' : step.to;
  if (isRetried) await queueAgain(db, task);
  else if (isTaskOver(to)) await endTask(db, task, to);
  else
    await db.$executeRaw`UPDATE "assignment" SET "phase" = ${to}, "updated_at" = now() WHERE "id" = ${task.id}::uuid`;
  if (isTaskOver(to) && execution.status !== 'cancelling') await letNextOn(db, execution.id);
  const now = teller.now.toISOString();
  const tasks = execution.tasks.map((each, index) =>
    index === task.ordinal - 1 ? taskAfter(each, step, isRetried, now) : each,
  );
  const counts = await countTasks(db, execution.id);
  const status = stateAfter(execution.status, counts);
  await writeExecution(db, execution, { status, tasks, stats: figuresOf(counts) }, now);
  if (status !== execution.status) await record(db, teller, execution, task.accountId, status, step.message);
  return to;
}

function taskAfter(task: TaskValue, { to, conditions }: TaskStep, isRetried: boolean, now: string): TaskValue {
  const { startedAt = to === 'RUNNING' ? now : undefined } = task.metadata;
  const metadata = { ...task.metadata, updatedAt: now, ...(startedAt !== undefined && { startedAt }) };
  const ended = isTaskOver(to) && !isRetried ? { ...metadata, completedAt: now } : metadata;
  return { ...task, metadata: ended, conditions: [...task.conditions, ...conditions].slice(-conditionsMax) };
}

/** How many conditions of a task are kept: the newest. */
const conditionsMax = 20;

/** Has a failed task be claimed again, after a while. */
export async function queueAgain(db: Statements, { id, retries }: Pick<HeldTask, 'id' | 'retries'>): Promise<void> {
  await db.$executeRaw`
    UPDATE "assignment" SET "phase" = 'QUEUED', "retries" = ${retries + 1}, "attempt" = 0, "executor_id" = NULL,
      "lease_until" = NULL, "runs_until" = NULL, "due_at" = now() + ${backoffSeconds(retries + 1)} * interval '1 second',
      "updated_at" = now()
    WHERE "id" = ${id}::uuid`;
}

/** Ends a task. Who reported keeps its number, so that the same report again is known. */
export async function endTask(db: Statements, { id }: Pick<HeldTask, 'id'>, to: TaskState): Promise<void> {
  await db.$executeRaw`
    UPDATE "assignment" SET "phase" = ${to}, "lease_until" = NULL, "runs_until" = NULL, "due_at" = NULL, "stop" = false,
      "updated_at" = now()
    WHERE "id" = ${id}::uuid`;
}

async function letNextOn(db: Statements, executionId: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    WITH "next" AS (
      SELECT "id" FROM "assignment" WHERE "resource_id" = ${executionId}::uuid AND "phase" = 'WAITING'
      ORDER BY "ordinal" LIMIT 1),
    "let" AS (
      UPDATE "assignment" AS a SET "phase" = 'QUEUED', "due_at" = now(), "updated_at" = now() FROM "next"
      WHERE a."id" = "next"."id" RETURNING a."kind", a."region")
    SELECT ${tellingWaiters(Prisma.sql`l."kind"`, Prisma.sql`l."region"`)} FROM "let" AS l`);
}

async function countTasks(db: Statements, executionId: string): Promise<TaskCounts> {
  const text = await db.$text(Prisma.sql`
    SELECT json_build_object(
      'WAITING', count(*) FILTER (WHERE "phase" = 'WAITING'), 'QUEUED', count(*) FILTER (WHERE "phase" = 'QUEUED'),
      'RUNNING', count(*) FILTER (WHERE "phase" = 'RUNNING'), 'SUCCEEDED', count(*) FILTER (WHERE "phase" = 'SUCCEEDED'),
      'FAILED', count(*) FILTER (WHERE "phase" = 'FAILED'), 'CANCELLED', count(*) FILTER (WHERE "phase" = 'CANCELLED'),
      'retried', count(*) FILTER (WHERE "retries" > 0))::text
    FROM "assignment" WHERE "resource_id" = ${executionId}::uuid`);
  return JSON.parse(text);
}

interface NextExecution {
  status: ExecutionState;
  tasks: TaskValue[];
  stats: object;
}

async function writeExecution(
  db: Statements,
  execution: HeldExecution,
  { status, tasks, stats }: NextExecution,
  now: string,
): Promise<void> {
  const isOver = isExecutionOver(status);
  await db.$executeRaw(
    columnsWritten(Prisma.raw('"job_execution"'), execution.id, {
      status,
      tasks,
      stats,
      updated_at: now,
      started_at: execution.started_at ?? (status === 'running' || tasks.some(hasBegun) ? now : null),
      ...(isOver && { completed_at: now, deadline_at: null }),
    }),
  );
}

function hasBegun({ metadata }: TaskValue): boolean {
  return metadata.startedAt !== undefined;
}

async function record(
  db: Statements,
  teller: Teller,
  { id, version, workspace_id: workspaceId }: HeldExecution,
  accountId: string,
  status: ExecutionState,
  message: string,
): Promise<void> {
  const event = { type: 'execution', status: status.toUpperCase(), message };
  await recordStatus(db, teller, {
    accountId,
    workspaceId,
    kind: taskKind,
    resourceId: id,
    name: undefined,
    version,
    event,
  });
}

/** An execution whose turn has come: one of its tasks is claimed. From now on its timeout counts. */
export async function beginExecution(db: Statements, teller: Teller, assignmentId: string): Promise<void> {
  const execution = await holdExecution(db, assignmentId);
  if (execution?.status !== 'queued') return;
  const accountId = await db.$text(Prisma.sql`
    SELECT a."account_id"::text FROM "assignment" AS a WHERE a."id" = ${assignmentId}::uuid`);
  const { timeout } = execution.spec;
  await db.$executeRaw(Prisma.sql`
    UPDATE "job_execution" SET "status" = 'pending', "updated_at" = ${teller.now.toISOString()}::timestamptz,
      "deadline_at" = ${timeout === undefined ? Prisma.sql`NULL` : Prisma.sql`now() + ${timeout} * interval '1 second'`}
    WHERE "id" = ${execution.id}::uuid`);
  await record(db, teller, execution, accountId, 'pending', 'Its turn has come');
}

/** Ends an execution that took too long, with all its tasks that are not over. Who runs one has lost it. */
export async function timeOut(db: Statements, teller: Teller, executionId: string): Promise<void> {
  const text = await db.$text(Prisma.sql`
    SELECT row_to_json(e)::text FROM "job_execution" AS e WHERE e."id" = ${executionId}::uuid AND e."deadline_at" <= now()
    FOR UPDATE`);
  if (text === '') return;
  const execution: HeldExecution = JSON.parse(text);
  const now = teller.now.toISOString();
  const ended = await db.$text(Prisma.sql`
    WITH "ended" AS (
      UPDATE "assignment" SET "phase" = 'CANCELLED', "executor_id" = NULL, "lease_until" = NULL, "runs_until" = NULL,
        "due_at" = NULL, "stop" = false, "updated_at" = now()
      WHERE "resource_id" = ${executionId}::uuid AND "phase" IN ('WAITING', 'QUEUED', 'RUNNING')
      RETURNING "ordinal", "account_id")
    SELECT json_build_object('ordinals', coalesce(json_agg("ordinal"), '[]'), 'accountId', min("account_id"::text))::text
    FROM "ended"`);
  const { ordinals, accountId }: { ordinals: number[]; accountId: string | null } = JSON.parse(ended);
  if (accountId === null || isExecutionOver(execution.status)) return;
  const message = `Took longer than its timeout of ${execution.spec.timeout} seconds`;
  const step: TaskStep = {
    to: 'CANCELLED',
    conditions: [{ type: 'Completed', state: 'False', reason: 'Timeout', message }],
    message,
  };
  const tasks = execution.tasks.map((each, index) =>
    ordinals.includes(index + 1) ? taskAfter(each, step, false, now) : each,
  );
  const stats = figuresOf(await countTasks(db, executionId));
  await writeExecution(db, execution, { status: 'timeout', tasks, stats }, now);
  await record(db, teller, execution, accountId, 'timeout', message);
}
