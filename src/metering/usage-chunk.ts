// Parses a chunk of events, assigns them to accounts and sorts them, so that inserting them only waits for the
// database.
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../errors.js';
import type { GrantedEvents, SentEvents } from '../quotas/spend-usage-events.js';
import type { BillingCatalog } from './billing-catalog.js';
import type { Instant } from './instant.js';
import { noLabels } from './label-sets.js';
import type { LabeledEvent } from './label-sets.js';
import { hasResources } from './resource-names.js';
import type { NamedUsage } from './resource-names.js';
import { usageEventFrom } from './usage-event.js';
import type { UsageEvent } from './usage-event.js';
import type { StoredEvent } from './usage-insertion.js';
import { invalidUsage } from './usage-result.js';
import type { UnchangedResult } from './usage-result.js';

/** The number of events inserted together. The next ones are parsed meanwhile. */
export const chunkMax = 2_500;

/** The number of events parsed before yielding to the event loop. */
const eventsPerTurn = 500;

/** The account that events are recorded for, and its workspaces. */
export interface UsageWorkspaces {
  accountId: string;
  /**
   * Returns those of the names that are existing workspaces of the account, and whether any of its resources has or had
   * labels. Counts the events like spend().
   */
  existing: (
    names: readonly string[],
    sent: SentEvents,
  ) => Promise<GrantedEvents & { names: ReadonlySet<string>; hasLabels: boolean }>;
  /**
   * Counts events that are about to be recorded against the quota of the account.
   *
   * @throws 429 above the quota of usage events per minute; 409 `quota_exceeded` if they never fit.
   */
  spend: (sent: SentEvents) => Promise<GrantedEvents>;
  /** Takes events that were counted off the count, because they are not recorded. */
  giveBack: (count: number) => Promise<void>;
  /** Sets the labels of events: those that their resources had at their times. */
  assignLabels: (events: readonly LabeledEvent[]) => Promise<void>;
  /** Returns the id of each event's resource, which had its name at its time; null for none. */
  resourceIds: (named: readonly NamedUsage[]) => Promise<(string | null)[]>;
  /** Returns those of the names that have recorded usage, including deleted workspaces. */
  recorded: (names: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** A valid event that only lacks its series and labels, with the index of its result. */
export interface PlacedEvent extends StoredEvent {
  index: number;
}

/** Parsed events of an account. */
export interface ParsedEvents {
  place: UsageWorkspaces;
  events: PlacedEvent[];
}

/** Events as given, such as an array. They are read one at a time. */
export interface GivenEvents {
  length: number;
  at: (index: number) => unknown;
}

/** The rules for parsing: the allowed accounts and the latest time of an event. */
export interface UsageRules {
  placeOf: (account: string) => UsageWorkspaces | undefined;
  latest: Instant;
  /**
   * Loads the billing catalog. Called for events of custom dimensions or resource types, and for events without a cost.
   */
  catalog: () => Promise<BillingCatalog>;
  /** Whether the events are amendments. Like credits, these may name a deleted workspace. */
  areCorrections?: boolean;
  sending: Sending;
}

/** How the events of a request are counted against quotas. */
export interface Sending {
  /**
   * `whole`: all events fit or none is recorded. `partial`: those that fit are recorded, as of a stream. `uncounted`:
   * the events do not count, as those of corrections.
   */
  counting: 'whole' | 'partial' | 'uncounted';
  /** Whether events without a UUID are those of the resource that had their name at their time. */
  isByName?: boolean;
  /** The first event that did not fit, and why. Nothing is read after its chunk. */
  cut?: { index: number; refusal: ApiError } | undefined;
  /** Called before events are recorded. A failure after it can leave some of them recorded. */
  onBegin?: () => void;
}

/** Parses the chunk that starts at `from`. Returns its events by account, and calls `refuse` for invalid ones. */
export async function parseChunk(
  events: GivenEvents,
  from: number,
  { placeOf, latest, catalog: readCatalog, sending }: UsageRules,
  refuse: (index: number, result: UnchangedResult<'invalid'>) => void,
): Promise<ParsedEvents[]> {
  const end = Math.min(from + chunkMax, events.length);
  const groups = new Map<string, ParsedEvents>();
  let catalog: BillingCatalog | null = null;
  for (let index = from; index < end; index++) {
    if (index > 0 && index % eventsPerTurn === 0) await setImmediate();
    const item = events.at(index);
    let event = usageEventFrom(item, latest, catalog);
    while ('needs' in event) {
      catalog = await readCatalog();
      event = usageEventFrom(item, latest, catalog);
    }
    if ('rule' in event) {
      refuse(index, invalidUsage(event.field, event.rule));
      continue;
    }
    const place = placeOf(event.account);
    if (place === undefined) {
      refuse(index, invalidUsage('account', 'must be an account that the credential can record usage for'));
      continue;
    }
    const group = groups.get(place.accountId);
    const placed = { event, index, labelSetId: noLabels, seriesId: '' };
    if (group === undefined) groups.set(place.accountId, { place, events: [placed] });
    else group.events.push(placed);
  }
  // All writers use the same order, to prevent deadlocks.
  const sorted = [...groups.values()].toSorted((one, other) => (one.place.accountId < other.place.accountId ? -1 : 1));
  const parsed: ParsedEvents[] = [];
  for (const { place, events: placed } of sorted) {
    const identified = sending.isByName === true ? await ofNamedResources(place, placed, refuse) : placed;
    if (identified.length > 0) parsed.push({ place, events: identified });
  }
  return parsed;
}

/**
 * Parses all events of a request and counts them, before any of them is recorded. Returns the chunks, which are not to
 * be counted again.
 *
 * @throws like spend().
 */
export async function parseWhole(
  events: GivenEvents,
  rules: UsageRules,
  refuse: (index: number, result: UnchangedResult<'invalid'>) => void,
): Promise<ParsedEvents[][]> {
  const chunks: ParsedEvents[][] = [];
  for (let from = 0; from < events.length; from += chunkMax) chunks.push(await parseChunk(events, from, rules, refuse));
  const sent = new Map<string, CountedEvents>();
  for (const { place, events: own } of chunks.flat()) {
    const count = (sent.get(place.accountId)?.count ?? 0) + own.length;
    sent.set(place.accountId, { place, count });
  }
  await countEach([...sent.values()], async ({ place, count }) => {
    await place.spend({ count, isPartial: false });
  });
  return chunks;
}

interface CountedEvents {
  place: UsageWorkspaces;
  count: number;
}

/** Counts the events of each account. If those of one are refused, so is the request, and the others give theirs back. */
async function countEach<Each extends CountedEvents>(
  accounts: readonly Each[],
  count: (each: Each) => Promise<void>,
): Promise<void> {
  for (const [order, each] of accounts.entries()) {
    try {
      await count(each);
    } catch (error) {
      if (error instanceof ApiError) {
        for (const counted of accounts.slice(0, order)) await counted.place.giveBack(counted.count);
      }
      throw error;
    }
  }
}

/**
 * Returns the events of a parsed chunk in known workspaces, with their labels, by account. Calls `refuse` for the
 * others.
 */
export async function placeChunk(
  parsed: readonly ParsedEvents[],
  { areCorrections = false, sending }: UsageRules,
  refuse: (index: number, result: UnchangedResult<'invalid'>) => void,
): Promise<{ accountId: string; events: PlacedEvent[] }[]> {
  const placed: { accountId: string; events: PlacedEvent[] }[] = [];
  const isWhole = sending.counting === 'whole';
  const accounts = parsed.map((each) => ({ ...each, count: isWhole ? each.events.length : 0 }));
  await countEach(accounts, async ({ place, events }) => {
    const known = await inKnownWorkspaces(place, events, { areCorrections, sending }, refuse);
    if (known.length > 0) placed.push({ accountId: place.accountId, events: known });
  });
  return placed;
}

/** Returns the events with the ids of their resources. Refuses those of unknown names. */
async function ofNamedResources(
  place: UsageWorkspaces,
  placed: PlacedEvent[],
  refuse: (index: number, result: UnchangedResult<'invalid'>) => void,
): Promise<PlacedEvent[]> {
  const named = placed.filter(({ event }) => event.resourceUuid === '' && hasResources(event.resourceType));
  if (named.length === 0) return placed;
  const ids = await place.resourceIds(named.map(({ event }) => event));
  const unknown = new Set<PlacedEvent>();
  for (const [order, each] of named.entries()) {
    const id = ids[order];
    if (id == null) {
      refuse(each.index, invalidUsage('resourceName', 'must be a resource of the workspace and type at that time'));
      unknown.add(each);
    } else each.event.resourceUuid = id;
  }
  return placed.filter((each) => !unknown.has(each));
}

/**
 * Returns the events with a known workspace, with their labels; for credits and amendments a deleted one too. Refuses
 * the others.
 */
async function inKnownWorkspaces(
  place: UsageWorkspaces,
  placed: PlacedEvent[],
  { areCorrections, sending }: Required<Pick<UsageRules, 'areCorrections' | 'sending'>>,
  refuse: (index: number, result: UnchangedResult<'invalid'>) => void,
): Promise<PlacedEvent[]> {
  const count = sending.counting === 'uncounted' ? 0 : placed.length;
  const sent = { count, isPartial: sending.counting === 'partial' };
  const { names: existing, hasLabels, granted, refusal } = await place.existing(workspacesOf(placed), sent);
  if (hasLabels) await place.assignLabels(placed);
  const events = refusal === undefined ? placed : placed.slice(0, granted);
  const index = placed[granted]?.index ?? 0;
  if (refusal !== undefined && index < (sending.cut?.index ?? Infinity)) sending.cut = { index, refusal };
  const others = events.filter(({ event }) => !existing.has(event.workspace));
  if (others.length === 0) return events;
  const corrections = others.filter(({ event }) => areCorrections || isCredit(event));
  const recorded = corrections.length === 0 ? existing : await place.recorded(workspacesOf(corrections));
  const retained = new Set(corrections.filter(({ event }) => recorded.has(event.workspace)));
  for (const each of others) {
    if (!retained.has(each)) refuse(each.index, invalidUsage('workspace', 'must be a workspace of the account'));
  }
  return events.filter((each) => existing.has(each.event.workspace) || retained.has(each));
}

function workspacesOf(events: readonly PlacedEvent[]): string[] {
  return [...new Set(events.map(({ event }) => event.workspace))];
}

function isCredit({ usage, cost }: UsageEvent): boolean {
  return usage.startsWith('-') || cost.startsWith('-');
}

/** Orders events by identity, the same for all writers. Equal identities stay in their original order. */
export function compareIdentities({ event: one }: StoredEvent, { event: other }: StoredEvent): number {
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  if (one.source === other.source) return 0;
  return one.source < other.source ? -1 : 1;
}

/** Splits events into parts to insert together, each with a sum near `sumMax` at most. */
export function* partsOf(sorted: readonly PlacedEvent[], sumMax: number): Generator<readonly PlacedEvent[]> {
  if (sorted.length * 10 ** longestAmount(sorted) <= sumMax) {
    if (sorted.length > 0) yield sorted;
    return;
  }
  let [from, cost, usage] = [0, 0, 0];
  for (let index = 0; index < sorted.length; index++) {
    const event = sorted[index]?.event;
    cost += Math.abs(Number(event?.cost));
    usage += Math.abs(Number(event?.usage));
    if (cost <= sumMax && usage <= sumMax) continue;
    yield sorted.slice(from, index + 1);
    [from, cost, usage] = [index + 1, 0, 0];
  }
  if (from < sorted.length) yield from === 0 ? sorted : sorted.slice(from);
}

/** Returns the length of the longest amount (characters). */
function longestAmount(events: readonly PlacedEvent[]): number {
  let longest = 0;
  for (const { event } of events) longest = Math.max(longest, event.usage.length, event.cost.length);
  return longest;
}
