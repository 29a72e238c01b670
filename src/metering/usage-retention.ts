// Old raw events are dropped by the month. Sums stay, so answers whose edges fall on hours stay the same. What is
// dropped could not be told from new usage any more, so events of those months are not taken again.
import { setTimeout } from 'node:timers/promises';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { unavailable } from '../errors.js';
import { foldAllUsage } from './fold-all-usage.js';

const waitMsMax = 60_000;
const retryMs = 100;
const deleteMsMax = 6 * 60 * 60_000;

export interface DroppedUsage {
  /** How many events were forgotten. */
  events: number;
  /** How many months of the events' parts of hours were dropped. */
  months: number;
}

/**
 * Drops the raw events of all months before one. Running it again is harmless.
 *
 * @param month the first month that is kept, such as 2026-04.
 * @throws 503 when usage that was coming in before does not end within a minute.
 */
export async function dropUsageBefore(db: Database, month: string, now: Date): Promise<DroppedUsage> {
  const hour = Date.parse(`${month}-01T00:00:00Z`) / 3_600_000;
  await closeBefore(db, hour);
  // What was let in before the books were closed is there now, and waits to be folded at most.
  await foldAllUsage(db, now);
  const partitions: string[] = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(relname ORDER BY relname), '[]')::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'usage_segment'::regclass AND relname < ${`usage_segment_${month.replace('-', '_')}`}::text`),
  );
  for (const partition of partitions) await dropPartition(db, partition, hour);
  const events = await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      // An account whose books are open still needs to know its events again.
      return tx.$executeRaw`
        DELETE FROM "usage_event" AS e USING "usage_account" AS a
        WHERE a."account_id" = e."account_id" AND a."closed_before" >= ${hour} AND e."hour" < ${hour}`;
    },
    { timeout: deleteMsMax },
  );
  return { events, months: partitions.length };
}

/**
 * Accounts that came after the books were closed may have folded into it: while nobody can, theirs are closed too.
 * A fold takes its account first and the partition then, and so does this.
 */
async function dropPartition(db: Database, partition: string, hour: number): Promise<void> {
  await db.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe('LOCK TABLE "usage_account" IN EXCLUSIVE MODE');
      await tx.$executeRawUnsafe(`LOCK TABLE "${partition}" IN ACCESS EXCLUSIVE MODE`);
      await tx.$executeRaw`UPDATE "usage_account" SET "closed_before" = ${hour} WHERE "closed_before" < ${hour}`;
      await tx.$executeRawUnsafe(`DROP TABLE "${partition}"`);
    },
    { timeout: waitMsMax },
  );
}

/**
 * Closes the books, and waits until everybody who may not have noticed is done: who writes events has their table locked
 * from before it looks at the books until it has ended. (Transaction ids would not do: on a cluster writers have theirs on
 * the workers.)
 */
async function closeBefore(db: Database, hour: number): Promise<void> {
  await db.$executeRaw`UPDATE "usage_account" SET "closed_before" = ${hour} WHERE "closed_before" < ${hour}`;
  const before = await writersNow(db);
  for (const startedMs = performance.now(); performance.now() - startedMs < waitMsMax; await setTimeout(retryMs)) {
    const now = new Set(await writersNow(db));
    if (!before.some((writer) => now.has(writer))) return;
  }
  throw unavailable('Earlier requests to record usage did not finish within a minute. Try again.');
}

/** The transactions that write events. */
async function writersNow(db: Database): Promise<string[]> {
  return JSON.parse(
    await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(DISTINCT "virtualtransaction"), '[]')::text FROM pg_locks
      WHERE "relation" = 'usage_event'::regclass AND "mode" = 'RowExclusiveLock' AND "granted"
        AND "database" = (SELECT oid FROM pg_database WHERE datname = current_database())`),
  );
}
