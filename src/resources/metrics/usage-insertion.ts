// Inserts events of one account, and the batch that they wait in until they are folded, in one statement.
import { Prisma } from '../../database/client/client.js';
import { isUniqueViolation } from '../../database/failures.js';
import type { Database } from '../../database/open.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';
import { calendarMonthOf } from './window.js';

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

export interface Insertion {
  /** Which were there before, by their order from one. */
  known: number[];
  /** Which were not, and are not there now either, as they would bring a sum over what it may be. */
  refused: number[];
  /** By which amounts that would be. */
  over: { cost: boolean; usage: boolean };
  /** Events of earlier hours are not taken any more. */
  closedBefore: number;
  /** How many events wait to be folded. */
  waiting: number;
}

/** Inserts what is not there yet. Mostly that is all, which is found out by trying: that costs the least. */
export async function insertEvents(
  db: Database,
  accountId: string,
  sorted: readonly StoredEvent[],
): Promise<Insertion> {
  const columns = columnsOf(sorted);
  try {
    const all: Insertion & { isDone: boolean } = JSON.parse(await db.$text(insertAll(accountId, sorted, columns)));
    if (all.isDone) return all;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  return JSON.parse(await db.$text(insertMissing(accountId, columns)));
}

interface Columns {
  /** All columns as one row of arrays. */
  given: Prisma.Sql;
  months: string;
}

function columnsOf(sorted: readonly StoredEvent[]): Columns {
  const events = sorted.map(({ event }) => event);
  const hours = new Set(events.map(({ hour }) => hour));
  const months = new Set(Array.from(hours, calendarMonthOf));
  const given = Prisma.sql`
    SELECT ${arrayLiteral(events.map(({ source }) => source))}::text::text[] AS "sources",
      ${arrayLiteral(events.map(({ id }) => id))}::text::text[] AS "ids",
      ${numbersLiteral(sorted.map(({ seriesId }) => seriesId))}::text::bigint[] AS "series_ids",
      ${numbersLiteral(events.map(({ hour }) => hour))}::text::int[] AS "hours",
      ${numbersLiteral(events.map(({ nano }) => nano))}::text::bigint[] AS "nanos",
      ${numbersLiteral(events.map(({ usage }) => usage))}::text::bigint[] AS "usages",
      ${numbersLiteral(events.map(({ cost }) => cost))}::text::bigint[] AS "costs"`;
  return { given, months: numbersLiteral([...months]) };
}

const unnested = Prisma.sql`unnest("sources", "ids", "series_ids", "hours", "nanos", "usages", "costs")`;

/** All of them, or none when one lies before what is kept or a sum would be too much. Fails when one is there. */
function insertAll(accountId: string, sorted: readonly StoredEvent[], { given, months }: Columns): Prisma.Sql {
  const firstHour = sorted.reduce((first, { event }) => Math.min(first, event.hour), Number.POSITIVE_INFINITY);
  const cost = sumOf(sorted, 'cost').toString();
  const usage = sumOf(sorted, 'usage').toString();
  return Prisma.sql`
    WITH account AS MATERIALIZED (${accountOf(accountId)}),
    given AS MATERIALIZED (
      ${given} FROM account WHERE "closed_before" <= ${firstHour}::int
        AND "cost" + ${cost}::text::numeric <= ${cellMaxText}::text::numeric
        AND "usage" + ${usage}::text::numeric <= ${cellMaxText}::text::numeric),
    made AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", "usage", "cost", "hour"
      FROM given, ${unnested} AS e("source", "id", "series_id", "hour", "nano", "usage", "cost")),
    batch AS (
      INSERT INTO "usage_batch"
        ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")
      SELECT ${accountId}::uuid, ${sorted.length}::int, ${months}::text::int[], "series_ids", "hours", "nanos", "usages",
        "costs", ${usage}::text::bigint, ${cost}::text::bigint
      FROM given)
    SELECT json_build_object('isDone', EXISTS (SELECT FROM given), 'known', '[]'::json, 'refused', '[]'::json,
      'over', NULL, ${closedAndWaiting})::text`;
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

/** Those that are not there, of the hours that are kept; none when a sum would be too much. */
function insertMissing(accountId: string, { given, months }: Columns): Prisma.Sql {
  return Prisma.sql`
    WITH account AS MATERIALIZED (${accountOf(accountId)}),
    event AS MATERIALIZED (
      SELECT e.*, ${isThere(accountId)} AS "is_there" FROM (${given}) AS given, ${unnested} WITH ORDINALITY
        AS e("source", "id", "series_id", "hour", "nano", "usage", "cost", "n"), account
      WHERE "hour" >= "closed_before"),
    over AS MATERIALIZED (
      SELECT account."cost" + sum(event."cost") > ${cellMaxText}::text::numeric AS "cost",
        account."usage" + sum(event."usage") > ${cellMaxText}::text::numeric AS "usage"
      FROM event, account WHERE NOT "is_there" GROUP BY account."cost", account."usage"),
    made AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", event."usage", event."cost", "hour"
      FROM event, over WHERE NOT "is_there" AND NOT over."cost" AND NOT over."usage" ORDER BY "n"
      ON CONFLICT DO NOTHING RETURNING "source", "id"),
    fresh AS MATERIALIZED (SELECT event.* FROM event JOIN made USING ("source", "id")),
    batch AS (
      INSERT INTO "usage_batch"
        ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")
      SELECT ${accountId}::uuid, count(*), ${months}::text::int[], array_agg("series_id"), array_agg("hour"),
        array_agg("nano"), array_agg("usage"), array_agg("cost"), sum("usage"), sum("cost")
      FROM fresh HAVING count(*) > 0),
    refused AS (SELECT event.* FROM event, over WHERE NOT "is_there" AND (over."cost" OR over."usage"))
    SELECT json_build_object(
      'known', (SELECT coalesce(json_agg("n"), '[]') FROM event
        WHERE "n" NOT IN (SELECT "n" FROM fresh) AND "n" NOT IN (SELECT "n" FROM refused)),
      'refused', (SELECT coalesce(json_agg("n"), '[]') FROM refused),
      'over', (SELECT json_build_object('cost', "cost", 'usage', "usage") FROM over), ${closedAndWaiting})::text`;
}

const cellMaxText = cellMax.toString();

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

/** A look-up each: joined, it might read every event of the account. */
function isThere(accountId: string): Prisma.Sql {
  return Prisma.sql`(
    SELECT TRUE FROM "usage_event" AS u
    WHERE u."account_id" = ${accountId}::uuid AND u."source" = e."source" AND u."id" = e."id") IS NOT NULL`;
}

const closedAndWaiting = Prisma.sql`
  'closedBefore', (SELECT "closed_before" FROM account), 'waiting', (SELECT "waiting" FROM account)`;
