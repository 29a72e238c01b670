// The background task of executions, independent of executors: timeouts, tasks that no executor stops, and tasks that
// used up their attempts.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import { lockExecution, lockTask, writeStep } from './execution-rows.js';
import type { TaskStep } from './execution-steps.js';
import { timeOut } from './execution-times.js';
import { attemptsMax, taskKind } from './work-kinds.js';

/** How many are processed at a time, oldest first. */
const batch = 100;

interface Case {
  /** SQL that selects the tasks `a`. */
  which: Prisma.Sql;
  /** SQL of the time since which it applies. */
  since: Prisma.Sql;
  step: TaskStep;
}

function stepTo(to: 'FAILED' | 'CANCELLED', reason: string, message: string): TaskStep {
  return { to, message, conditions: [{ type: 'Completed', state: 'False', reason, message }] };
}

const cases: readonly Case[] = [
  {
    which: Prisma.sql`a."stop" AND a."due_at" <= now()`,
    since: Prisma.sql`a."due_at"`,
    step: stepTo('CANCELLED', 'Cancelled', 'Cancelled; no executor was running the task'),
  },
  {
    which: Prisma.sql`a."runs_until" <= now()`,
    since: Prisma.sql`a."runs_until"`,
    step: stepTo('FAILED', 'Timeout', 'The task exceeded its timeout'),
  },
  {
    which: Prisma.sql`a."due_at" <= now() AND a."attempt" >= ${Prisma.raw(String(attemptsMax))}`,
    since: Prisma.sql`a."due_at"`,
    step: stepTo('FAILED', 'GivenUp', `Failed after ${attemptsMax} attempts: each lease expired without a report`),
  },
];

/** Ends executions and tasks that are overdue. */
export async function tendExecutions(db: Database, now: Date): Promise<void> {
  const steps = cases.map((each) => () => tend(db, each, now));
  await tryEach([() => timeOutLate(db, now), ...steps], (step) => step());
}

async function timeOutLate(db: Database, now: Date): Promise<void> {
  const late = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(e."id"), '[]')::text FROM (
        SELECT "id" FROM "job_execution" WHERE "deadline_at" <= now() ORDER BY "deadline_at" LIMIT ${batch}) AS e`,
  );
  await tryEach(late, (id) => db.$begin((tx) => timeOut(tx, { now }, id)));
}

async function tend(db: Database, each: Case, now: Date): Promise<void> {
  const found = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(t."id"), '[]')::text FROM (
        SELECT a."id" FROM "assignment" AS a WHERE a."kind" = ${taskKind} AND ${each.which}
        ORDER BY ${each.since} LIMIT ${batch}) AS t`,
  );
  await tryEach(found, (id) => db.$begin((tx) => end(tx, each, id, now)));
}

async function end(db: Statements, { which, step }: Case, id: string, now: Date): Promise<void> {
  await lockExecution(db, id);
  const openCondition = Prisma.sql`${which} AND a."phase" IN ('WAITING', 'QUEUED', 'RUNNING')`;
  const read = await lockTask(db, id, openCondition, Prisma.sql`false`);
  // If it was not found, its state changed meanwhile. The executor that ran it loses its lease.
  if (read !== undefined) await writeStep(db, { read, step, reporter: { now } });
}
