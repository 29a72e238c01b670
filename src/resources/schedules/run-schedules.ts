// Runs schedules. Every process polls, and the database gives each due schedule to one process at a time, by its own
// clock. A run counts only if no other process has taken the schedule since.
import { Prisma } from '../../database/client/client.js';
import type { Transactional } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import { isQuotaRefusal } from '../../quotas/refusal.js';
import { cronTimes } from './cron-times.js';
import type { CronTimes } from './cron-times.js';
import { invokeAgent } from './invoke-agent.js';
import { skipSchedules } from './skip-schedules.js';
import { skipRefusedJob } from './record-skipped.js';
import { runScheduledJob } from './run-scheduled-job.js';
import { advanceSchedule } from './claimed-schedule.js';
import type { Making, Scheduled, ClaimedSchedule } from './claimed-schedule.js';

/** The maximum number of schedules that a process claims together. */
const takenMax = 200;

/** How long other processes skip a claimed schedule. After that, the claiming process may have died. */
const takenSeconds = 30;

interface Scheduler extends Making {
  db: Transactional;
}

/**
 * Runs due schedules. Of several missed times, only the last one runs.
 *
 * @param clock SQL of the current time.
 * @throws {AggregateError} the failures, after all schedules were tried. They are retried.
 */
export async function runSchedules(scheduler: Scheduler, clock = Prisma.sql`now()`): Promise<void> {
  const failures: unknown[] = [];
  for (;;) {
    const claimed = await takeDue(scheduler.db, clock);
    const schedules = schedulesOf(claimed, failures);
    // If the schedules cannot be skipped together, they are run one by one.
    const remaining = await skipSchedules(scheduler.db, schedules).catch((error: unknown) => {
      failures.push(error);
      return schedules;
    });
    for (const each of remaining) await conclude(scheduler, each).catch((error: unknown) => failures.push(error));
    if (claimed.length < takenMax) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules cannot be run`);
}

async function takeDue(db: Transactional, clock: Prisma.Sql): Promise<Scheduled[]> {
  return readJson(
    db,
    Prisma.sql`
      WITH "due" AS MATERIALIZED (
        SELECT "resource_id", "trigger", ${clock} AS "now" FROM "schedule" WHERE "due_at" <= ${clock}
        ORDER BY "due_at" LIMIT ${takenMax}::int FOR UPDATE SKIP LOCKED),
      "taken" AS (
        UPDATE "schedule" AS s SET "due_at" = "due"."now" + ${takenSeconds} * interval '1 second' FROM "due"
        WHERE s."resource_id" = "due"."resource_id" AND s."trigger" = "due"."trigger" RETURNING s.*, "due"."now")
      SELECT coalesce(json_agg(json_build_object('resourceId', "resource_id", 'trigger', "trigger", 'kind', "kind",
        'cron', "cron", 'timeZone', "time_zone", 'afterAt', "after_at", 'now', "now")), '[]')::text FROM "taken"`,
  );
}

/**
 * Many schedules share an expression, whose times are computed once. All were claimed at the same time. A schedule whose
 * times cannot be computed, such as one in a time zone that this process does not know, is left out.
 */
function schedulesOf(claimed: readonly Scheduled[], failures: unknown[]): ClaimedSchedule[] {
  const known = new Map<string, CronTimes>();
  return claimed.flatMap((each) => {
    const { kind, resourceId, cron, timeZone, afterAt, now } = each;
    const key = JSON.stringify([cron, timeZone, afterAt]);
    try {
      const times = known.get(key) ?? cronTimes(cron, timeZone, new Date(afterAt), new Date(now));
      known.set(key, times);
      const scheduledAt = times.last?.toISOString();
      const afterNext = scheduledAt === undefined ? afterAt : new Date(now).toISOString();
      return [{ ...each, afterNext, next: times.next, scheduledAt }];
    } catch (error) {
      failures.push(new Error(`The times of a schedule of the ${kind} ${resourceId} are not known`, { cause: error }));
      return [];
    }
  });
}

async function conclude({ db, encryption, now }: Scheduler, schedule: ClaimedSchedule): Promise<void> {
  const { kind, scheduledAt } = schedule;
  if (scheduledAt === undefined) {
    await advanceSchedule(db, schedule);
    return;
  }
  const run = kind === 'JOB' ? runScheduledJob : invokeAgent;
  const due = { ...schedule, scheduledAt };
  try {
    await db.$begin((tx) => run(tx, { encryption, now }, due));
  } catch (error) {
    if (!isQuotaRefusal(error)) throw error;
    await db.$begin((tx) => skipRefusedJob(tx, now(), due, error.message));
  }
}
