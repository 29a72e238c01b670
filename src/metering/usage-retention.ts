// Drops raw events of old months, and the labels that only they could have. Sums remain, so answers with whole hours do
// not change. Events of dropped months are rejected, because duplicates can no longer be detected.
import { setTimeout } from 'node:timers/promises';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import { unavailable } from '../errors.js';
import { kindsWith, resourceKinds } from '../resource-kinds.js';
import { rollUpAllUsage } from './roll-up-all-usage.js';
import type { UsageMemory } from './usage-memory.js';

const waitMsMax = 60_000;
const retryMs = 100;
const deleteMsMax = 6 * 60 * 60_000;

export interface DroppedUsage {
  /** The number of dropped events. */
  events: number;
  /** The number of months whose partial hours were dropped. */
  months: number;
}

/**
 * Counts what `dropUsageBefore()` would drop. It rolls up waiting usage, and changes nothing else.
 *
 * @param month the first month to keep, such as 2026-04.
 */
export async function countUsageBefore(
  db: Database,
  memory: UsageMemory,
  month: string,
  now: Date,
): Promise<DroppedUsage> {
  await rollUpAllUsage(db, memory, now);
  const partitions = await partitionsBefore(db, month);
  const events = await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      return tx.usageEvent.count({ where: { hour: { lt: hourOf(month) } } });
    },
    { timeout: deleteMsMax },
  );
  return { events, months: partitions.length };
}

/**
 * Drops the raw events of all months before `month`. Repeating it is harmless.
 *
 * @param month the first month to keep, such as 2026-04.
 * @throws 503 when usage insertions in progress do not end within a minute.
 */
export async function dropUsageBefore(
  db: Database,
  memory: UsageMemory,
  month: string,
  now: Date,
): Promise<DroppedUsage> {
  const hour = hourOf(month);
  await closeBefore(db, hour);
  // Usage accepted before the closing is stored now and at most waits to be rolled up.
  await rollUpAllUsage(db, memory, now);
  const partitions = await partitionsBefore(db, month);
  for (const partition of partitions) await dropPartition(db, partition, hour);
  await dropLabelsBefore(db, hour);
  const events = await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      // An account whose months are still open needs its events to detect duplicates.
      const dropped = await tx.$executeRaw`
        DELETE FROM "usage_event" AS e USING "usage_account" AS a
        WHERE a."account_id" = e."account_id" AND a."closed_before" >= ${hour} AND e."hour" < ${hour}`;
      await tx.$executeRaw`
        DELETE FROM "usage_correction" AS c WHERE NOT EXISTS (
          SELECT FROM "usage_event" AS e
          WHERE e."account_id" = c."account_id" AND e."source" = c."source" AND e."id" = c."id")`;
      return dropped;
    },
    { timeout: deleteMsMax },
  );
  return { events, months: partitions.length };
}

/**
 * Deletes the labels that resources had only before an hour, where the months before it are closed: no event of that time
 * can be recorded any more. The last labels before it hold for usage after it, and stay with their resource.
 */
async function dropLabelsBefore(db: Database, hour: number): Promise<void> {
  const closed = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg("account_id"), '[]')::text FROM "usage_account" WHERE "closed_before" >= ${hour}::int`,
  );
  const until = new Date(hour * 3_600_000).toISOString();
  await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      await tx.$executeRaw`
        DELETE FROM "label_history" AS h
        WHERE h."account_id" = ANY (${closed}::uuid[]) AND h."since" < ${until}::timestamptz AND EXISTS (
          SELECT FROM "label_history" AS later
          WHERE later."account_id" = h."account_id" AND later."resource_id" = h."resource_id"
            AND later."since" > h."since" AND later."since" <= ${until}::timestamptz)`;
    },
    { timeout: deleteMsMax },
  );
  for (const accountId of closed) await dropLabelsOfDeleted(db, accountId, hour);
}

interface DeletedResource {
  id: string;
  workspace: string;
  type: string;
  name: string;
  /** Whether usage that has only the name of the resource can have its labels. */
  isLastOfName: boolean;
}

/**
 * Deletes the labels of deleted resources which no usage from an hour on refers to: resources that were deleted before it,
 * or longer ago than the change log tells, and have no recorded usage since. Labels of usage by name are those of the last
 * resource of the name.
 */
async function dropLabelsOfDeleted(db: Database, accountId: string, hour: number): Promise<void> {
  const account = Prisma.sql`${accountId}::uuid`;
  const until = Prisma.sql`${new Date(hour * 3_600_000).toISOString()}::timestamptz`;
  const existing = kindsWith('hasLabels').map(
    (kind) => Prisma.sql`SELECT r."id" FROM ${Prisma.raw(`"${resourceKinds[kind].table}"`)} AS r`,
  );
  await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      const deleted = await tx.$queryRaw<DeletedResource[]>`
        SELECT h."resource_id" AS "id", h."workspace", h."resource_type" AS "type", h."name", NOT EXISTS (
            SELECT FROM "label_history" AS n
            WHERE n."account_id" = ${account} AND n."workspace" = h."workspace" AND n."resource_type" = h."resource_type"
              AND n."name" = h."name" AND n."since" > h."since" AND n."since" <= ${until}) AS "isLastOfName"
        FROM "label_history" AS h
        WHERE h."account_id" = ${account} AND h."since" < ${until}
          AND NOT EXISTS (
            SELECT FROM "label_history" AS later
            WHERE later."account_id" = ${account} AND later."resource_id" = h."resource_id"
              AND later."since" > h."since")
          AND NOT EXISTS (
            SELECT FROM (${Prisma.join(existing, ' UNION ALL ')}) AS r WHERE r."id" = h."resource_id"::uuid)
          AND NOT EXISTS (
            SELECT FROM "change" AS c
            WHERE c."account_id" = ${account} AND c."resource_id" = h."resource_id"::uuid AND c."verb" = 'deleted'
              AND c."time" >= ${until})`;
      // The series can be on other machines than the labels, so they are read by themselves. A distributed database (Citus)
      // cannot plan an EXISTS without columns.
      const usedCondition = Prisma.sql`
        s."account_id" = ${account} AND coalesce(s."last_day" >= ${hour / 24}::int, TRUE)`;
      const unused = await tx.$queryRaw<{ id: string }[]>`
        SELECT d."id"
        FROM json_to_recordset(${JSON.stringify(deleted)}::json)
          AS d("id" text, "workspace" text, "type" text, "name" text, "isLastOfName" boolean)
        WHERE NOT EXISTS (SELECT 1 FROM "usage_series" AS s WHERE ${usedCondition} AND s."resource_uuid" = d."id")
          AND NOT (d."isLastOfName" AND EXISTS (
            SELECT 1 FROM "usage_series" AS s
            WHERE ${usedCondition} AND s."resource_name" = d."name" AND s."workspace" = d."workspace"
              AND s."resource_type" = d."type"))`;
      await tx.$executeRaw`
        DELETE FROM "label_history"
        WHERE "account_id" = ${account} AND "resource_id" = ANY (${unused.map(({ id }) => id)}::text[])`;
    },
    { timeout: deleteMsMax },
  );
}

/** The start of a month, in hours since 1970. */
function hourOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`) / 3_600_000;
}

/** The tables with the segments of the months before `month`. */
async function partitionsBefore(db: Database, month: string): Promise<string[]> {
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(relname ORDER BY relname), '[]')::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'usage_segment'::regclass AND relname < ${`usage_segment_${month.replace('-', '_')}`}::text`,
  );
}

/**
 * Accounts created after the closing may have rolled up into the partition. While it is locked, close their months too.
 * Lock the account before the partition, in the same order as a rollup.
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
 * Closes months, and waits for writers that may not have seen it: a writer locks the event table before it reads the
 * closing hour, until it ends. (Transaction ids would not do: in a cluster, writers have theirs on the workers.)
 */
async function closeBefore(db: Database, hour: number): Promise<void> {
  await db.$executeRaw`UPDATE "usage_account" SET "closed_before" = ${hour} WHERE "closed_before" < ${hour}`;
  const before = await writersNow(db);
  for (const startedMs = performance.now(); performance.now() - startedMs < waitMsMax; await setTimeout(retryMs)) {
    const now = new Set(await writersNow(db));
    if (!before.some((writer) => now.has(writer))) return;
  }
  throw unavailable('Earlier requests with usage did not finish within a minute. Try again.');
}

/** Returns the transactions that are writing events. */
async function writersNow(db: Database): Promise<string[]> {
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(DISTINCT "virtualtransaction"), '[]')::text FROM pg_locks
      WHERE "relation" = 'usage_event'::regclass AND "mode" = 'RowExclusiveLock' AND "granted"
        AND "database" = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
}
