// Reports on tasks of executions.
import type { AuthorizedExecutor } from '../access/authorize.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { ApiError } from '../errors.js';
import { isHeldBy } from './claim.js';
import { heldTaskColumns, holdExecution, takeStep } from './execution-steps.js';
import type { Condition, HeldTask } from './execution-steps.js';
import { isTaskOver, mayReportTask } from './execution-states.js';
import type { TaskState } from './execution-states.js';
import type { Teller } from './record-status.js';
import { leaseLost } from './report.js';

export interface TaskReport {
  id: string;
  fence: number;
  /** Nothing for a sign of life alone. */
  state: TaskState | undefined;
  message: string | undefined;
  conditions: Condition[];
  leaseSeconds: number;
}

export interface ReportedTask {
  state: TaskState;
  leaseUntil: string | null;
  /** Whether it is to be stopped. */
  stop: boolean;
}

/**
 * Takes a report on a task. A failed task that may be tried again is queued.
 *
 * @throws 409 `lease_lost`; 409 `conflict` for a state that cannot follow on the last one.
 */
export async function takeTaskReport(authorized: AuthorizedExecutor, report: TaskReport): Promise<ReportedTask> {
  return authorized.transaction(async (within) => {
    const { db, executor } = within;
    const { id, fence, message, conditions } = report;
    const execution = await holdExecution(db, id);
    const number = Prisma.sql`${String(fence)}::bigint`;
    const text = await db.$text(Prisma.sql`
      SELECT row_to_json(h)::text FROM (
        SELECT ${heldTaskColumns}, ${isHeldBy(executor, number)} AS "isHeld" FROM "assignment" AS a
        WHERE a."id" = ${id}::uuid AND a."fence" = ${number} AND a."executor_id" = ${executor.id}::uuid FOR UPDATE) AS h`);
    const held: (HeldTask & { isHeld: boolean | null }) | undefined = text === '' ? undefined : JSON.parse(text);
    if (execution === undefined || held === undefined) throw leaseLost();
    const { state = held.phase } = report;
    if (isTaskOver(held.phase) && state === held.phase) return { state, leaseUntil: null, stop: false };
    if (held.isHeld !== true) throw leaseLost();
    if (state !== held.phase) {
      requireTaskStep(held.phase, state);
      const { teller, name } = tellerOfTask(within);
      const told = message ?? `The task ${held.task} is ${state} at ${name}`;
      const to = await takeStep(db, teller, execution, held, { to: state, conditions, message: told });
      if (to !== 'RUNNING') return { state: to, leaseUntil: null, stop: false };
    }
    return { state, leaseUntil: await extendTask(db, report), stop: held.stop };
  });
}

/** @throws 409 `conflict` for a state that cannot follow on the last one. */
export function requireTaskStep(from: TaskState, to: TaskState): void {
  if (mayReportTask(from, to)) return;
  throw new ApiError('conflict', `The task is ${from}, which does not lead to ${to}.`, { details: { state: from } });
}

export function tellerOfTask({ ctx, executor }: AuthorizedExecutor): { teller: Teller; name: string } {
  const { name } = ctx.caller.principal;
  return { teller: { executor: { id: executor.id, name }, now: ctx.now(), requestId: ctx.requestId }, name };
}

/** Extends the lease of what is held. @returns until when. */
export async function extendTask(
  db: Statements,
  { id, leaseSeconds }: Pick<TaskReport, 'id' | 'leaseSeconds'>,
): Promise<string> {
  const until = Prisma.sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`;
  return db.$text(Prisma.sql`
    UPDATE "assignment" SET "lease_until" = ${until}, "due_at" = ${until} WHERE "id" = ${id}::uuid
    RETURNING to_json("lease_until")#>>'{}'`);
}
