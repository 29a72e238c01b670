// Makes what comes round by the clock. Every process looks; the database hands each schedule to one of them at a time, by
// its clock alone, and a turn counts only where nobody has taken it since.
import { Prisma } from '../../database/client/client.js';
import type { Transactional } from '../../database/open.js';
import { cronTimes } from './cron-times.js';
import { invokeAgent } from './invoke-agent.js';
import { runScheduledJob } from './run-scheduled-job.js';
import { takingTurn } from './turn.js';
import type { Making, Scheduled } from './turn.js';

/** So many are taken at once. */
const takenMax = 50;

/** For how long nobody else looks at one that was taken: whoever took it may have died. */
const takenSeconds = 30;

interface Scheduler extends Making {
  db: Transactional;
}

/**
 * Makes what is due. Times that were missed are one: the last of them.
 *
 * @param clock SQL of what time it is.
 * @throws {AggregateError} what failed, when all are done; it is tried again.
 */
export async function runSchedules(scheduler: Scheduler, clock = Prisma.sql`now()`): Promise<void> {
  const failures: unknown[] = [];
  for (;;) {
    const taken = await takeDue(scheduler.db, clock);
    for (const each of taken) await conclude(scheduler, each).catch((error: unknown) => failures.push(error));
    if (taken.length < takenMax) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules cannot be run`);
}

async function takeDue(db: Transactional, clock: Prisma.Sql): Promise<Scheduled[]> {
  const text = await db.$text(Prisma.sql`
    WITH "due" AS MATERIALIZED (
      SELECT "resource_id", "trigger", ${clock} AS "now" FROM "schedule" WHERE "due_at" <= ${clock}
      ORDER BY "due_at" LIMIT ${takenMax}::int FOR UPDATE SKIP LOCKED),
    "taken" AS (
      UPDATE "schedule" AS s SET "due_at" = "due"."now" + ${takenSeconds} * interval '1 second' FROM "due"
      WHERE s."resource_id" = "due"."resource_id" AND s."trigger" = "due"."trigger" RETURNING s.*, "due"."now")
    SELECT coalesce(json_agg(json_build_object('resourceId', "resource_id", 'trigger', "trigger", 'kind', "kind",
      'cron', "cron", 'timeZone', "time_zone", 'afterAt', "after_at", 'now', "now")), '[]')::text FROM "taken"`);
  return JSON.parse(text);
}

async function conclude({ db, seal, now }: Scheduler, each: Scheduled): Promise<void> {
  const clock = new Date(each.now);
  const { last, next } = cronTimes(each.cron, each.timeZone, new Date(each.afterAt), clock);
  const turn = { ...each, afterNext: last === undefined ? each.afterAt : clock.toISOString(), next };
  if (last === undefined) {
    await db.$executeRaw(takingTurn(turn));
    return;
  }
  const run = each.kind === 'JOB' ? runScheduledJob : invokeAgent;
  await db.$begin((tx) => run(tx, { seal, now }, { ...turn, scheduledAt: last.toISOString() }));
}
