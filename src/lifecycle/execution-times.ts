// Starts queued executions, and ends those that exceed their timeout.
import { Prisma } from '../database/client/client.js';
import { findJson, readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { executionChange, growthOfStep, writeExecution } from './execution-rows.js';
import type { TaskRead, ToldExecution } from './execution-rows.js';
import { isExecutionOver } from './execution-states.js';
import { timedOut } from './execution-steps.js';
import { recordStatuses } from './record-status.js';
import type { Reporter } from './record-status.js';

/** Starts executions of which a task was claimed: they run where its executor does. Their timeouts count from now on. */
export async function beginExecutions(
  db: Statements,
  reporter: Reporter & { executor: { name: string } },
  claims: readonly { resourceId: string; accountId: string }[],
): Promise<void> {
  const accounts = new Map(claims.map(({ resourceId, accountId }) => [resourceId, accountId]));
  const begun = await readJson<Omit<ToldExecution, 'accountId'>[]>(
    db,
    Prisma.sql`
      WITH "turn" AS MATERIALIZED (
        SELECT "id" FROM "job_execution" WHERE "id" = ANY(${[...accounts.keys()]}::uuid[]) AND "status" = 'queued'
        ORDER BY "id" FOR UPDATE),
      "begun" AS (
        UPDATE "job_execution" AS e SET "status" = 'pending', "cluster" = ${reporter.executor.name}, "updated_at" = ${reporter.now.toISOString()}::timestamptz,
          "deadline_at" = now() + (e."spec"->>'timeout')::int * interval '1 second'
        FROM "turn" WHERE e."id" = "turn"."id" RETURNING e.*)
      SELECT coalesce(json_agg(json_build_object('id', "id", 'workspaceId', "workspace_id", 'version', "version", 'status', "status")), '[]')::text
      FROM "begun"`,
  );
  const changes = begun.map((each) =>
    executionChange({ ...each, accountId: accounts.get(each.id) ?? '' }, 'Tasks are being scheduled'),
  );
  await recordStatuses(db, reporter, changes);
}

/**
 * Ends an execution that exceeded its timeout, with its unfinished tasks. Executors of these tasks lose their leases.
 */
export async function timeOut(db: Statements, reporter: Reporter, executionId: string): Promise<void> {
  const read = await findJson<Omit<TaskRead['execution'], 'accountId'>>(
    db,
    Prisma.sql`
      SELECT json_build_object('id', e."id", 'jobId', e."job_id", 'workspaceId', e."workspace_id", 'version', e."version",
        'status', e."status", 'startedAt', e."started_at", 'spec', e."spec", 'stats', e."stats", 'tasks', e."tasks")::text
      FROM "job_execution" AS e WHERE e."id" = ${executionId}::uuid AND e."deadline_at" <= now() FOR UPDATE`,
  );
  if (read === undefined) return;
  const { ordinals, accountId } = await readJson<{ ordinals: number[]; accountId: string | null }>(
    db,
    Prisma.sql`
      WITH "ended" AS (
        UPDATE "assignment" SET "phase" = 'CANCELLED', "executor_id" = NULL, "lease_until" = NULL, "runs_until" = NULL,
          "due_at" = NULL, "stop" = false, "updated_at" = now()
        WHERE "resource_id" = ${executionId}::uuid AND "phase" IN ('WAITING', 'QUEUED', 'RUNNING')
        RETURNING "ordinal", "account_id")
      SELECT json_build_object('ordinals', coalesce(json_agg("ordinal"), '[]'), 'accountId', min("account_id"::text))::text
      FROM "ended"`,
  );
  if (accountId === null || isExecutionOver(read.status)) return;
  const execution = { ...read, accountId };
  const message = `Exceeded its timeout of ${execution.spec.timeout} seconds`;
  const conditions = [{ type: 'Completed', state: 'False', reason: 'Timeout', message }];
  const columns = timedOut(execution, ordinals, { to: 'CANCELLED', conditions, message }, reporter.now);
  await writeExecution(db, executionId, columns);
  const growths = growthOfStep(execution, 'timeout');
  await recordStatuses(db, reporter, [{ ...executionChange({ ...execution, status: 'timeout' }, message), growths }]);
}
