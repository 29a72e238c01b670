// Events on their way in, a portion at a time: read, told which account they belong to, and put in order, so that
// nothing but the database has to be waited for when they are inserted.
import { setImmediate } from 'node:timers/promises';
import type { BillingCatalog } from './billing-catalog.js';
import type { Instant } from './instant.js';
import { usageEventFrom } from './usage-event.js';
import type { UsageEvent } from './usage-event.js';
import type { StoredEvent } from './usage-insertion.js';
import { invalidUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';

/** So many events are read while those before them are inserted, and are inserted at once. */
export const portionMax = 2_500;

/** Other work gets its turn after so many, and what is on its way to the database gets there. */
const turnMax = 500;

/** Where an event belongs: the account, when it is one that usage may be recorded for, and its workspaces. */
export interface UsagePlace {
  accountId: string;
  /** Of these names, those of workspaces that the account has now. */
  existing: (names: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Of these names, those of workspaces that usage was recorded in before, deleted ones too. */
  recorded: (names: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** An event that can be stored once its series is told, and where its result goes. */
export interface PlacedEvent extends StoredEvent {
  index: number;
}

/** Events as they came in, such as an array. Each is asked for when it is its turn. */
export interface GivenEvents {
  length: number;
  at: (index: number) => unknown;
}

/** What a portion is read by: which accounts there are, and the last moment that an event may have happened at. */
export interface UsageRules {
  placeOf: (account: string) => UsagePlace | undefined;
  latest: Instant;
  /** What the platform bills: read when an event is of more than the specification names, or comes without a cost. */
  catalog: () => Promise<BillingCatalog>;
  /** Whether events correct others: then, like credits, they may belong to a workspace that has been deleted since. */
  areCorrections?: boolean;
}

/** Reads the portion that begins at one event: its events by account. Those that are invalid get their results. */
export async function readPortion(
  events: GivenEvents,
  from: number,
  { placeOf, latest, catalog: readCatalog, areCorrections = false }: UsageRules,
  results: UsageResult[],
): Promise<{ accountId: string; events: PlacedEvent[] }[]> {
  const end = Math.min(from + portionMax, events.length);
  const groups = new Map<string, { place: UsagePlace; events: PlacedEvent[] }>();
  let catalog: BillingCatalog | null = null;
  for (let index = from; index < end; index++) {
    if (index > 0 && index % turnMax === 0) await setImmediate();
    const given = events.at(index);
    let event = usageEventFrom(given, latest, catalog);
    while ('needs' in event) {
      catalog = await readCatalog();
      event = usageEventFrom(given, latest, catalog);
    }
    if ('rule' in event) {
      results[index] = invalidUsage(event.field, event.rule);
      continue;
    }
    const place = placeOf(event.account);
    if (place === undefined) {
      results[index] = invalidUsage('account', 'is not an account that usage can be recorded for here');
      continue;
    }
    const group = groups.get(place.accountId);
    if (group === undefined) groups.set(place.accountId, { place, events: [{ event, index, seriesId: '' }] });
    else group.events.push({ event, index, seriesId: '' });
  }
  // One order for all, so that two writers never wait for each other in a circle.
  const inOrder = [...groups.values()].toSorted((one, other) => (one.place.accountId < other.place.accountId ? -1 : 1));
  const read: { accountId: string; events: PlacedEvent[] }[] = [];
  for (const { place, events: placed } of inOrder) {
    const known = await inKnownWorkspaces(place, placed, areCorrections, results);
    if (known.length > 0) read.push({ accountId: place.accountId, events: known });
  }
  return read;
}

/** The events whose workspace the account has, or had where that is enough. The others get their results. */
async function inKnownWorkspaces(
  place: UsagePlace,
  events: PlacedEvent[],
  areCorrections: boolean,
  results: UsageResult[],
): Promise<PlacedEvent[]> {
  const existing = await place.existing(workspacesOf(events));
  const others = events.filter(({ event }) => !existing.has(event.workspace));
  if (others.length === 0) return events;
  const corrections = others.filter(({ event }) => areCorrections || isCredit(event));
  const recorded = corrections.length === 0 ? existing : await place.recorded(workspacesOf(corrections));
  const kept = new Set(corrections.filter(({ event }) => recorded.has(event.workspace)));
  for (const each of others) {
    if (!kept.has(each)) results[each.index] = invalidUsage('workspace', 'is not a workspace of the account');
  }
  return events.filter((each) => existing.has(each.event.workspace) || kept.has(each));
}

function workspacesOf(events: readonly PlacedEvent[]): string[] {
  return [...new Set(events.map(({ event }) => event.workspace))];
}

function isCredit({ usage, cost }: UsageEvent): boolean {
  return usage.startsWith('-') || cost.startsWith('-');
}

/** By identity: one order for all writers. Events of one identity are in the order in which they came. */
export function compareIdentities({ event: one }: StoredEvent, { event: other }: StoredEvent): number {
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  if (one.source === other.source) return 0;
  return one.source < other.source ? -1 : 1;
}

/** Events that are inserted at once: all of them, unless they add up to more than that. */
export function* partsOf(sorted: readonly PlacedEvent[], sumMax: number): Generator<readonly PlacedEvent[]> {
  if (sorted.length * 10 ** longestAmount(sorted) <= sumMax) {
    if (sorted.length > 0) yield sorted;
    return;
  }
  let [from, cost, usage] = [0, 0, 0];
  for (let place = 0; place < sorted.length; place++) {
    const event = sorted[place]?.event;
    cost += Math.abs(Number(event?.cost));
    usage += Math.abs(Number(event?.usage));
    if (cost <= sumMax && usage <= sumMax) continue;
    yield sorted.slice(from, place + 1);
    [from, cost, usage] = [place + 1, 0, 0];
  }
  if (from < sorted.length) yield from === 0 ? sorted : sorted.slice(from);
}

/** Of how many characters the longest amount is. */
function longestAmount(events: readonly PlacedEvent[]): number {
  let longest = 0;
  for (const { event } of events) longest = Math.max(longest, event.usage.length, event.cost.length);
  return longest;
}

/** Whether events of one identity are in both, each in the order of identities. */
export function haveCommon(some: readonly StoredEvent[], others: readonly StoredEvent[]): boolean {
  let place = 0;
  for (const each of some) {
    for (let other = others[place]; other !== undefined; other = others[++place]) {
      const order = compareIdentities(each, other);
      if (order === 0) return true;
      if (order < 0) break;
    }
  }
  return false;
}
