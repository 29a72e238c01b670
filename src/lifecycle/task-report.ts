// Reports of executors on tasks of executions.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { ApiError } from '../errors.js';
import { isLeasedTo } from './claim.js';
import { lockExecution, readTask, writeStep } from './execution-rows.js';
import type { TaskRead } from './execution-rows.js';
import { isTaskOver, mayReportTask } from './execution-states.js';
import type { TaskState } from './execution-states.js';
import type { Condition, ExecutionSeen } from './execution-steps.js';
import type { Reporter } from './record-status.js';
import { leaseLost } from './report.js';

export interface TaskReport {
  id: string;
  fence: number;
  /** Absent in a report that only extends the lease. */
  state: TaskState | undefined;
  message: string | undefined;
  conditions: Condition[];
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
  const { db, executor, ctx } = authorized;
  const number = Prisma.sql`${String(report.fence)}::bigint`;
  const isOfClaim = Prisma.sql`a."fence" = ${number} AND a."executor_id" = ${executor.id}::uuid`;
  const isLeased = isLeasedTo(executor, number);
  const look = (within: Statements) => readTask(within, report.id, isOfClaim, isLeased);
  const first = await look(db);
  if (first === undefined) throw leaseLost();
  const result = await ctx.workSubscribers.inTurn(first.execution.id, async (before) => {
    // The state that the previous report in this process wrote need not be read again. If another process changed it,
    // the write fails and the report is processed again below.
    const taken = await takeStep(authorized, report, isLeased, { ...first, ...before?.left });
    if (taken.result !== undefined) return taken;
    const again = await takeStep(authorized, report, isLeased, await look(db));
    if (again.result !== undefined) return again;
    // Other processes report on tasks of the same execution: wait for the lock of the execution.
    return authorized.transaction(async (within) => {
      await lockExecution(within.db, report.id);
      return takeStep(within, report, isLeased, await look(within.db));
    });
  });
  if (result === undefined) throw leaseLost();
  return result;
}

interface Taken {
  /** Undefined if the execution or the claim changed since it was read. */
  result: ReportedTask | undefined;
  /** The execution, if it was written. */
  left: ExecutionSeen | undefined;
}

async function takeStep(
  within: AuthorizedExecutor,
  report: TaskReport,
  isLeased: Prisma.Sql,
  read: TaskRead | undefined,
): Promise<Taken> {
  if (read === undefined) throw leaseLost();
  const { db } = within;
  const { message, conditions, leaseSeconds } = report;
  const { task } = read;
  const { state = task.phase } = report;
  const left = undefined;
  if (isTaskOver(task.phase) && state === task.phase) return { result: { state, leaseUntil: null, stop: false }, left };
  if (task.isLeased !== true) throw leaseLost();
  if (state === task.phase) {
    const leaseUntil = await extendTask(db, report, isLeased);
    return { result: leaseUntil === '' ? undefined : { state, leaseUntil, stop: task.stop }, left };
  }
  requireTaskStep(task.phase, state);
  const { reporter, name } = reporterOfTask(within);
  const step = { to: state, conditions, message: message ?? `The task ${task.task} is ${state} at ${name}` };
  const written = await writeStep(db, { read, step, reporter, which: isLeased, leaseSeconds });
  if (written === undefined) return { result: undefined, left };
  const { to, leaseUntil, execution, seen } = written;
  return { result: { state: to, leaseUntil, stop: to === 'RUNNING' && task.stop }, left: { execution, seen } };
}

/** @throws 409 `conflict` for an invalid transition. */
export function requireTaskStep(from: TaskState, to: TaskState): void {
  if (mayReportTask(from, to)) return;
  throw new ApiError('conflict', `The task is ${from} and cannot become ${to}.`, { details: { state: from } });
}

export function reporterOfTask({ ctx, executor }: AuthorizedExecutor): { reporter: Reporter; name: string } {
  const { name } = ctx.caller.principal;
  return { reporter: { executor: { id: executor.id, name }, now: ctx.now(), requestId: ctx.requestId }, name };
}

/** Extends the lease of an assignment. @returns its new end; empty if the executor no longer has the lease. */
export async function extendTask(
  db: Statements,
  { id, leaseSeconds }: Pick<TaskReport, 'id' | 'leaseSeconds'>,
  isLeased: Prisma.Sql,
): Promise<string> {
  const until = Prisma.sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`;
  return db.$text(Prisma.sql`
    UPDATE "assignment" AS a SET "lease_until" = ${until}, "due_at" = ${until} WHERE a."id" = ${id}::uuid AND ${isLeased}
    RETURNING to_json(a."lease_until")#>>'{}'`);
}
