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
import { usageEventFrom } from './usage-event.js';
import type { UsageEvent, UsageField } from './usage-event.js';
import { foldUsage } from './usage-fold.js';
import { seriesIdsOf } from './usage-series.js';
import { cellMax, insertEvents, insertionMax } from './usage-insertion.js';
import type { Insertion, StoredEvent } from './usage-insertion.js';

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
    for (const portion of portionsOf(group)) await recordOfAccount(db, accountId, portion, results, now);
  }
  return results;
}

/** Events that are inserted at once: all of them, unless they add up to very much. */
function* portionsOf(group: readonly Numbered[]): Generator<Numbered[]> {
  let portion: Numbered[] = [];
  let [cost, usage] = [0n, 0n];
  for (const each of group) {
    portion.push(each);
    cost += BigInt(each.event.cost);
    usage += BigInt(each.event.usage);
    if (cost <= insertionMax && usage <= insertionMax) continue;
    yield portion;
    portion = [];
    [cost, usage] = [0n, 0n];
  }
  if (portion.length > 0) yield portion;
}

function invalid(field: UsageField, rule: string): UsageResult {
  return { outcome: 'invalid', field, message: `${field} ${rule}` };
}

const closed = invalid('time', 'lies before the usage that is kept');

function tooMuch({ over }: Insertion): UsageResult {
  const [field, digits] = over.cost ? (['cost', costDigits] as const) : (['usage', usageDigits] as const);
  return invalid(
    field,
    `would bring a sum of the account over ${cellMax / 10n ** BigInt(digits)}, the most that is kept`,
  );
}

interface Stored extends Numbered, StoredEvent {
  identity: string;
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
  const insertion = await insertEvents(db, accountId, sorted);
  const chosen = (orders: number[]) => orders.map((order) => sorted[order - 1]).filter((each) => each !== undefined);
  const contents = await contentsOf(db, accountId, chosen(insertion.known));
  const refused = new Set(chosen(insertion.refused));
  const known = new Set(chosen(insertion.known));
  // What is there under an identity now; nothing if it was not taken, or was dropped since it was found.
  const taken = new Map<string, string>();
  const again: Numbered[] = [];
  for (const each of sorted) {
    const content = known.has(each) ? contents.get(each.identity) : contentOf(each);
    if (each.event.hour < insertion.closedBefore) results[each.index] = closed;
    else if (refused.has(each)) results[each.index] = tooMuch(insertion);
    else if (content === undefined) again.push(each);
    else {
      results[each.index] = known.has(each) ? compared(each, content) : { outcome: 'accepted' };
      taken.set(each.identity, content);
    }
  }
  for (const each of repeated) {
    const content = taken.get(each.identity);
    if (each.event.hour < insertion.closedBefore) results[each.index] = closed;
    else if (content === undefined) again.push(each);
    else results[each.index] = compared(each, content);
  }
  if (again.length > 0) await recordOfAccount(db, accountId, again, results, now);
  if (insertion.waiting > waitingEventsMax) await foldUsage(db, accountId, now);
}

function compared(event: Stored, accepted: string): UsageResult {
  return { outcome: contentOf(event) === accepted ? 'duplicate' : 'conflict' };
}

/** The series stands for everything but time and amounts. */
function contentOf({ seriesId, event: { hour, nano, usage, cost } }: Stored): string {
  return `${seriesId} ${hour} ${nano} ${usage} ${cost}`;
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
