// Assigns the tasks of an execution to executors, and stops them, in the transaction that writes the execution.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';
import { notifyWaiters, servedCondition } from './assign.js';
import { taskKind } from './work-kinds.js';

/** The region of an execution `r`: that of its job. */
const region = Prisma.sql`(SELECT j."spec"->>'region' FROM "job" AS j WHERE j."id" = r."job_id")`;

interface Tasks {
  accountId: string;
  workspace: string;
  job: string;
  /** How many tasks run at the same time; all by default. */
  parallelism: number | undefined;
  /** The number of retries and the timeout (seconds) of each task, in order. */
  limits: readonly { retries: number; timeoutSeconds: number | null }[];
}

/** Assigns the tasks of a new execution if an executor serves them. */
export async function assignTasks(
  db: Statements,
  executionId: string,
  { accountId, workspace, job, parallelism, limits }: Tasks,
): Promise<void> {
  const atOnce = parallelism ?? limits.length;
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "assignment" AS a ("kind", "resource_id", "task", "ordinal", "account_id", "workspace_id", "workspace",
      "name", "region", "wanted", "phase", "retries_max", "timeout_seconds", "due_at")
    SELECT ${taskKind}::text, r."id", t."value"->'metadata'->>'name', t."ordinal", ${accountId}::uuid, r."workspace_id",
      ${workspace}, ${job}, ${region}, 'run', CASE WHEN t."ordinal" <= ${atOnce}::int THEN 'QUEUED' ELSE 'WAITING' END,
      l."retries", l."timeoutSeconds", CASE WHEN t."ordinal" <= ${atOnce}::int THEN now() END
    FROM "job_execution" AS r, json_array_elements(r."tasks") WITH ORDINALITY AS t("value", "ordinal"),
      json_to_recordset(${JSON.stringify(limits.map((each, index) => ({ ...each, ordinal: index + 1 })))}::json)
        AS l("ordinal" int, "retries" int, "timeoutSeconds" int)
    WHERE r."id" = ${executionId}::uuid AND l."ordinal" = t."ordinal" AND ${servedCondition(taskKind, region)}
    RETURNING CASE WHEN a."ordinal" = 1 THEN ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)} END`);
}

/**
 * Stops the tasks of a cancelled execution. The executor of a running task is notified to stop, and reports when it
 * has; other tasks are cancelled immediately.
 */
export async function stopTasks(db: Statements, executionId: string, isOver: boolean): Promise<void> {
  const change = isOver
    ? Prisma.sql`"phase" = 'CANCELLED', "due_at" = NULL, "executor_id" = NULL, "lease_until" = NULL, "runs_until" = NULL`
    : Prisma.sql`"stop" = true, "due_at" = coalesce(a."lease_until", now())`;
  await db.$executeRaw(Prisma.sql`
    UPDATE "assignment" AS a SET ${change}
    WHERE a."resource_id" = ${executionId}::uuid AND a."phase" IN ('WAITING', 'QUEUED', 'RUNNING')
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`);
}

/** Moves the tasks of a job's executions that have not begun to the region of the job, whose row is written. */
export async function moveTasks(db: Statements, jobId: string): Promise<void> {
  await db.$defer(Prisma.sql`
    UPDATE "assignment" AS a SET "region" = ${region}, "updated_at" = now() FROM "job_execution" AS r
    WHERE r."job_id" = ${jobId}::uuid AND r."status" = 'queued' AND a."resource_id" = r."id" AND a."executor_id" IS NULL
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`);
}
