// SQL that inserts events of one account, with the batch in which they wait to be rolled up, in one statement.
import { Prisma } from '../database/client/client.js';
import { calendarMonthOf } from './window.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';

/**
 * The limit of a cell's sum, positive or negative (a cell has one sign), in nano-dollars or micro-units. It is half the
 * 64-bit range, so that concurrent writers that do not see each other cannot overflow it.
 */
export const cellMax = 2n ** 62n;

/** The limit of the sum inserted by one statement, not counting its last event. It allows 16 concurrent writers. */
export const insertionMax = cellMax / 16n;

/** An event as it is stored. */
export interface StoredEvent {
  event: UsageEvent;
  /** The labels that its resource had at its time. */
  labelSetId: string;
  /** Empty while unknown. */
  seriesId: string;
}

/** The result of an insertion. */
export interface Insertion {
  /** False when nothing was inserted, because an event is of a closed month or a sum might exceed its bounds. */
  isDone: boolean;
  /** The positions of existing events, from 1. */
  known: number[];
  /** Events before this hour are rejected. */
  closedBefore: number;
  /** The number of events waiting to be rolled up. */
  waiting: number;
}

/** Events as columns, built once for several statements. */
export interface InsertionColumns {
  count: number;
  firstHour: number;
  cost: bigint;
  usage: bigint;
  months: string;
  /** The sources as an array; a single text when all are equal, as from one meter. */
  sources: Prisma.Sql;
  isOfOneSource: boolean;
  /** All other columns as arrays. */
  others: Prisma.Sql;
}

export function insertionColumns(sorted: readonly StoredEvent[]): InsertionColumns {
  const sources: string[] = [];
  const ids: string[] = [];
  const seriesIds: string[] = [];
  const hours: number[] = [];
  const nanos: number[] = [];
  const usages: string[] = [];
  const costs: string[] = [];
  const allHours = new Set<number>();
  let [firstHour, lastHour] = [Number.POSITIVE_INFINITY, -1];
  const [cost, usage] = [new AmountSum(), new AmountSum()];
  for (const { event, seriesId } of sorted) {
    sources.push(event.source);
    ids.push(event.id);
    seriesIds.push(seriesId);
    hours.push(event.hour);
    nanos.push(event.nano);
    usages.push(event.usage);
    costs.push(event.cost);
    usage.add(Math.abs(Number(event.usage)));
    cost.add(Math.abs(Number(event.cost)));
    if (event.hour === lastHour) continue;
    lastHour = event.hour;
    firstHour = Math.min(firstHour, lastHour);
    allHours.add(lastHour);
  }
  const [source = ''] = sources;
  const isOfOneSource = sources.every((each) => each === source);
  const others = Prisma.sql`
      ${arrayLiteral(ids)}::text::text[] AS "ids",
      ${numbersLiteral(seriesIds)}::text::bigint[] AS "series_ids", ${numbersLiteral(hours)}::text::int[] AS "hours",
      ${numbersLiteral(nanos)}::text::bigint[] AS "nanos", ${numbersLiteral(usages)}::text::bigint[] AS "usages",
      ${numbersLiteral(costs)}::text::bigint[] AS "costs"`;
  return {
    count: sorted.length,
    firstHour,
    cost: cost.total(),
    usage: usage.total(),
    months: numbersLiteral([...new Set(Array.from(allHours, calendarMonthOf))]),
    sources: isOfOneSource ? Prisma.sql`${source}::text` : Prisma.sql`${arrayLiteral(sources)}::text::text[]`,
    isOfOneSource,
    others,
  };
}

/** SQL for a time. */
export function timeOf(time: Date): Prisma.Sql {
  return Prisma.sql`${time.toISOString()}::text::timestamptz`;
}

/** SQL for all columns as one row of arrays. */
export function arraysOf({ count, sources, isOfOneSource, others }: InsertionColumns): Prisma.Sql {
  const array = isOfOneSource ? Prisma.sql`array_fill(${sources}, ARRAY[${count}::int])` : sources;
  return Prisma.sql`SELECT ${array} AS "sources", ${others}`;
}

/** Adds amounts as doubles while they stay exact. No amount exceeds 2^50. */
class AmountSum {
  #sum = 0n;
  #part = 0;

  add(amount: number): void {
    this.#part += amount;
    if (this.#part < 2 ** 52) return;
    this.#sum += BigInt(this.#part);
    this.#part = 0;
  }

  total(): bigint {
    return this.#sum + BigInt(this.#part);
  }
}

/**
 * Inserts all events, or none when one is of a closed month or a sum might exceed its bounds. Fails when one exists.
 */
export function insertAllStatement(accountId: string, columns: InsertionColumns, now: Date): Prisma.Sql {
  const { sources, isOfOneSource, others, count, firstHour, months, usage, cost } = columns;
  const source = isOfOneSource ? Prisma.sql`"sources"` : Prisma.sql`unnest("sources")`;
  return Prisma.sql`
    WITH account AS MATERIALIZED (${accountOf(accountId)}),
    given AS MATERIALIZED (
      SELECT ${sources} AS "sources", ${others} FROM account WHERE "closed_before" <= ${firstHour}::int AND ${withinBoundsSql(columns)}),
    inserted AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour", "arrived_at")
      SELECT ${accountId}::uuid, ${source}, unnest("ids"), unnest("series_ids"), unnest("nanos"), unnest("usages"),
        unnest("costs"), unnest("hours"), ${timeOf(now)}
      FROM given),
    batch AS (
      INSERT INTO "usage_batch"
        ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")
      SELECT ${accountId}::uuid, ${count}::int, ${months}::text::int[], "series_ids", "hours", "nanos", "usages", "costs",
        ${usage.toString()}::text::bigint, ${cost.toString()}::text::bigint
      FROM given)
    SELECT json_build_object('isDone', EXISTS (SELECT FROM given), 'known', '[]'::json, ${closedAndWaiting})::text`;
}

/**
 * Inserts the events that do not exist and are not of a closed month; none when a sum might exceed its bounds.
 *
 * @param isChecked whether the sums are known to stay within their bounds.
 */
export function insertMissingStatement(
  accountId: string,
  columns: InsertionColumns,
  now: Date,
  { isChecked }: { isChecked: boolean },
): Prisma.Sql {
  const bound = isChecked ? Prisma.sql`TRUE` : withinBoundsSql(columns);
  return Prisma.sql`
    WITH account AS MATERIALIZED (${accountOf(accountId)}),
    event AS MATERIALIZED (
      SELECT e.* FROM (${arraysOf(columns)}) AS given,
        unnest("sources", "ids", "series_ids", "hours", "nanos", "usages", "costs") WITH ORDINALITY
        AS e("source", "id", "series_id", "hour", "nano", "usage", "cost", "n"), account
      WHERE "hour" >= "closed_before" AND ${bound}),
    inserted AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour", "arrived_at")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", "usage", "cost", "hour", ${timeOf(now)}
      FROM event ORDER BY "n"
      ON CONFLICT DO NOTHING RETURNING "source", "id"),
    fresh AS MATERIALIZED (SELECT event.* FROM event JOIN inserted USING ("source", "id")),
    batch AS (
      INSERT INTO "usage_batch"
        ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs", "usage", "cost")
      SELECT ${accountId}::uuid, count(*), ${columns.months}::text::int[], array_agg("series_id"), array_agg("hour"),
        array_agg("nano"), array_agg("usage"), array_agg("cost"), sum(abs("usage")), sum(abs("cost"))
      FROM fresh HAVING count(*) > 0)
    SELECT json_build_object('isDone', (SELECT ${bound} FROM account),
      'known', (SELECT coalesce(json_agg("n"), '[]') FROM event WHERE "n" NOT IN (SELECT "n" FROM fresh)),
      ${closedAndWaiting})::text`;
}

/**
 * SQL: whether the greatest cell in `account` could take all waiting and all new amounts. Smaller cells may still have
 * space when it could not.
 */
export function withinBoundsSql({ cost, usage }: InsertionColumns): Prisma.Sql {
  return Prisma.sql`(
    account."cost" + ${cost.toString()}::text::numeric <= ${cellMax.toString()}::text::numeric
    AND account."usage" + ${usage.toString()}::text::numeric <= ${cellMax.toString()}::text::numeric)`;
}

/** SQL for the closing hour, the waiting amounts, and the greatest cell with them. */
function accountOf(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT "closed_before", "waiting", "cell_cost_max" + "waiting_cost" AS "cost",
      "cell_usage_max" + "waiting_usage" AS "usage"
    FROM "usage_account", (
      SELECT coalesce(sum("events"), 0) AS "waiting", coalesce(sum("cost"), 0) AS "waiting_cost",
        coalesce(sum("usage"), 0) AS "waiting_usage"
      FROM "usage_batch" WHERE "account_id" = ${accountId}::uuid AND "rollup_id" IS NULL) AS batch
    WHERE "account_id" = ${accountId}::uuid`;
}

const closedAndWaiting = Prisma.sql`
  'closedBefore', (SELECT "closed_before" FROM account), 'waiting', (SELECT "waiting" FROM account)`;
