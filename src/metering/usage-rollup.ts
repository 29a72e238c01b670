// Rolls up waiting batches into segments, points and cells, from which answers are computed. Rollups of an account are
// serialized and numbered, so a rollup's number identifies a snapshot of its usage.
import { Prisma } from '../database/client/client.js';
import { isLockTimeout, isStatementTimeout } from '../database/failures.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { cursorAgeHoursMax } from '../pagination/cursor.js';
import { noLabels } from './label-sets.js';
import { numbersLiteral } from './sql-arrays.js';
import { latestUsageTime } from './usage-event.js';
import type { UsageMemory } from './usage-memory.js';

/** The maximum number of batches per statement, because each may have only one event. */
const rollupBatchesMax = 10_000;

/** How long rolled up batches are kept: the lifetime of cursors rounded up to the hour, plus an hour. */
const batchAgeHoursMax = cursorAgeHoursMax + 2;

/** How often a rollup starts again after a concurrent one of the same account, which does the same work. */
const othersMax = 3;

/**
 * Rolls up the usage of an account that is waiting now. Usage that arrives meanwhile is left out, so that this ends. In a
 * transaction, other rollups of the account wait until it ends.
 *
 * @param other whether to wait for a concurrent rollup of the account or leave the rest to it.
 */
export async function rollUpUsage(
  db: Statements,
  memory: UsageMemory,
  accountId: string,
  now: Date,
  other: 'awaited' | 'left' = 'awaited',
): Promise<void> {
  if (other === 'left') return rollUpWaiting(db, memory, accountId, now, other);
  await db.$alone(accountId, () => rollUpWaiting(db, memory, accountId, now, other));
}

async function rollUpWaiting(
  db: Statements,
  memory: UsageMemory,
  accountId: string,
  now: Date,
  other: 'awaited' | 'left',
): Promise<void> {
  const lock = other === 'left' ? Prisma.sql`FOR UPDATE SKIP LOCKED` : Prisma.sql`FOR UPDATE`;
  let others = 0;
  for (let last: string | undefined; ;) {
    const waiting = await waitingBatches(db, accountId, last, memory.rollupEvents);
    if (waiting.batches.length === 0) return;
    ({ last } = waiting);
    let isRolledUp: boolean;
    try {
      isRolledUp = await rollUpBatches(db, accountId, waiting, lock, now);
      memory.adjustRollupEvents('raise');
    } catch (error) {
      // Cold data can time out. The next rollup takes fewer events, so all are rolled up in the end.
      if (isStatementTimeout(error)) memory.adjustRollupEvents('reduce');
      if (db.isTransaction === true || !isLockTimeout(error) || ++others > othersMax) throw error;
      continue;
    }
    if (!waiting.goesOn || (other === 'left' && !isRolledUp)) return;
  }
}

/** @returns whether this rollup took any batch. */
async function rollUpBatches(
  db: Statements,
  accountId: string,
  { months, batches }: Waiting,
  lock: Prisma.Sql,
  now: Date,
): Promise<boolean> {
  for (const month of months) await db.$text(Prisma.sql`SELECT usage_segment_partition(${month}::int)::text`);
  return (await db.$text(rollupStatement(accountId, batches, lock, now))) !== '0';
}

/** SQL for the events that an entry adds: 1, or -1 for a reversal, whose series id and amounts are negated. */
export const eventsOfEntry = Prisma.sql`CASE WHEN "entry" < 0 THEN -1 ELSE 1 END`;

/** SQL: whether usage of an account is waiting to be rolled up. */
export function waitingBatchesSql(accountId: string): Prisma.Sql {
  return Prisma.sql`
    EXISTS (SELECT FROM "usage_batch" WHERE "account_id" = ${accountId}::uuid AND "rollup_id" IS NULL)`;
}

/** SQL for the sums, which like their source rows are stored as 64-bit integers. */
const sums = Prisma.sql`
  sum("events")::bigint AS "events", sum("usage")::bigint AS "usage", sum("cost")::bigint AS "cost"`;

/** Deletes batches that no cursor can refer to any more. */
export async function deleteRolledUpBatches(db: Statements, now: Date): Promise<void> {
  const before = new Date(now.getTime() - batchAgeHoursMax * 3_600_000);
  await (await db.$prisma()).usageBatch.deleteMany({ where: { rolledUpAt: { lt: before } } });
}

interface Waiting {
  batches: string[];
  months: number[];
  /** The last batch that was waiting at the start. */
  last: string;
  /** Whether more than one rollup is needed. */
  goesOn: boolean;
}

/** Returns the oldest waiting batches that fit one rollup, up to `last`. */
async function waitingBatches(
  db: Statements,
  accountId: string,
  last: string | undefined,
  eventsMax: number,
): Promise<Waiting> {
  const upTo = last === undefined ? Prisma.empty : Prisma.sql`AND "batch_id" <= ${last}::text::bigint`;
  return readJson(
    db,
    Prisma.sql`
      WITH waiting AS (
        SELECT "batch_id", "months", "events" FROM "usage_batch"
        WHERE "account_id" = ${accountId}::uuid AND "rollup_id" IS NULL ${upTo}),
      oldest AS MATERIALIZED (
        SELECT "batch_id", "months", sum("events") OVER (ORDER BY "batch_id") - "events" AS "before"
        FROM (SELECT * FROM waiting ORDER BY "batch_id" LIMIT ${rollupBatchesMax}::int) AS b),
      taken AS MATERIALIZED (SELECT * FROM oldest WHERE "before" < ${eventsMax}::int),
      final AS (SELECT max("batch_id") AS "batch_id" FROM waiting)
      SELECT json_build_object(
        'batches', (SELECT coalesce(json_agg("batch_id"::text), '[]') FROM taken),
        'months', (SELECT coalesce(json_agg(DISTINCT month), '[]') FROM taken, unnest("months") AS month),
        'last', (SELECT "batch_id"::text FROM final),
        'goesOn', (SELECT max(taken."batch_id") < max(final."batch_id") FROM taken, final))::text`,
  );
}

/**
 * Rolls up batches in one statement, so it is all or nothing. The account's row serializes rollups: a second one waits
 * for the lock and then finds the batches already rolled up. With SKIP LOCKED it finds no account and takes no batch.
 */
function rollupStatement(accountId: string, batches: readonly string[], lock: Prisma.Sql, now: Date): Prisma.Sql {
  // Old databases may hold events in the future, which are rejected now. Usage has not arrived up to there.
  const knownCondition = Prisma.sql`"hour" <= ${latestUsageTime(now).hour}::int`;
  return Prisma.sql`
    WITH account AS MATERIALIZED (
      SELECT "rollup_id" + 1 AS "rollup_id" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid ${lock}),
    batch AS (
      UPDATE "usage_batch" SET "rollup_id" = account."rollup_id", "rolled_up_at" = ${now.toISOString()}::text::timestamptz
      FROM account, unnest(${numbersLiteral(batches)}::text::bigint[]) AS taken("batch_id")
      WHERE "account_id" = ${accountId}::uuid AND "usage_batch"."batch_id" = taken."batch_id"
        AND "usage_batch"."rollup_id" IS NULL
      RETURNING "usage_batch"."rollup_id", "series_ids", "hours", "nanos", "usages", "costs"),
    event AS MATERIALIZED (
      SELECT "rollup_id", abs("entry") AS "series_id", "hour", "nano", "usage", "cost", "entry", ${eventsOfEntry} AS "events"
      FROM (
        SELECT "rollup_id", unnest("series_ids") AS "entry", unnest("hours") AS "hour", unnest("nanos") AS "nano",
          unnest("usages") AS "usage", unnest("costs") AS "cost"
        FROM batch) AS e),
    whole AS MATERIALIZED (
      SELECT "hour", "rollup_id", max("nano") AS "nano", array_agg("entry") AS "series_ids", array_agg("nano") AS "nanos",
        array_agg("usage") AS "usages", array_agg("cost") AS "costs"
      FROM event GROUP BY "hour", "rollup_id"),
    last AS MATERIALIZED (
      SELECT "rollup_id", CASE WHEN ${knownCondition} THEN "hour" END AS "hour", "nano"
      FROM whole ORDER BY ${knownCondition} DESC, "hour" DESC LIMIT 1),
    segment AS (
      INSERT INTO "usage_segment" ("account_id", "hour", "rollup_id", "series_ids", "nanos", "usages", "costs")
      SELECT ${accountId}::uuid, "hour", "rollup_id", "series_ids", "nanos", "usages", "costs" FROM whole),
    hourly AS MATERIALIZED (
      SELECT "series_id", "hour", ${sums} FROM event GROUP BY 1, 2),
    daily AS MATERIALIZED (
      SELECT "series_id", "hour" / 24 AS "day", ${sums} FROM hourly GROUP BY 1, 2),
    calendar AS MATERIALIZED (
      SELECT "day", (date_part('year', t) - 1970) * 12 + date_part('month', t) - 1 AS "month"
      FROM (SELECT "day", date '1970-01-01' + "day" AS t FROM (SELECT DISTINCT "day" FROM daily) AS d) AS d),
    bucketed AS MATERIALIZED (
      SELECT 1 AS "level", "series_id", "hour" AS "bucket", "events", "usage", "cost" FROM hourly
      UNION ALL SELECT 2, "series_id", "day", "events", "usage", "cost" FROM daily
      UNION ALL SELECT 3, "series_id", ("day" + 3) / 7 AS "week", ${sums} FROM daily GROUP BY 2, 3
      UNION ALL SELECT 4, "series_id", "month"::int, ${sums} FROM daily JOIN calendar USING ("day") GROUP BY 2, 3),
    point AS (
      INSERT INTO "usage_point" AS p ("account_id", "level", "series_id", "bucket", "events", "usage", "cost")
      SELECT ${accountId}::uuid, "level", "series_id", "bucket", "events", "usage", "cost" FROM bucketed
      ORDER BY "level", "bucket", "series_id"
      ON CONFLICT ("account_id", "level", "series_id", "bucket") DO UPDATE SET "events" = p."events" + excluded."events",
        "usage" = p."usage" + excluded."usage", "cost" = p."cost" + excluded."cost"),
    cell AS (
      INSERT INTO "usage_cell" AS c
        ("account_id", "level", "bucket", "workspace", "resource_type", "billing_dimension", "events", "usage", "cost")
      SELECT ${accountId}::uuid, "level", "bucket", "workspace", "resource_type", "billing_dimension",
        sum("events"), sum(b."usage"), sum(b."cost")
      FROM bucketed b JOIN "usage_series" s ON s."account_id" = ${accountId}::uuid AND s."series_id" = b."series_id"
      GROUP BY "level", "bucket", "workspace", "resource_type", "billing_dimension"
      ON CONFLICT ("account_id", "level", "bucket", "workspace", "resource_type", "billing_dimension")
      DO UPDATE SET "events" = c."events" + excluded."events", "usage" = c."usage" + excluded."usage",
        "cost" = c."cost" + excluded."cost"
      RETURNING c."cost", c."usage"),
    label_cell AS (
      INSERT INTO "usage_label_cell" AS c ("account_id", "level", "bucket", "label_set_id", "workspace", "resource_type",
        "billing_dimension", "events", "usage", "cost")
      SELECT ${accountId}::uuid, "level", "bucket", "label_set_id", "workspace", "resource_type", "billing_dimension",
        sum("events"), sum(b."usage"), sum(b."cost")
      FROM bucketed b JOIN "usage_series" s ON s."account_id" = ${accountId}::uuid AND s."series_id" = b."series_id"
      WHERE s."label_set_id" <> ${noLabels}::uuid
        AND EXISTS (SELECT FROM "usage_label_set" WHERE "account_id" = ${accountId}::uuid)
      GROUP BY "level", "bucket", "label_set_id", "workspace", "resource_type", "billing_dimension"
      ON CONFLICT ("account_id", "level", "bucket", "label_set_id", "workspace", "resource_type", "billing_dimension")
      DO UPDATE SET "events" = c."events" + excluded."events", "usage" = c."usage" + excluded."usage",
        "cost" = c."cost" + excluded."cost"),
    rolled_up AS (
      UPDATE "usage_account" SET "rollup_id" = last."rollup_id",
        ("data_through_hour", "data_through_nano") = (
          SELECT "hour", "nano" FROM (VALUES (last."hour", last."nano"), ("data_through_hour", "data_through_nano"))
            AS t("hour", "nano") WHERE "hour" IS NOT NULL ORDER BY "hour" DESC, "nano" DESC LIMIT 1),
        "cell_cost_max" = greatest("cell_cost_max", (SELECT max(abs("cost")) FROM cell)),
        "cell_usage_max" = greatest("cell_usage_max", (SELECT max(abs("usage")) FROM cell))
      FROM last WHERE "account_id" = ${accountId}::uuid),
    lived AS (
      UPDATE "usage_series" s SET "first_day" = least(s."first_day", b."first_day"), "last_day" = greatest(s."last_day", b."last_day")
      FROM (SELECT "series_id", min("bucket") AS "first_day", max("bucket") AS "last_day" FROM bucketed WHERE "level" = 2 GROUP BY 1) b
      WHERE s."account_id" = ${accountId}::uuid AND s."series_id" = b."series_id"
        AND (s."first_day" IS NULL OR b."first_day" < s."first_day" OR b."last_day" > s."last_day"))
    SELECT count(*)::text FROM batch`;
}
