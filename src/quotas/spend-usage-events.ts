// The limit of usage events in a minute. Events are counted when they are sent, outside the transaction that records them.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import type { ApiError } from '../errors.js';
import { thresholdOf, thresholdsBetween } from './quota-resources.js';
import { exceededMinute, neverFits } from './refusal.js';
import { noteCrossings } from './use-quotas.js';

/** Events that an account is about to record. */
export interface SentEvents {
  count: number;
  /** Whether to record as many of them as fit, as for a stream; else all or none. */
  isPartial: boolean;
}

/** How many of the events fit, from the first one, and the error to end with if these are not all. */
export interface GrantedEvents {
  granted: number;
  refusal?: ApiError;
}

/** The answer of spentJson: null without a limit. */
export type SpentEvents = {
  account: string;
  limit: number;
  /** What the account has sent in this minute, these included; null if they do not fit. */
  events: number | null;
  /** What it sent in the minute before. */
  eventsBefore: number | null;
} | null;

/** The current minute, counted from 1970. */
const minute = Prisma.sql`floor(extract(epoch FROM clock_timestamp()) / 60)::int`;

/** SQL of the limit of an account `a`: its own, or that of its plan. */
const limitOfA = Prisma.sql`coalesce(
  (SELECT o."limits"->>'USAGE_EVENTS' FROM "quota" AS o WHERE o."subject" = 'account ' || a."id"),
  (SELECT p."limits"->>'USAGE_EVENTS' FROM "quota" AS p WHERE p."subject" = 'plan ' || a."plan"))::bigint`;

/** SQL of CTEs that count events against the limit of an account, if they fit. Refused events do not count. */
export function spendCtes(accountId: string, { count }: SentEvents): Prisma.Sql {
  return Prisma.sql`
    "event_limit" AS MATERIALIZED (
      SELECT a."id", a."name", ${limitOfA} AS "maximum" FROM "account" AS a
      WHERE a."id" = ${accountId}::uuid AND ${count}::int > 0),
    "spent" AS (
      INSERT INTO "quota_minute" AS u ("account_id", "minute", "events")
      SELECT l."id", ${minute}, ${count}::int FROM "event_limit" AS l WHERE l."maximum" >= ${count}::int
      ON CONFLICT ("account_id") DO UPDATE SET "minute" = greatest(u."minute", EXCLUDED."minute"),
        "events" = CASE WHEN u."minute" >= EXCLUDED."minute" THEN u."events" + EXCLUDED."events" ELSE EXCLUDED."events" END,
        "events_before" = CASE WHEN u."minute" >= EXCLUDED."minute" THEN u."events_before"
          WHEN u."minute" = EXCLUDED."minute" - 1 THEN u."events" ELSE 0 END
      WHERE u."minute" < EXCLUDED."minute" OR u."events" + EXCLUDED."events" <= (SELECT l."maximum" FROM "event_limit" AS l)
      RETURNING u."events", u."events_before")`;
}

/** SQL of SpentEvents as JSON, after spendCtes(). */
export const spentJson = Prisma.sql`(
  SELECT json_build_object('account', l."name", 'limit', l."maximum", 'events', s."events",
    'eventsBefore', s."events_before")
  FROM "event_limit" AS l LEFT JOIN "spent" AS s ON true WHERE l."maximum" IS NOT NULL)`;

/** Whether any account or plan has a quota of usage events. */
export async function isAnyAccountLimited(db: Statements): Promise<boolean> {
  return readJson<boolean>(
    db,
    Prisma.sql`SELECT EXISTS (SELECT FROM "quota" WHERE "limits" -> 'USAGE_EVENTS' IS NOT NULL)::text`,
  );
}

/** Counts events against the limit of an account. @throws like settleSpent(). */
export async function spendEvents(db: Statements, accountId: string, sent: SentEvents): Promise<GrantedEvents> {
  const spent = await readJson<SpentEvents>(
    db,
    Prisma.sql`WITH ${spendCtes(accountId, sent)} SELECT coalesce(${spentJson}, 'null')::text`,
  );
  return settleSpent(db, accountId, sent, spent);
}

/**
 * Takes events that were counted in this minute off the count, because they are not recorded. Thresholds that are then not
 * reached are not reported.
 */
export async function giveEventsBack(db: Statements, accountId: string, count: number): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    WITH "left" AS (
      UPDATE "quota_minute" AS u SET "events" = greatest(u."events" - ${count}::int, 0)
      WHERE u."account_id" = ${accountId}::uuid AND u."minute" >= ${minute}
      RETURNING greatest(u."events", u."events_before") AS "used")
    DELETE FROM "quota_crossing" AS c USING "left" AS l
    WHERE c."account_id" = ${accountId}::uuid AND c."resource" = 'USAGE_EVENTS'
      AND l."used" * 100 < c."maximum" * c."percent"`);
}

/**
 * Notes the thresholds that spent events reach, and finds out how many fit if not all of them did.
 *
 * @throws 429 with `Retry-After` for events that fit into a later minute, 409 `quota_exceeded` for those that fit into
 * none, unless some of them may be recorded.
 */
export async function settleSpent(
  db: Statements,
  accountId: string,
  sent: SentEvents,
  spent: SpentEvents,
): Promise<GrantedEvents> {
  const { count, isPartial } = sent;
  if (spent === null) return { granted: count };
  const { account, limit, events, eventsBefore } = spent;
  if (events !== null) {
    await noteReached(db, accountId, { limit, events, eventsBefore: eventsBefore ?? 0, count });
    return { granted: count };
  }
  const used = await eventsOfThisMinute(db, accountId);
  const exceeded = { resource: 'USAGE_EVENTS', limit, account } as const;
  const fitsNever = isPartial ? limit === 0 : count > limit;
  const refusal = fitsNever
    ? neverFits({ ...exceeded, actual: count })
    : exceededMinute({ ...exceeded, actual: used + count });
  if (!isPartial) throw refusal;
  const fitting = Math.max(0, limit - used);
  if (fitting === 0) return { granted: 0, refusal };
  // Others may have sent events in between: then fewer fit.
  const fewer = { ...sent, count: Math.min(fitting, count) };
  const settled = await spendEvents(db, accountId, fewer);
  return settled.granted === count ? settled : { granted: settled.granted, refusal };
}

interface CountedEvents {
  limit: number;
  events: number;
  eventsBefore: number;
  count: number;
}

/** A use falls below a threshold when a whole minute stayed below it, not when a minute begins. */
async function noteReached(
  db: Statements,
  accountId: string,
  { limit, events, eventsBefore, count }: CountedEvents,
): Promise<void> {
  const before = events === count ? eventsBefore : Math.max(events - count, eventsBefore);
  const used = Math.max(events, eventsBefore);
  const reached = thresholdsBetween(thresholdOf(before, limit), thresholdOf(used, limit));
  const place = { accountId, workspaceId: null, region: null, resource: 'USAGE_EVENTS', used, limit } as const;
  await noteCrossings(
    db,
    reached.map((percent) => ({ ...place, percent })),
  );
}

async function eventsOfThisMinute(db: Statements, accountId: string): Promise<number> {
  const text = await db.$text(Prisma.sql`
    SELECT u."events"::text FROM "quota_minute" AS u WHERE u."account_id" = ${accountId}::uuid AND u."minute" >= ${minute}`);
  return Number(text);
}
