import { Prisma } from '../../database/client/client.js';
import type { Statements } from '../../database/transaction.js';
import type { Encryption } from '../../encryption.js';

/** The services that a run needs. */
export interface Making {
  encryption: Encryption;
  now: () => Date;
}

/** A claimed schedule. */
export interface Scheduled {
  resourceId: string;
  /** Id of the trigger of an agent; empty for a job. */
  trigger: string;
  kind: 'AGENT' | 'JOB';
  cron: string;
  timeZone: string;
  /** Times up to this one are done with. */
  afterAt: string;
  /** The time of the claim, by the clock of the database. */
  now: string;
}

/** A claimed schedule, and its times. */
export interface ClaimedSchedule extends Scheduled {
  /** Up to when its times are done with from now on. */
  afterNext: string;
  /** The next time of the schedule; undefined if there is none. */
  next: Date | undefined;
  /** The time that is due; undefined if there is none. */
  scheduledAt: string | undefined;
}

/** A schedule that is due. */
export type DueSchedule = ClaimedSchedule & { scheduledAt: string };

/** Advances a schedule. @returns false if another process has advanced it, or it was changed. */
export async function advanceSchedule(db: Statements, schedule: ClaimedSchedule): Promise<boolean> {
  const { resourceId, trigger, cron, timeZone, afterAt, afterNext, next } = schedule;
  const updated = await db.$executeRaw(Prisma.sql`
    UPDATE "schedule" AS s
    SET "after_at" = ${afterNext}::timestamptz, "due_at" = ${next?.toISOString() ?? null}::timestamptz
    WHERE s."resource_id" = ${resourceId}::uuid AND s."trigger" = ${trigger} AND s."cron" = ${cron}
      AND s."time_zone" = ${timeZone} AND s."after_at" = ${afterAt}::timestamptz`);
  return updated > 0;
}
