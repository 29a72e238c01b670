import { toneOf } from '../look/state.js';
import type { ResourceEvent } from './resource-queries.js';

export interface Revision {
  id: string;
  /** The time of its first event. */
  time: string | null;
  /** Its last reported state. */
  status: string | null;
  /** Whether it was ever deployed. */
  wasDeployed: boolean;
}

/** The revisions in the events, the latest first. */
export function revisionsOf(events: readonly ResourceEvent[]): Revision[] {
  const revisions = new Map<string, Revision>();
  for (const { time, status, revision: id } of events) {
    if (id === null) continue;
    const known = revisions.get(id);
    const wasDeployed = known?.wasDeployed === true || toneOf(status) === 'healthy';
    revisions.delete(id);
    revisions.set(id, { id, time: known?.time ?? time, status: status ?? known?.status ?? null, wasDeployed });
  }
  return [...revisions.values()].toReversed();
}
