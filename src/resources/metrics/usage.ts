// Usage comes in. An event that was accepted is kept, and waits in the batch that it came in until it is
// folded (usage-fold.ts); both happen in one statement, so a process may be killed at any moment.
import { requireScope } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { invalidParameter } from '../../errors.js';
import { isResourceId } from '../resource.js';
import { costDigits, usageDigits } from './amounts.js';
import { arrayLiteral } from './sql-arrays.js';
import { foldUsage } from './usage-fold.js';
import { cellMax, insertEvents, insertionMax } from './usage-insertion.js';
import type { Insertion, StoredEvent } from './usage-insertion.js';
import { compareIdentities, portionMax, readPortion } from './usage-portion.js';
import type { Portion, ReadEvent, UsagePlace } from './usage-portion.js';
import { invalidUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';

export const usageBatchMax = 10_000;

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

/** The next portion is read while the database is busy with the one before. */
async function recordEvents(
  db: Database,
  events: readonly unknown[],
  placeOf: (account: string) => UsagePlace | undefined,
  now: Date,
): Promise<UsageResult[]> {
  const results: UsageResult[] = [];
  const places = new Map<string, UsagePlace | undefined>();
  const knownPlaceOf = (account: string) => {
    if (!places.has(account)) places.set(account, placeOf(account));
    return places.get(account);
  };
  const read = (from: number) => readPortion(db, events, from, knownPlaceOf, results);
  let portions = await read(0);
  for (let next = portionMax; next < events.length; next += portionMax) {
    const [, following] = await Promise.all([recordPortions(db, portions, results, now), read(next)]);
    portions = following;
  }
  await recordPortions(db, portions, results, now);
  return results;
}

async function recordPortions(db: Database, portions: Portion[], results: UsageResult[], now: Date): Promise<void> {
  for (const { accountId, sorted } of portions) {
    for (const part of partsOf(sorted)) await recordOfAccount(db, accountId, part, results, now);
  }
}

const partMax = Number(insertionMax);

/** Events that are inserted at once: all of them, unless they add up to very much. */
function* partsOf(sorted: readonly ReadEvent[]): Generator<readonly ReadEvent[]> {
  let [from, cost, usage] = [0, 0, 0];
  for (const [place, { event }] of sorted.entries()) {
    cost += Number(event.cost);
    usage += Number(event.usage);
    if (cost <= partMax && usage <= partMax) continue;
    yield sorted.slice(from, place + 1);
    [from, cost, usage] = [place + 1, 0, 0];
  }
  if (from < sorted.length) yield from === 0 ? sorted : sorted.slice(from);
}

const accepted: UsageResult = { outcome: 'accepted' };
const closed = invalidUsage('time', 'lies before the usage that is kept');

function tooMuch({ over }: Insertion): UsageResult {
  const [field, digits] = over.cost ? (['cost', costDigits] as const) : (['usage', usageDigits] as const);
  return invalidUsage(
    field,
    `would bring a sum of the account over ${cellMax / 10n ** BigInt(digits)}, the most that is kept`,
  );
}

/** An event with the identity of another one beside it, which came before. */
interface Repeated {
  first: ReadEvent;
  each: ReadEvent;
}

async function recordOfAccount(
  db: Database,
  accountId: string,
  sorted: readonly ReadEvent[],
  results: UsageResult[],
  now: Date,
): Promise<void> {
  const { firsts, repeated } = distinct(sorted);
  const insertion = await insertEvents(db, accountId, firsts);
  const chosen = (orders: number[]) => orders.map((order) => firsts[order - 1]).filter((each) => each !== undefined);
  const known = new Set(chosen(insertion.known));
  const refused = new Set(chosen(insertion.refused));
  const contents = await contentsOf(db, accountId, [...known]);
  const isClosed = ({ event }: ReadEvent) => event.hour < insertion.closedBefore;
  // What is there under an identity now; nothing if it was not taken, or was dropped since it was found.
  const contentNow = (each: ReadEvent): string | undefined => {
    if (isClosed(each) || refused.has(each)) return undefined;
    return known.has(each) ? contents.get(identityOf(each)) : contentOf(each);
  };
  const again: ReadEvent[] = [];
  const compare = (each: ReadEvent, content: string | undefined) => {
    if (content === undefined) again.push(each);
    else results[each.index] = { outcome: contentOf(each) === content ? 'duplicate' : 'conflict' };
  };
  for (const each of firsts) {
    if (isClosed(each)) results[each.index] = closed;
    else if (refused.has(each)) results[each.index] = tooMuch(insertion);
    else if (known.has(each)) compare(each, contentNow(each));
    else results[each.index] = accepted;
  }
  for (const { first, each } of repeated) {
    if (isClosed(each)) results[each.index] = closed;
    else compare(each, contentNow(first));
  }
  if (again.length > 0) await recordOfAccount(db, accountId, again.toSorted(compareIdentities), results, now);
  if (insertion.waiting > waitingEventsMax) await foldUsage(db, accountId, now);
}

/** The first of each identity, and those that came after it. */
function distinct(sorted: readonly ReadEvent[]): { firsts: readonly ReadEvent[]; repeated: Repeated[] } {
  const firsts: ReadEvent[] = [];
  const repeated: Repeated[] = [];
  for (const each of sorted) {
    const first = firsts.at(-1);
    if (first !== undefined && compareIdentities(first, each) === 0) repeated.push({ first, each });
    else firsts.push(each);
  }
  return { firsts, repeated };
}

function identityOf({ event: { source, id } }: StoredEvent): string {
  return `${source}\n${id}`;
}

/** The series stands for everything but time and amounts. */
function contentOf({ seriesId, event: { hour, nano, usage, cost } }: StoredEvent): string {
  return `${seriesId} ${hour} ${nano} ${usage} ${cost}`;
}

/** What was accepted under these identities, by identity. */
async function contentsOf(
  db: Database,
  accountId: string,
  asked: readonly StoredEvent[],
): Promise<Map<string, string>> {
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
