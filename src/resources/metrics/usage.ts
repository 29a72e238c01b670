// Usage comes in. An event that was accepted is kept, and waits in the batch that it came in until it is
// folded (usage-fold.ts); both happen in one statement, so a process may be killed at any moment.
import { requireScope } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { isUniqueViolation } from '../../database/failures.js';
import type { Database } from '../../database/open.js';
import { invalidParameter } from '../../errors.js';
import { isResourceId } from '../resource.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import { usageEventFrom } from './usage-event.js';
import type { UsageEvent, UsageField } from './usage-event.js';
import { foldUsage } from './usage-fold.js';
import { seriesIdsOf } from './usage-series.js';
import { calendarMonthOf } from './window.js';

export const usageBatchMax = 10_000;

/** What becomes of an event. */
export const usageOutcomes = {
  accepted: 'It is kept, and counted in its own hour from now on.',
  duplicate: 'The same event was accepted before. Nothing changed.',
  conflict: 'Another event of the same source and id was accepted before. This one is not counted.',
  invalid: 'A field breaks a rule. It is not counted.',
} as const;

export type UsageOutcome = keyof typeof usageOutcomes;

export interface UsageResult {
  outcome: UsageOutcome;
  /** Of what is invalid: the field, and the rule that it breaks. */
  field?: UsageField | undefined;
  message?: string | undefined;
}

/** Where an event belongs: the account, when it is one that usage may be recorded for, and its workspaces. */
export interface UsagePlace {
  accountId: string;
  hasWorkspace: (name: string) => boolean;
}

/** A waiting tail longer than this is folded by those who lengthen it. */
const waitingEventsMax = 200_000;

/**
 * Records events, each with a result of its own, in their order. The caller must be an admin of the account
 * of each; an account that is not theirs and one that does not exist are invalid alike.
 *
 * @throws 403 without the scope admin; 400 for more than 10,000 events.
 */
export async function recordUsage(ctx: RequestContext, events: readonly unknown[]): Promise<UsageResult[]> {
  requireScope(ctx.caller, 'admin');
  if (events.length > usageBatchMax) throw invalidParameter('events', `must be at most ${usageBatchMax} events`);
  const { accounts, workspaces } = ctx.caller;
  const placeOf = (account: string): UsagePlace | undefined => {
    const found = accounts.find(({ id }) => id === account) ?? accounts.find(({ name }) => name === account);
    if (found === undefined || found.role !== 'admin') return undefined;
    return { accountId: found.id, hasWorkspace: (name) => workspaces.get(name)?.account.id === found.id };
  };
  return recordEvents(ctx.db, events, placeOf, ctx.now());
}

/** Records the events of any account, for whoever may write to the database. */
export async function recordUsageOfAll(db: Database, events: readonly unknown[], now: Date): Promise<UsageResult[]> {
  const accounts = await db.account.findMany({
    where: accountsOf(events),
    include: { workspaces: { select: { name: true } } },
  });
  const places = new Map<string, UsagePlace>();
  for (const { id, name, workspaces } of accounts) {
    const names = new Set(workspaces.map((workspace) => workspace.name));
    const place = { accountId: id, hasWorkspace: (workspace: string) => names.has(workspace) };
    if (!places.has(name)) places.set(name, place);
    places.set(id, place);
  }
  return recordEvents(db, events, (account) => places.get(account), now);
}

function accountsOf(events: readonly unknown[]): Prisma.AccountWhereInput {
  const named = new Set<string>();
  for (const event of events) {
    if (typeof event === 'object' && event !== null && 'account' in event && typeof event.account === 'string') {
      if (event.account.length <= 200 && !event.account.includes('\0')) named.add(event.account);
    }
  }
  return { OR: [{ name: { in: [...named] } }, { id: { in: [...named].filter(isResourceId) } }] };
}

/** An event, and where its result goes. */
interface Numbered {
  event: UsageEvent;
  index: number;
}

async function recordEvents(
  db: Database,
  events: readonly unknown[],
  placeOf: (account: string) => UsagePlace | undefined,
  now: Date,
): Promise<UsageResult[]> {
  const results: UsageResult[] = [];
  const byAccount = new Map<string, Numbered[]>();
  for (const [index, given] of events.entries()) {
    const event = usageEventFrom(given);
    if ('rule' in event) {
      results[index] = invalid(event.field, event.rule);
      continue;
    }
    const place = placeOf(event.account);
    if (place === undefined) {
      results[index] = invalid('account', 'is not an account that usage can be recorded for here');
    } else if (!place.hasWorkspace(event.workspace)) {
      results[index] = invalid('workspace', 'is not a workspace of the account');
    } else {
      const group = byAccount.get(place.accountId);
      if (group === undefined) byAccount.set(place.accountId, [{ event, index }]);
      else group.push({ event, index });
    }
  }
  for (const [accountId, group] of [...byAccount].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await recordOfAccount(db, accountId, group, results, now);
  }
  return results;
}

function invalid(field: UsageField, rule: string): UsageResult {
  return { outcome: 'invalid', field, message: `${field} ${rule}` };
}

/** An event as it is stored. */
interface Stored extends Numbered {
  identity: string;
  seriesId: string;
}

async function recordOfAccount(
  db: Database,
  accountId: string,
  group: Numbered[],
  results: UsageResult[],
  now: Date,
): Promise<void> {
  const seriesIds = await seriesIdsOf(
    db,
    accountId,
    group.map(({ event }) => event),
  );
  const firsts = new Map<string, Stored>();
  const repeated: Stored[] = [];
  for (const [order, { event, index }] of group.entries()) {
    const identity = `${event.source}\n${event.id}`;
    const each: Stored = { event, index, identity, seriesId: seriesIds[order] ?? '' };
    if (firsts.has(identity)) repeated.push(each);
    else firsts.set(identity, each);
  }
  // In one order, so that two writers never wait for each other in a circle.
  const sorted = [...firsts.values()].toSorted((one, other) => (one.identity < other.identity ? -1 : 1));
  const { known, closedBefore, waiting } = await insertEvents(db, accountId, sorted);
  const contents = await contentsOf(
    db,
    accountId,
    known.map((order) => sorted[order - 1]).filter((each) => each !== undefined),
  );
  for (const each of sorted) {
    const isClosed = each.event.hour < closedBefore;
    results[each.index] = isClosed ? invalid('time', 'lies before the usage that is kept') : { outcome: 'accepted' };
  }
  for (const [identity, content] of contents) {
    const first = firsts.get(identity);
    if (first !== undefined) results[first.index] = compared(first, content);
  }
  const again: Numbered[] = [];
  for (const each of repeated) {
    const first = firsts.get(each.identity);
    if (each.event.hour < closedBefore) results[each.index] = invalid('time', 'lies before the usage that is kept');
    else if (first === undefined || first.event.hour < closedBefore) again.push(each);
    else results[each.index] = compared(each, contents.get(each.identity) ?? contentOf(first));
  }
  if (again.length > 0) await recordOfAccount(db, accountId, again, results, now);
  if (waiting > waitingEventsMax) await foldUsage(db, accountId, now);
}

function compared(event: Stored, accepted: string): UsageResult {
  return { outcome: contentOf(event) === accepted ? 'duplicate' : 'conflict' };
}

/** The series stands for everything but time and amounts. */
function contentOf({ seriesId, event: { hour, nano, usage, cost } }: Stored): string {
  return `${seriesId} ${hour} ${nano} ${usage} ${cost}`;
}

interface Inserted {
  /** Which were there before, by their order from one. */
  known: number[];
  /** Events of earlier hours are not taken any more. */
  closedBefore: number;
  /** How many events wait to be folded. */
  waiting: number;
}

/** Inserts what is not there yet. Mostly that is all, which is found out by trying: that costs the least. */
async function insertEvents(db: Database, accountId: string, sorted: readonly Stored[]): Promise<Inserted> {
  const columns = columnsOf(sorted);
  try {
    const inserted: Inserted = JSON.parse(await db.$text(insertAll(accountId, sorted, columns)));
    if (sorted.every(({ event }) => event.hour >= inserted.closedBefore)) return inserted;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  return JSON.parse(await db.$text(insertMissing(accountId, sorted.length, columns)));
}

interface Columns {
  /** All columns as one row of arrays. */
  given: Prisma.Sql;
  months: string;
}

function columnsOf(sorted: readonly Stored[]): Columns {
  const months = new Set<number>();
  let before = Number.NaN;
  for (const { event } of sorted) {
    if (event.hour !== before) months.add(calendarMonthOf(event.hour));
    before = event.hour;
  }
  const events = sorted.map(({ event }) => event);
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

/** All of them, or none when one of them lies before what is kept. Fails when one is there. */
function insertAll(accountId: string, sorted: readonly Stored[], { given, months }: Columns): Prisma.Sql {
  const firstHour = sorted.reduce((first, { event }) => Math.min(first, event.hour), Number.POSITIVE_INFINITY);
  return Prisma.sql`
    WITH account AS MATERIALIZED (SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid),
    given AS MATERIALIZED (${given} FROM account WHERE "closed_before" <= ${firstHour}::int),
    made AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", "usage", "cost", "hour"
      FROM given, ${unnested} AS e("source", "id", "series_id", "hour", "nano", "usage", "cost")),
    batch AS (
      INSERT INTO "usage_batch" ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs")
      SELECT ${accountId}::uuid, ${sorted.length}::int, ${months}::text::int[], "series_ids", "hours", "nanos", "usages", "costs"
      FROM given)
    SELECT ${inserted(accountId, Prisma.sql`'[]'::json`)}`;
}

/** Those that are not there, of the hours that are kept. */
function insertMissing(accountId: string, count: number, { given, months }: Columns): Prisma.Sql {
  return Prisma.sql`
    WITH account AS MATERIALIZED (SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid),
    event AS MATERIALIZED (
      SELECT e.* FROM (${given}) AS given, ${unnested} WITH ORDINALITY
        AS e("source", "id", "series_id", "hour", "nano", "usage", "cost", "n"), account
      WHERE "hour" >= "closed_before" AND "n" <= ${count}::int),
    made AS (
      INSERT INTO "usage_event" ("account_id", "source", "id", "series_id", "nano", "usage", "cost", "hour")
      SELECT ${accountId}::uuid, "source", "id", "series_id", "nano", "usage", "cost", "hour" FROM event ORDER BY "n"
      ON CONFLICT DO NOTHING RETURNING "source", "id"),
    fresh AS MATERIALIZED (SELECT event.* FROM event JOIN made USING ("source", "id")),
    batch AS (
      INSERT INTO "usage_batch" ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs")
      SELECT ${accountId}::uuid, count(*), ${months}::text::int[],
        array_agg("series_id"), array_agg("hour"), array_agg("nano"), array_agg("usage"), array_agg("cost")
      FROM fresh HAVING count(*) > 0)
    SELECT ${inserted(
      accountId,
      Prisma.sql`(SELECT coalesce(json_agg("n"), '[]') FROM event WHERE "n" NOT IN (SELECT "n" FROM fresh))`,
    )}`;
}

function inserted(accountId: string, known: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`json_build_object(
    'known', ${known},
    'closedBefore', (SELECT "closed_before" FROM account),
    'waiting', (SELECT coalesce(sum("events"), 0) FROM "usage_batch"
      WHERE "account_id" = ${accountId}::uuid AND "fold_id" IS NULL))::text`;
}

/** What was accepted under these identities, by identity. */
async function contentsOf(db: Database, accountId: string, asked: readonly Stored[]): Promise<Map<string, string>> {
  if (asked.length === 0) return new Map();
  const statement = Prisma.sql`
    SELECT coalesce(json_agg(json_build_array("source", "id", concat_ws(' ', "series_id", "hour", "nano", "usage", "cost"))), '[]')::text
    FROM "usage_event"
    JOIN unnest(${arrayLiteral(asked.map(({ event }) => event.source))}::text::text[],
      ${arrayLiteral(asked.map(({ event }) => event.id))}::text::text[]) AS asked("source", "id") USING ("source", "id")
    WHERE "account_id" = ${accountId}::uuid`;
  const rows: [string, string, string][] = JSON.parse(await db.$text(statement));
  return new Map(rows.map(([source, id, content]) => [`${source}\n${id}`, content]));
}
