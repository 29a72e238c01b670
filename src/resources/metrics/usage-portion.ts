// Events on their way in, a portion at a time: read, told which account they belong to, and put in order, so that
// nothing but the database has to be waited for when they are inserted.
import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../database/open.js';
import { usageEventFrom } from './usage-event.js';
import type { UsageEvent } from './usage-event.js';
import type { StoredEvent } from './usage-insertion.js';
import { invalidUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';
import { seriesIdsOf } from './usage-series.js';

/** So many events are read while those before them are inserted, and are inserted at once. */
export const portionMax = 2_500;

/** Other work gets its turn after so many, and what is on its way to the database gets there. */
const turnMax = 500;

/** Where an event belongs: the account, when it is one that usage may be recorded for, and its workspaces. */
export interface UsagePlace {
  accountId: string;
  hasWorkspace: (name: string) => boolean;
}

/** An event that can be stored, and where its result goes. */
export interface ReadEvent extends StoredEvent {
  index: number;
}

/** Events of one account, in the order of their identities; of one identity, in the order in which they came. */
export interface Portion {
  accountId: string;
  sorted: ReadEvent[];
}

/** Reads the portion that begins at one event. Those that are invalid get their results. */
export async function readPortion(
  db: Database,
  events: readonly unknown[],
  from: number,
  placeOf: (account: string) => UsagePlace | undefined,
  results: UsageResult[],
): Promise<Portion[]> {
  const end = Math.min(from + portionMax, events.length);
  const groups = new Map<string, { event: UsageEvent; index: number }[]>();
  for (let index = from; index < end; index++) {
    if (index > 0 && index % turnMax === 0) await setImmediate();
    const event = usageEventFrom(events[index]);
    if ('rule' in event) {
      results[index] = invalidUsage(event.field, event.rule);
      continue;
    }
    const place = placeOf(event.account);
    if (place === undefined) {
      results[index] = invalidUsage('account', 'is not an account that usage can be recorded for here');
    } else if (!place.hasWorkspace(event.workspace)) {
      results[index] = invalidUsage('workspace', 'is not a workspace of the account');
    } else {
      const group = groups.get(place.accountId);
      if (group === undefined) groups.set(place.accountId, [{ event, index }]);
      else group.push({ event, index });
    }
  }
  const portions: Portion[] = [];
  for (const [accountId, group] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const read = await seriesIdsOf(db, accountId, group);
    portions.push({ accountId, sorted: read.toSorted(compareIdentities) });
  }
  return portions;
}

/** One order for all, so that two writers never wait for each other in a circle. */
export function compareIdentities({ event: one }: StoredEvent, { event: other }: StoredEvent): number {
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  if (one.source === other.source) return 0;
  return one.source < other.source ? -1 : 1;
}
