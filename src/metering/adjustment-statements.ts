// SQL that voids or amends events in one statement. It updates the event and adds a batch entry that reverses the
// event's amounts at the next rollup. Sums already rolled up become correct, and pages of an earlier snapshot do not
// change.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral } from './sql-arrays.js';
import { arraysOf, withinBoundsSql, timeOf } from './usage-insertion.js';
import type { InsertionColumns } from './usage-insertion.js';

const insertBatch = Prisma.sql`
  INSERT INTO "usage_batch"
    ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")`;

/** The identity of an event. */
export interface EventIdentity {
  source: string;
  id: string;
}

/** Who corrects events, when, and why. */
export interface CorrectionRecord {
  /** The name of the caller. */
  by: string;
  at: Date;
  reason: string;
}

/** The result of a void: events by their position, from 1. An event in no list was not found. */
export interface Voided {
  voided: number[];
  /** Events that were already voided. */
  before: number[];
  /** Events in closed months. */
  closed: number[];
  /** The total cost of the voided events (nano-dollars). */
  cost: string;
}

/** Looks events up by key. A join could make the planner read every event of a source. */
function lookedUp(condition: Prisma.Sql, end: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`LATERAL (SELECT * FROM "usage_event" AS u WHERE ${condition} ${end}) AS e`;
}

/**
 * Takes the next number of the account's corrections, which locks them until the transaction ends. The events are locked
 * after it, so that two corrections cannot deadlock.
 */
function numbered(accountId: string): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO "usage_correction_head" AS h ("account_id", "last") VALUES (${accountId}::uuid, 1)
    ON CONFLICT ("account_id") DO UPDATE SET "last" = h."last" + 1 RETURNING "last"`;
}

/** Locks the corrections of an account until the transaction ends. */
export function lockCorrectionsStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`${numbered(accountId)}::text`;
}

/** Stores the corrections of the events in `old`, with their contents before. */
function kept({ by, at, reason }: CorrectionRecord, old: Prisma.Sql, isVoid: boolean): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO "usage_correction" ("account_id", "source", "id", "number", "series_id", "nano", "usage", "cost", "hour",
      "is_void", "corrected_at", "corrected_by", "reason")
    SELECT "account_id", "source", "id", (SELECT "last" FROM head), "series_id", "nano", "usage", "cost", "hour",
      ${isVoid}::boolean, ${timeOf(at)}, ${by}::text, ${reason}::text
    FROM ${old}`;
}

/** Overwrites existing events by their keys. Unlike an UPDATE it needs no join. */
const written = Prisma.sql`
  INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")`;

/**
 * Voids events.
 *
 * @param events distinct, in an order that all callers share, to prevent deadlocks.
 */
export function voidStatement(
  accountId: string,
  events: readonly EventIdentity[],
  record: CorrectionRecord,
): Prisma.Sql {
  const condition = Prisma.sql`
    u."account_id" = ${accountId}::uuid AND u."source" = requested."source" AND u."id" = requested."id"`;
  return Prisma.sql`
    WITH account AS MATERIALIZED (
      SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid),
    head AS (${numbered(accountId)}),
    requested AS MATERIALIZED (
      SELECT * FROM unnest(${arrayLiteral(events.map(({ source }) => source))}::text::text[],
        ${arrayLiteral(events.map(({ id }) => id))}::text::text[]) WITH ORDINALITY AS a("source", "id", "n")),
    found AS MATERIALIZED (
      SELECT "n", e."hour" < (SELECT "closed_before" FROM account) AS "is_closed"
      FROM requested, ${lookedUp(condition, Prisma.sql`OFFSET 0`)}),
    locked AS MATERIALIZED (
      SELECT "n", e.* FROM requested, ${lookedUp(
        Prisma.sql`${condition} AND NOT u."voided" AND u."hour" >= (SELECT "closed_before" FROM account)
          AND (SELECT "last" FROM head) > 0`,
        Prisma.sql`FOR UPDATE`,
      )}),
    written AS (
      ${written}
      SELECT "account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour" FROM locked
      ON CONFLICT ("account_id", "source", "id") DO UPDATE SET "voided" = TRUE
      RETURNING "id"),
    kept AS (${kept(record, Prisma.sql`locked`, true)}),
    batch AS (
      ${insertBatch}
      SELECT ${accountId}::uuid, count(*), ${months(Prisma.sql`locked`)}, array_agg(-"series_id"), array_agg("hour"),
        array_agg("nano"), array_agg(-"usage"), array_agg(-"cost"), 0, 0
      FROM locked HAVING count(*) > 0)
    SELECT json_build_object(
      'voided', (SELECT coalesce(json_agg("n"), '[]') FROM locked),
      'cost', (SELECT coalesce(sum("cost"), 0)::text FROM locked),
      'before', (SELECT coalesce(json_agg("n"), '[]') FROM found
        WHERE NOT "is_closed" AND "n" NOT IN (SELECT "n" FROM locked)),
      'closed', (SELECT coalesce(json_agg("n"), '[]') FROM found WHERE "is_closed"))::text`;
}

/** The result of an amendment: events by their position, from 1. An event in no list was not found. */
export interface Amended {
  /** False when the amendment was not tried because a sum might exceed its bounds. */
  isDone: boolean;
  amended: number[];
  /** Events that already had this content. */
  unchanged: number[];
  /** Events that were voided before. */
  voided: number[];
  /** Events that are in, or would move to, a closed month. */
  closed: number[];
  /** The total cost of the amended events before and after (nano-dollars). */
  cost: [before: string, after: string];
}

/**
 * Replaces the contents of events, found by identity.
 *
 * @param isChecked whether the sums are known to stay within their bounds.
 */
export function amendStatement(
  accountId: string,
  columns: InsertionColumns,
  record: CorrectionRecord,
  isChecked: boolean,
): Prisma.Sql {
  const bound = isChecked ? Prisma.sql`TRUE` : withinBoundsSql(columns);
  const condition = Prisma.sql`
    u."account_id" = ${accountId}::uuid AND u."source" = given."source" AND u."id" = given."id"`;
  return Prisma.sql`
    WITH account AS MATERIALIZED (
      SELECT "closed_before", "cell_cost_max" + "waiting_cost" AS "cost", "cell_usage_max" + "waiting_usage" AS "usage"
      FROM "usage_account", (
        SELECT coalesce(sum("cost"), 0) AS "waiting_cost", coalesce(sum("usage"), 0) AS "waiting_usage"
        FROM "usage_batch" WHERE "account_id" = ${accountId}::uuid AND "rollup_id" IS NULL) AS batch
      WHERE "account_id" = ${accountId}::uuid),
    head AS (${numbered(accountId)}),
    given AS MATERIALIZED (
      SELECT e.*, (SELECT "closed_before" FROM account) AS "closed_before" FROM (${arraysOf(columns)}) AS g,
        unnest("sources", "ids", "series_ids", "hours", "nanos", "usages", "costs") WITH ORDINALITY
        AS e("source", "id", "series_id", "hour", "nano", "usage", "cost", "n")),
    locked AS MATERIALIZED (
      SELECT "n", e.*, least(e."hour", given."hour") < "closed_before" AS "is_closed",
        (e."series_id", e."hour", e."nano", e."usage", e."cost")
          = (given."series_id", given."hour", given."nano", given."usage", given."cost") AS "is_same"
      FROM given, ${lookedUp(Prisma.sql`${condition} AND (SELECT "last" FROM head) > 0`, Prisma.sql`FOR UPDATE`)}),
    old AS MATERIALIZED (
      SELECT * FROM locked
      WHERE NOT "voided" AND NOT "is_closed" AND NOT "is_same" AND (SELECT ${bound} FROM account)),
    changed AS (
      ${written}
      SELECT old."account_id", given."source", given."id", given."series_id", given."nano", given."usage", given."cost",
        given."hour"
      FROM old JOIN given USING ("n")
      ON CONFLICT ("account_id", "source", "id") DO UPDATE SET "series_id" = excluded."series_id",
        "nano" = excluded."nano", "usage" = excluded."usage", "cost" = excluded."cost", "hour" = excluded."hour"
      RETURNING "id"),
    kept AS (${kept(record, Prisma.sql`old`, false)}),
    entry AS MATERIALIZED (
      SELECT -"series_id" AS "series_id", "hour", "nano", -"usage" AS "usage", -"cost" AS "cost", 0 AS "added"
      FROM old
      UNION ALL
      SELECT given."series_id", given."hour", given."nano", given."usage", given."cost", 1
      FROM given JOIN old USING ("n")),
    batch AS (
      ${insertBatch}
      SELECT ${accountId}::uuid, count(*), ${months(Prisma.sql`entry`)}, array_agg("series_id"), array_agg("hour"),
        array_agg("nano"), array_agg("usage"), array_agg("cost"), sum("added" * abs("usage")), sum("added" * abs("cost"))
      FROM entry HAVING count(*) > 0)
    SELECT json_build_object('isDone', coalesce((SELECT ${bound} FROM account), TRUE),
      'cost', (SELECT json_build_array(coalesce(-sum("cost") FILTER (WHERE "added" = 0), 0)::text,
        coalesce(sum("cost") FILTER (WHERE "added" = 1), 0)::text) FROM entry),
      'amended', (SELECT coalesce(json_agg("n"), '[]') FROM old),
      'unchanged', (SELECT coalesce(json_agg("n"), '[]') FROM locked
        WHERE NOT "voided" AND NOT "is_closed" AND "is_same"),
      'voided', (SELECT coalesce(json_agg("n"), '[]') FROM locked WHERE "voided" AND NOT "is_closed"),
      'closed', (SELECT coalesce(json_agg("n"), '[]') FROM locked WHERE "is_closed"))::text`;
}

/** SQL for the calendar months of entries, numbered like the partitions. */
function months(entries: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT array_agg(DISTINCT (extract(year FROM t) * 12 + extract(month FROM t) - 1)::int)
    FROM ${entries}, LATERAL (SELECT timestamp '1970-01-01' + "hour" * interval '1 hour' AS t) AS calendar)`;
}
