// What the control plane does about executions whatever executors do or leave undone: timeouts, tasks that nobody stopped,
// and tasks that were claimed in vain.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { heldTaskColumns, holdExecution, takeStep, timeOut } from './execution-steps.js';
import type { HeldTask, TaskStep } from './execution-steps.js';
import { attemptsMax, taskKind } from './work-kinds.js';

/** How many are tended at a time. */
const batch = 100;

interface Case {
  /** SQL of which tasks `a` it is about. */
  which: Prisma.Sql;
  step: TaskStep;
}

function stepTo(to: 'FAILED' | 'CANCELLED', reason: string, message: string): TaskStep {
  return { to, message, conditions: [{ type: 'Completed', state: 'False', reason, message }] };
}

const cases: readonly Case[] = [
  {
    which: Prisma.sql`a."stop" AND a."due_at" <= now()`,
    step: stepTo('CANCELLED', 'Cancelled', 'Cancelled; nobody ran it any more'),
  },
  {
    which: Prisma.sql`a."runs_until" <= now()`,
    step: stepTo('FAILED', 'Timeout', 'The task took longer than its timeout'),
  },
  {
    which: Prisma.sql`a."due_at" <= now() AND a."attempt" >= ${Prisma.raw(String(attemptsMax))}`,
    step: stepTo(
      'FAILED',
      'GivenUp',
      `Given up after ${attemptsMax} tries: none of them was reported on before its lease ran out`,
    ),
  },
];

/** Ends what is to end. */
export async function tendExecutions(db: Database, now: Date): Promise<void> {
  const late: string[] = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(e."id"), '[]')::text FROM (
        SELECT "id" FROM "job_execution" WHERE "deadline_at" <= now() LIMIT ${batch}) AS e`),
  );
  for (const id of late) await db.$begin((tx) => timeOut(tx, { now }, id));
  for (const each of cases) await tend(db, each, now);
}

async function tend(db: Database, { which, step }: Case, now: Date): Promise<void> {
  const found: string[] = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(t."id"), '[]')::text FROM (
        SELECT a."id" FROM "assignment" AS a WHERE a."kind" = ${taskKind} AND ${which} LIMIT ${batch}) AS t`),
  );
  for (const id of found) {
    await db.$begin(async (tx) => {
      const execution = await holdExecution(tx, id);
      const text = await tx.$text(Prisma.sql`
        SELECT row_to_json(h)::text FROM (
          SELECT ${heldTaskColumns} FROM "assignment" AS a WHERE a."id" = ${id}::uuid AND ${which}
            AND a."phase" IN ('WAITING', 'QUEUED', 'RUNNING') FOR UPDATE) AS h`);
      // It came to something else meanwhile.
      if (text === '' || execution === undefined) return;
      const task: HeldTask = JSON.parse(text);
      // Whoever ran it has lost it.
      await tx.$executeRaw`UPDATE "assignment" SET "executor_id" = NULL, "lease_until" = NULL WHERE "id" = ${id}::uuid`;
      await takeStep(tx, { now }, execution, task, step);
    });
  }
}
