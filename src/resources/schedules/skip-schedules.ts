// Skips schedules that need no run, in one statement: those that are not due, and those of agents that no executor
// runs. Of 100,000 agents, thousands can be due in the same second.
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { servedCondition } from '../../lifecycle/assign.js';
import { invocationKind } from '../../lifecycle/work-kinds.js';
import type { ClaimedSchedule } from './claimed-schedule.js';

/**
 * Advances the schedules that need no run, except those that another transaction has locked.
 *
 * @returns the other schedules.
 */
export async function skipSchedules(db: Statements, schedules: readonly ClaimedSchedule[]): Promise<ClaimedSchedule[]> {
  const rows = schedules.map(({ resourceId, trigger, cron, timeZone, afterAt, afterNext, next, scheduledAt }, n) => ({
    n,
    resource_id: resourceId,
    trigger,
    cron,
    time_zone: timeZone,
    after_at: afterAt,
    after_next: afterNext,
    next: next ?? null,
    is_due: scheduledAt !== undefined,
  }));
  // An update of an agent locks its schedules one by one. Waiting for a lock here could be a deadlock.
  const passed = await readJson<number[]>(
    db,
    Prisma.sql`
      WITH "given" AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS g("n" int, "resource_id" uuid, "trigger" text,
          "cron" text, "time_zone" text, "after_at" timestamptz, "after_next" timestamptz, "next" timestamptz, "is_due" boolean)),
      "idle" AS MATERIALIZED (
        SELECT g.* FROM "given" AS g JOIN "schedule" AS s USING ("resource_id", "trigger", "cron", "time_zone", "after_at")
        WHERE NOT g."is_due" OR EXISTS (
          SELECT FROM "agent" AS a
          WHERE a."id" = g."resource_id" AND NOT ${servedCondition(invocationKind, Prisma.sql`a."spec"->>'region'`)})
        FOR UPDATE OF s SKIP LOCKED),
      "passed" AS (
        UPDATE "schedule" AS s SET "after_at" = idle."after_next", "due_at" = idle."next" FROM "idle"
        WHERE s."resource_id" = idle."resource_id" AND s."trigger" = idle."trigger" RETURNING idle."n")
      SELECT coalesce(json_agg("n"), '[]')::text FROM "passed"`,
  );
  const done = new Set(passed);
  return schedules.filter((_, n) => !done.has(n));
}
