import { toneOf } from '../look/state.js';
import type { ResourceEvent } from './resource-queries.js';

export interface Revision {
  id: string;
  /** When it was told of first. */
  time: string | null;
  /** The state that it was last told to be in. */
  status: string | null;
  /** Whether it ever ran. */
  hasServed: boolean;
}

/** The revisions that events tell of, the latest first. */
export function revisionsOf(events: readonly ResourceEvent[]): Revision[] {
  const revisions = new Map<string, Revision>();
  for (const { time, status, revision: id } of events) {
    if (id === null) continue;
    const known = revisions.get(id);
    const hasServed = known?.hasServed === true || toneOf(status) === 'fine';
    revisions.delete(id);
    revisions.set(id, { id, time: known?.time ?? time, status: status ?? known?.status ?? null, hasServed });
  }
  return [...revisions.values()].toReversed();
}
