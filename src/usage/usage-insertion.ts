// The SQL that inserts events of one account, and the batch that they wait in until they are folded, in one statement.
import { Prisma } from '../database/client/client.js';
import { calendarMonthOf } from '../metrics/window.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';

/**
 * No sum of a cell comes over this, in nano-dollars and micro-units: half of what 64 bits hold, so that writers who
 * do not see each other yet stay within it.
 */
export const cellMax = 2n ** 62n;

/** What is inserted at once adds up to no more than this and one event: that many writers may be at it at once. */
export const insertionMax = cellMax / 16n;

/** An event as it is stored. */
export interface StoredEvent {
  event: UsageEvent;
  seriesId: string;
}

/** What an insertion answers. */
export interface Insertion {
  /** Whether it was tried. Where not, an event is of a closed month, or the bounds would not hold for all. */
  isDone: boolean;
  /** Which were there before, by their order from one. */
  known: number[];
  /** Events of earlier hours are not taken any more. */
  closedBefore: number;
  /** How many events wait to be folded. */
  waiting: number;
}

/** Events as columns, made once for all the statements that they are handed to. */
export interface InsertionColumns {
  count: number;
  firstHour: number;
  cost: bigint;
  usage: bigint;
  months: string;
  /** All columns as one row of arrays. */
  given: Prisma.Sql;
}

export function insertionColumns(sorted: readonly StoredEvent[]): InsertionColumns {
  const events = sorted.map(({ event }) => event);
  const hours = new Set(events.map(({ hour }) => hour));
  const given = Prisma.sql`
    SELECT ${arrayLiteral(events.map(({ source }) => source))}::text::text[] AS "sources",
      ${arrayLiteral(events.map(({ id }) => id))}::text::text[] AS "ids",
      ${numbersLiteral(sorted.map(({ seriesId }) => seriesId))}::text::bigint[] AS "series_ids",
      ${numbersLiteral(events.map(({ hour }) => hour))}::text::int[] AS "hours",
      ${numbersLiteral(events.map(({ nano }) => nano))}::text::bigint[] AS "nanos",
      ${numbersLiteral(events.map(({ usage }) => usage))}::text::bigint[] AS "usages",
      ${numbersLiteral(events.map(({ cost }) => cost))}::text::bigint[] AS "costs"`;
  return {
    count: sorted.length,
    firstHour: [...hours].reduce((first, hour) => Math.min(first, hour), Number.POSITIVE_INFINITY),
    cost: sumOf(sorted, 'cost'),
    usage: sumOf(sorted, 'usage'),
    months: numbersLiteral([...new Set(Array.from(hours, calendarMonthOf))]),
    given,
  };
}

/** By doubles for as long as they are exact: no amount comes over 2^50. */
function sumOf(sorted: readonly StoredEvent[], amount: 'cost' | 'usage'): bigint {
  let [sum, part] = [0n, 0];
  for (const { event } of sorted) {
    part += Number(event[amount]);
    if (part < 2 ** 52) continue;
    sum += BigInt(part);
    part = 0;
  }
  return sum + BigInt(part);
}

const unnested = Prisma.sql`unnest("sources", "ids", "series_ids", "hours", "nanos", "usages", "costs")`;

/** All of them, or none when one is of a closed month or a sum might be too much. Fails when one is there. */
export function insertAllStatement(accountId: string, columns: InsertionColumns): Prisma.Sql {
  const { given, count, firstHour, months, usage, cost } = columns;
  return Prisma.sql`
    WITH account AS MATERIALIZED (${accountOf(accountId)}),
    given AS MATERIALIZED (
      ${given} FROM account WHERE "closed_before" <= ${firstHour}::int AND ${isWithinBounds(columns)}),
    made AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", "usage", "cost", "hour"
      FROM given, ${unnested} AS e("source", "id", "series_id", "hour", "nano", "usage", "cost")),
    batch AS (
      INSERT INTO "usage_batch"
        ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")
      SELECT ${accountId}::uuid, ${count}::int, ${months}::text::int[], "series_ids", "hours", "nanos", "usages", "costs",
        ${usage.toString()}::text::bigint, ${cost.toString()}::text::bigint
      FROM given)
    SELECT json_build_object('isDone', EXISTS (SELECT FROM given), 'known', '[]'::json, ${closedAndWaiting})::text`;
}

/**
 * Those that are not there, of the hours that are kept; none when a sum might be too much.
 *
 * @param isChecked whether the sums that they are added to are known to hold them.
 */
export function insertMissingStatement(
  accountId: string,
  columns: InsertionColumns,
  { isChecked }: { isChecked: boolean },
): Prisma.Sql {
  const bound = isChecked ? Prisma.sql`TRUE` : isWithinBounds(columns);
  return Prisma.sql`
    WITH account AS MATERIALIZED (${accountOf(accountId)}),
    event AS MATERIALIZED (
      SELECT e.* FROM (${columns.given}) AS given, ${unnested} WITH ORDINALITY
        AS e("source", "id", "series_id", "hour", "nano", "usage", "cost", "n"), account
      WHERE "hour" >= "closed_before" AND ${bound}),
    made AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", "usage", "cost", "hour" FROM event ORDER BY "n"
      ON CONFLICT DO NOTHING RETURNING "source", "id"),
    fresh AS MATERIALIZED (SELECT event.* FROM event JOIN made USING ("source", "id")),
    batch AS (
      INSERT INTO "usage_batch"
        ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")
      SELECT ${accountId}::uuid, count(*), ${columns.months}::text::int[], array_agg("series_id"), array_agg("hour"),
        array_agg("nano"), array_agg("usage"), array_agg("cost"), sum("usage"), sum("cost")
      FROM fresh HAVING count(*) > 0)
    SELECT json_build_object('isDone', (SELECT ${bound} FROM account),
      'known', (SELECT coalesce(json_agg("n"), '[]') FROM event WHERE "n" NOT IN (SELECT "n" FROM fresh)),
      ${closedAndWaiting})::text`;
}

/** SQL for whether the greatest cell, as `account` has it, would hold all that waits and all of these. Cells that are smaller may still do. */
export function isWithinBounds({ cost, usage }: InsertionColumns): Prisma.Sql {
  return Prisma.sql`(
    account."cost" + ${cost.toString()}::text::numeric <= ${cellMax.toString()}::text::numeric
    AND account."usage" + ${usage.toString()}::text::numeric <= ${cellMax.toString()}::text::numeric)`;
}

/** How far the books are closed, what waits, and how much its greatest cell may hold when that is folded. */
function accountOf(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT "closed_before", "waiting", "cell_cost_max" + "waiting_cost" AS "cost",
      "cell_usage_max" + "waiting_usage" AS "usage"
    FROM "usage_account", (
      SELECT coalesce(sum("events"), 0) AS "waiting", coalesce(sum("cost"), 0) AS "waiting_cost",
        coalesce(sum("usage"), 0) AS "waiting_usage"
      FROM "usage_batch" WHERE "account_id" = ${accountId}::uuid AND "fold_id" IS NULL) AS batch
    WHERE "account_id" = ${accountId}::uuid`;
}

const closedAndWaiting = Prisma.sql`
  'closedBefore', (SELECT "closed_before" FROM account), 'waiting', (SELECT "waiting" FROM account)`;
