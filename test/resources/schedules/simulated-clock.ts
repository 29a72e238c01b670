// A clock in the database that stands still until a test moves it, and schedules relative to it.
import { Prisma } from '../../../src/database/client/client.js';
import type { Statements } from '../../../src/database/transaction.js';

/** SQL of the current time. */
export const simulatedClock = Prisma.sql`(SELECT "now" FROM "simulated_clock")`;

export async function makeClock(db: Statements): Promise<void> {
  await db.$executeRaw`CREATE TABLE "simulated_clock" ("now" TIMESTAMPTZ(3))`;
  await db.$executeRaw`INSERT INTO "simulated_clock" VALUES (now())`;
}

/** Has every schedule count from a moment on, which is now. */
export async function beginAt(db: Statements, now: Date): Promise<void> {
  await moveTo(db, now);
  await db.$executeRaw`UPDATE "schedule" SET "after_at" = ${now}::timestamptz, "due_at" = ${now}::timestamptz`;
}

export async function moveTo(db: Statements, now: Date): Promise<void> {
  await db.$executeRaw`UPDATE "simulated_clock" SET "now" = ${now}::timestamptz`;
}

/** How many schedules have to be looked at. */
export async function countDue(db: Statements): Promise<number> {
  return Number(
    await db.$text(Prisma.sql`
      SELECT count(*)::text FROM "schedule", "simulated_clock"
      WHERE "due_at" <= "now" + interval '30 seconds' AND "after_at" < "now" AND "due_at" IS NOT NULL`),
  );
}
