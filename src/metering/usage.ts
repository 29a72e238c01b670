// Records usage. An accepted event is stored together with its batch in one statement, and rolled up later in another
// (usage-rollup.ts). A process may be killed at any time without loss.
import { authorizeScope } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import { isUniqueViolation } from '../database/failures.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { invalidParameter } from '../errors.js';
import { EventCells } from './cell-bounds.js';
import type { CellSums } from './cell-bounds.js';
import { catalogOnce } from './read-catalog.js';
import { latestUsageTime } from './usage-event.js';
import type { UsageContext, UsageMemory } from './usage-memory.js';
import { rollUpUsage } from './usage-rollup.js';
import { contentOf, contentsStatement, distinctEvents, identityOf } from './usage-identity.js';
import type { ContentRow, Repeated, StoredContent } from './usage-identity.js';
import { insertAllStatement, insertionColumns, insertionMax, insertMissingStatement } from './usage-insertion.js';
import type { Insertion, InsertionColumns, StoredEvent } from './usage-insertion.js';
import { isAnyAccountLimited } from '../quotas/spend-usage-events.js';
import { usageWorkspaces } from './usage-workspaces.js';
import { chunkMax, compareIdentities, parseChunk, parseWhole, partsOf, placeChunk } from './usage-chunk.js';
import type { GivenEvents, PlacedEvent, Sending, UsageWorkspaces } from './usage-chunk.js';
import { assignLabels, noLabels, readLabelSets } from './label-sets.js';
import { invalidUsage, repeatedUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';
import { seriesStatement } from './usage-series.js';
import type { SeriesCache, SeriesRow } from './usage-series.js';

export const usageBatchMax = 10_000;

/** The number of waiting events above which a request rolls them up itself. */
const waitingEventsMax = 200_000;

/**
 * Records events. Each has its own result, in order. The caller must be an admin of each event's account; an
 * inaccessible account and an unknown one give the same error.
 *
 * @param input the events, or their parser for a caller that may record for any account.
 * @param sending how they count against quotas; by default, all of them fit or none is recorded.
 * @throws 403 without the scope usage:write; 400 for more than 10,000 events; 429 above the limit of events per minute;
 * 409 `quota_exceeded` for more events than an account may ever send in a minute.
 */
export async function recordUsage(
  ctx: UsageContext,
  input: GivenEvents | (() => Promise<GivenEvents>),
  sending: Sending = allOrNone(),
): Promise<UsageResult[]> {
  const { caller, db } = authorizeScope(ctx, 'usage:write');
  const events = typeof input === 'function' ? await input() : input;
  if (events.length > usageBatchMax)
    throw invalidParameter('events', `must be at most ${usageBatchMax} events`, {
      limit: usageBatchMax,
      actual: events.length,
    });
  await ctx.spend('usage_events', events.length);
  const results = await recordEvents(
    db,
    ctx.usageMemory,
    events,
    (account) => placeWithin(db, caller, account),
    ctx.now(),
    sending,
  );
  // Of a stream that was cut, events without a result are left out.
  ctx.onUsage(results.flatMap(({ outcome }) => outcome));
  return results;
}

function allOrNone(): Sending {
  return { counting: 'whole' };
}

/** Returns an account of which the caller is an admin, by id or name. */
function placeWithin(db: Statements, { accounts, confinedTo }: Caller, account: string): UsageWorkspaces | undefined {
  const found = accounts.find(({ id }) => id === account) ?? accounts.find(({ name }) => name === account);
  return found?.role === 'admin' ? usageWorkspaces(db, found.id, confinedTo) : undefined;
}

/** Records events of any account. @param db the database, not one of its transactions: `memory` keeps what is written. */
export async function recordEvents(
  db: Statements,
  memory: UsageMemory,
  events: GivenEvents,
  placeOf: (account: string) => UsageWorkspaces | undefined,
  now: Date,
  sending = allOrNone(),
): Promise<UsageResult[]> {
  const results: UsageResult[] = [];
  const places = new Map<string, UsageWorkspaces | undefined>();
  const knownPlaceOf = (account: string) => {
    if (!places.has(account)) places.set(account, placeOf(account));
    return places.get(account);
  };
  const rules = { placeOf: knownPlaceOf, latest: latestUsageTime(now), catalog: catalogOnce(db), sending };
  const refuse = (index: number, result: UsageResult) => {
    results[index] = result;
  };
  const isWhole = sending.counting === 'whole' && events.length > chunkMax;
  const isCountedFirst = isWhole && (await isAnyAccountLimited(db));
  const chunks = isCountedFirst ? await parseWhole(events, rules, refuse) : undefined;
  const placing = isCountedFirst ? { ...rules, sending: { ...sending, counting: 'uncounted' as const } } : rules;
  const read = async (from: number): Promise<AccountEvents[]> => {
    if (sending.cut !== undefined) return [];
    const groups: AccountEvents[] = [];
    const parsed = chunks?.[from / chunkMax] ?? (await parseChunk(events, from, rules, refuse));
    for (const { accountId, events: own } of await placeChunk(parsed, placing, refuse)) {
      await assignSeries(db, memory.series, accountId, own);
      groups.push({
        accountId,
        parts: [...partsOf(own.toSorted(compareIdentities), Number(insertionMax))].map(preparedPart),
      });
    }
    return groups;
  };
  const record = async (groups: readonly AccountEvents[]): Promise<void> => {
    sending.onBegin?.();
    for (const { accountId, parts } of groups) {
      for (const part of parts) await recordPart(db, memory, accountId, part, results, now);
    }
  };
  // The next chunk is parsed while the database inserts this one: 1.24 times as many events a second from one writer of
  // batches of 10,000, and as many as otherwise from eight (medians of eight runs in turn).
  let recording = Promise.resolve();
  try {
    for (let from = 0; from < events.length; from += chunkMax) {
      const chunk = await read(from);
      await recording;
      recording = record(chunk);
      // Awaited by the next iteration.
      recording.catch(() => {});
    }
    await recording;
  } finally {
    // Leave nothing running after a failure is reported.
    await Promise.allSettled([recording]);
  }
  return results;
}

/** The events of a chunk for one account, in parts that one statement inserts. */
interface AccountEvents {
  accountId: string;
  parts: PreparedPart[];
}

/** Events that one statement inserts. */
interface PreparedPart {
  /** The first event of each identity. */
  firsts: readonly PlacedEvent[];
  repeated: Repeated[];
  columns: InsertionColumns;
}

function preparedPart(sorted: readonly PlacedEvent[]): PreparedPart {
  const { firsts, repeated } = distinctEvents(sorted);
  return { firsts, repeated, columns: insertionColumns(firsts) };
}

/** Sets the series ids of events. Creates missing series, and caches them. */
export async function assignSeries(
  db: Statements,
  known: SeriesCache,
  accountId: string,
  events: readonly StoredEvent[],
): Promise<void> {
  const missing = known.assign(accountId, events);
  if (missing.length === 0) return;
  const needed = new Set(missing.map(({ of }) => of.labelSetId));
  needed.delete(noLabels);
  const labelSets = await readLabelSets(db, accountId, needed);
  if (labelSets.length < needed.size) {
    await assignLabels(db, accountId, events);
    return assignSeries(db, known, accountId, events);
  }
  const statement = seriesStatement(accountId, missing, labelSets);
  let rows: SeriesRow[] = [];
  while (rows.length < missing.length) rows = await readJson(db, statement);
  known.add(accountId, events, missing, rows);
}

const accepted: UsageResult = { outcome: 'accepted' };
const closed = invalidUsage('time', 'must be within the retained usage');

/** @param isChecked whether the sums are known to stay within their bounds. */
async function recordPart(
  db: Statements,
  memory: UsageMemory,
  accountId: string,
  { firsts, repeated, columns }: PreparedPart,
  results: UsageResult[],
  now: Date,
  isChecked = false,
): Promise<void> {
  const insertion = await insertEvents(db, accountId, columns, now, isChecked);
  if (!insertion.isDone) {
    const fitting = new Set(await fittingEvents(db, memory, accountId, firsts, results, now));
    const [beside, others] = [true, false].map((fits) =>
      repeated.filter(({ first }) => fitting.has(first) === fits).map(({ each }) => each),
    );
    const checked = [...fitting, ...(beside ?? [])].toSorted(compareIdentities);
    if (checked.length > 0) await recordPart(db, memory, accountId, preparedPart(checked), results, now, true);
    if (others !== undefined && others.length > 0)
      await recordPart(db, memory, accountId, preparedPart(others), results, now);
    return;
  }
  const known = new Set(insertion.known.flatMap((order) => firsts[order - 1] ?? []));
  const contents = await readContents(db, accountId, [...known]);
  const isClosed = ({ event }: PlacedEvent) => event.hour < insertion.closedBefore;
  // The stored content of the event's identity; undefined if it was rejected, or dropped since it was found.
  const storedOf = (each: PlacedEvent): StoredContent | undefined => {
    if (isClosed(each)) return undefined;
    return known.has(each) ? contents.get(identityOf(each)) : { content: contentOf(each), state: 'active' };
  };
  const again: PlacedEvent[] = [];
  const settle = (each: PlacedEvent, result: UsageResult) => {
    const { rounded } = each.event;
    results[each.index] = rounded.length === 0 ? result : { ...result, rounded };
  };
  const compare = (each: PlacedEvent, stored: StoredContent | undefined) => {
    if (stored === undefined) again.push(each);
    else settle(each, repeatedUsage(contentOf(each) === stored.content ? 'duplicate' : 'conflict', stored.state));
  };
  for (const each of firsts) {
    if (isClosed(each)) results[each.index] = closed;
    else if (known.has(each)) compare(each, storedOf(each));
    else settle(each, accepted);
  }
  for (const { first, each } of repeated) {
    if (isClosed(each)) results[each.index] = closed;
    else compare(each, storedOf(first));
  }
  if (again.length > 0)
    await recordPart(db, memory, accountId, preparedPart(again.toSorted(compareIdentities)), results, now);
  if (insertion.waiting > waitingEventsMax) await rollUpUsage(db, memory, accountId, now);
}

/** Inserts the new events. First tries to insert all of them, which is cheapest and usually succeeds. */
async function insertEvents(
  db: Statements,
  accountId: string,
  columns: InsertionColumns,
  now: Date,
  isChecked: boolean,
): Promise<Insertion> {
  try {
    const all = await readJson<Insertion>(db, insertAllStatement(accountId, columns, now));
    if (all.isDone) return all;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  return readJson(db, insertMissingStatement(accountId, columns, now, { isChecked }));
}

/** Returns the events that fit or exist already. Sets the results of the others. */
async function fittingEvents(
  db: Statements,
  memory: UsageMemory,
  accountId: string,
  events: readonly PlacedEvent[],
  results: UsageResult[],
  now: Date,
): Promise<PlacedEvent[]> {
  await rollUpUsage(db, memory, accountId, now);
  const contents = await readContents(db, accountId, events);
  const isThere = (each: PlacedEvent) => contents.has(identityOf(each));
  // In the order given by the caller.
  const fresh = events.filter((each) => !isThere(each)).toSorted((one, other) => one.index - other.index);
  const own = fresh.map(({ event }) => event);
  const cells = new EventCells(accountId, own);
  const sums = await readJson<CellSums>(db, cells.statement());
  const refusals = cells.refusals(own, sums);
  for (const [position, { index }] of fresh.entries()) {
    const refusal = refusals[position];
    if (refusal !== undefined) results[index] = refusal;
  }
  return [...events.filter(isThere), ...fresh.filter((_, position) => refusals[position] === undefined)];
}

/** Returns the stored contents of events' identities, by identity. */
async function readContents(
  db: Statements,
  accountId: string,
  events: readonly StoredEvent[],
): Promise<Map<string, StoredContent>> {
  if (events.length === 0) return new Map();
  const rows = await readJson<ContentRow[]>(db, contentsStatement(accountId, events));
  return new Map(rows.map(([source, id, content, state]) => [`${source}\n${id}`, { content, state }]));
}
