// Folds what waits in batches into what answers are added up from: segments, points and cells. Folds of one
// account happen one after the other and are numbered, so "as of fold n" names one moment of its usage.
import { Prisma } from '../database/client/client.js';
import { isLockTimeout, isStatementTimeout } from '../database/failures.js';
import type { Statements } from '../database/open.js';
import { cursorAgeHoursMax } from '../pagination/cursor.js';
import { numbersLiteral } from './sql-arrays.js';
import { latestUsageTime } from './usage-event.js';

/**
 * So many events are folded by one statement, unless one batch alone has more: a second or so, for who asks meanwhile
 * waits for it, and not longer than for any lock.
 */
const foldEventsMax = 100_000;

const foldEventsMin = 1_000;

/** How many are folded by one statement of a database that ran out of time with more of them: few at first, then more again. */
const foldEvents = new WeakMap<Statements, number>();

/** And so many batches: they may hold one event each. */
const foldBatchesMax = 10_000;

/** Folded batches are kept for as long as a cursor of an answer without them lives: to the end of its hour, and one more. */
const batchAgeHoursMax = cursorAgeHoursMax + 2;

/** So often a fold begins again when another one of the account is in its way: that one does the same work. */
const othersMax = 3;

/**
 * Folds all that waits of one account now, and not what arrives meanwhile: that may never come to an end.
 *
 * @param other whether a fold of the account that is under way is waited for, or what waits is left to it.
 */
export async function foldUsage(
  db: Statements,
  accountId: string,
  now: Date,
  other: 'awaited' | 'left' = 'awaited',
): Promise<void> {
  const lock = other === 'left' ? Prisma.sql`FOR UPDATE SKIP LOCKED` : Prisma.sql`FOR UPDATE`;
  let others = 0;
  for (let last: string | undefined; ;) {
    const waiting = await waitingBatches(db, accountId, last);
    if (waiting.batches.length === 0) return;
    ({ last } = waiting);
    let isFolded: boolean;
    try {
      isFolded = await foldBatches(db, accountId, waiting, lock, now);
      foldEvents.set(db, Math.min(foldEventsMax, Math.ceil(1.25 * foldEventsOf(db))));
    } catch (error) {
      // What is on disk alone may take long. The next fold begins with a part, so all is folded in the end.
      if (isStatementTimeout(error)) foldEvents.set(db, Math.max(foldEventsMin, Math.floor(foldEventsOf(db) / 4)));
      if (!isLockTimeout(error) || ++others > othersMax) throw error;
      continue;
    }
    if (!waiting.goesOn || (other === 'left' && !isFolded)) return;
  }
}

function foldEventsOf(db: Statements): number {
  return foldEvents.get(db) ?? foldEventsMax;
}

/** @returns whether it was this fold that took any of them. */
async function foldBatches(
  db: Statements,
  accountId: string,
  { months, batches }: Waiting,
  lock: Prisma.Sql,
  now: Date,
): Promise<boolean> {
  for (const month of months) await db.$text(Prisma.sql`SELECT usage_segment_partition(${month}::int)::text`);
  return (await db.$text(foldStatement(accountId, batches, lock, now))) !== '0';
}

/**
 * SQL for how many events an entry of a batch or segment adds: its series id is below zero when it takes one back,
 * with the amounts of that event turned.
 */
export const eventsOfEntry = Prisma.sql`CASE WHEN "entry" < 0 THEN -1 ELSE 1 END`;

/** SQL for whether usage of an account waits to be folded. */
export function isWaiting(accountId: string): Prisma.Sql {
  return Prisma.sql`
    EXISTS (SELECT FROM "usage_batch" WHERE "account_id" = ${accountId}::uuid AND "fold_id" IS NULL)`;
}

/** SQL for sums that are stored as whole numbers of 64 bits, as those of the rows that they come from are. */
const sums = Prisma.sql`
  sum("events")::bigint AS "events", sum("usage")::bigint AS "usage", sum("cost")::bigint AS "cost"`;

/** Forgets batches that no cursor can need any more. */
export async function forgetFoldedBatches(db: Statements, now: Date): Promise<void> {
  const before = new Date(now.getTime() - batchAgeHoursMax * 3_600_000);
  await db.usageBatch.deleteMany({ where: { foldedAt: { lt: before } } });
}

interface Waiting {
  batches: string[];
  months: number[];
  /** The last that waited when the first of them were read. */
  last: string;
  /** Whether one fold is not enough. */
  goesOn: boolean;
}

/** The oldest batches that wait, as many as one fold takes, up to the last. */
async function waitingBatches(db: Statements, accountId: string, last: string | undefined): Promise<Waiting> {
  const upTo = last === undefined ? Prisma.empty : Prisma.sql`AND "batch_id" <= ${last}::text::bigint`;
  return JSON.parse(
    await db.$text(Prisma.sql`
      WITH waiting AS (
        SELECT "batch_id", "months", "events" FROM "usage_batch"
        WHERE "account_id" = ${accountId}::uuid AND "fold_id" IS NULL ${upTo}),
      oldest AS MATERIALIZED (
        SELECT "batch_id", "months", sum("events") OVER (ORDER BY "batch_id") - "events" AS "before"
        FROM (SELECT * FROM waiting ORDER BY "batch_id" LIMIT ${foldBatchesMax}::int) AS b),
      taken AS MATERIALIZED (SELECT * FROM oldest WHERE "before" < ${foldEventsOf(db)}::int),
      final AS (SELECT max("batch_id") AS "batch_id" FROM waiting)
      SELECT json_build_object(
        'batches', (SELECT coalesce(json_agg("batch_id"::text), '[]') FROM taken),
        'months', (SELECT coalesce(json_agg(DISTINCT month), '[]') FROM taken, unnest("months") AS month),
        'last', (SELECT "batch_id"::text FROM final),
        'goesOn', (SELECT max(taken."batch_id") < max(final."batch_id") FROM taken, final))::text`),
  );
}

/**
 * One statement, so all of it or nothing. The account's row is its lock: a second fold waits for it, and
 * then finds that the batches it meant to take are folded already. One that skips it finds no account, and takes none.
 */
function foldStatement(accountId: string, batches: readonly string[], lock: Prisma.Sql, now: Date): Prisma.Sql {
  // Databases may hold events of times to come, which are refused by now: usage has not arrived up to there.
  const isKnown = Prisma.sql`"hour" <= ${latestUsageTime(now).hour}::int`;
  return Prisma.sql`
    WITH account AS MATERIALIZED (
      SELECT "fold_id" + 1 AS "fold_id" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid ${lock}),
    batch AS (
      UPDATE "usage_batch" SET "fold_id" = account."fold_id", "folded_at" = ${now.toISOString()}::text::timestamptz
      FROM account, unnest(${numbersLiteral(batches)}::text::bigint[]) AS taken("batch_id")
      WHERE "account_id" = ${accountId}::uuid AND "usage_batch"."batch_id" = taken."batch_id"
        AND "usage_batch"."fold_id" IS NULL
      RETURNING "usage_batch"."fold_id", "series_ids", "hours", "nanos", "usages", "costs"),
    event AS MATERIALIZED (
      SELECT "fold_id", abs("entry") AS "series_id", "hour", "nano", "usage", "cost", "entry", ${eventsOfEntry} AS "events"
      FROM (
        SELECT "fold_id", unnest("series_ids") AS "entry", unnest("hours") AS "hour", unnest("nanos") AS "nano",
          unnest("usages") AS "usage", unnest("costs") AS "cost"
        FROM batch) AS e),
    whole AS MATERIALIZED (
      SELECT "hour", "fold_id", max("nano") AS "nano", array_agg("entry") AS "series_ids", array_agg("nano") AS "nanos",
        array_agg("usage") AS "usages", array_agg("cost") AS "costs"
      FROM event GROUP BY "hour", "fold_id"),
    last AS MATERIALIZED (
      SELECT "fold_id", CASE WHEN ${isKnown} THEN "hour" END AS "hour", "nano"
      FROM whole ORDER BY ${isKnown} DESC, "hour" DESC LIMIT 1),
    segment AS (
      INSERT INTO "usage_segment" ("account_id", "hour", "fold_id", "series_ids", "nanos", "usages", "costs")
      SELECT ${accountId}::uuid, "hour", "fold_id", "series_ids", "nanos", "usages", "costs" FROM whole),
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
    folded AS (
      UPDATE "usage_account" SET "fold_id" = last."fold_id",
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
