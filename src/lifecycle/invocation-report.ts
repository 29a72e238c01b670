// Reports of executors on invocations of agents.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import { leasedToSql } from './claim.js';
import { isTaskOver } from './execution-states.js';
import { holdAgent, invocationColumns, takeInvocationStep } from './invocation-steps.js';
import type { LockedInvocation } from './invocation-steps.js';
import { leaseLost, reportedBy } from './report.js';
import { extendTask, isRetriedFailure, requireTaskStep } from './task-report.js';
import type { ReportedTask, TaskReport } from './task-report.js';
import { invocationKind } from './work-kinds.js';

/**
 * Processes a report on an invocation. A failed invocation with attempts left is queued.
 *
 * @throws 409 `lease_lost`; 409 `conflict` for an invalid transition.
 */
export async function takeInvocationReport(
  authorized: AuthorizedExecutor,
  report: Omit<TaskReport, 'conditions' | 'logsUrl'>,
): Promise<ReportedTask> {
  return runInTransaction(authorized, false, async (within) => {
    const { db, executor } = within;
    const { id, fence, message, leaseSeconds } = report;
    const isThere = await holdAgent(db, id);
    const number = Prisma.sql`${String(fence)}::bigint`;
    const locked = await findJson<LockedInvocation & { isLeased: boolean | null }>(
      db,
      Prisma.sql`
        SELECT row_to_json(h)::text FROM (
          SELECT ${invocationColumns}, ${leasedToSql(executor, number)} AS "isLeased" FROM "assignment" AS a
          WHERE a."id" = ${id}::uuid AND a."kind" = ${invocationKind} AND a."fence" = ${number}
            AND a."executor_id" = ${executor.id}::uuid FOR UPDATE) AS h`,
    );
    if (!isThere || locked === undefined) throw leaseLost();
    const { state = locked.phase } = report;
    if (isTaskOver(locked.phase) && state === locked.phase) return { state, leaseUntil: null, stop: false };
    if (isRetriedFailure(locked, state)) return { state: locked.phase, leaseUntil: null, stop: false };
    if (locked.isLeased !== true) throw leaseLost();
    if (state === locked.phase) {
      return { state, leaseUntil: await extendTask(db, report, leasedToSql(executor, number)), stop: false };
    }
    requireTaskStep(locked.phase, state);
    const reporter = reportedBy(within);
    const { name } = reporter.executor;
    const step = { to: state, message: message ?? `The run is ${state} at ${name}`, leaseSeconds };
    const { to, leaseUntil } = await takeInvocationStep(db, reporter, locked, step);
    return { state: to, leaseUntil, stop: false };
  });
}
