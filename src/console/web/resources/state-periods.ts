// The states of a resource over time, from its events.
import { lookOf, statusesOf, tones } from '../look/state.js';
import type { Tone } from '../look/state.js';

export interface StatePeriod {
  tone: Tone;
  fromMs: number;
  toMs: number;
}

interface StateEvent {
  time: string | null;
  status: string | null;
}

/** The shortest time that the present state is shown for. */
const presentMs = 1_000;

const deploymentStates = new Set<string>(tones.flatMap((tone) => statusesOf[tone]));

/**
 * The tones of a resource's states from a time until now. Unknown time at the start is omitted. The
 * last one always has a share, also when its event is newer than this clock: a resource that has just been deployed
 * must not look as if it were still in progress.
 *
 * @param events the earliest first. Events without a state, such as updates, are ignored.
 */
export function statePeriodsOf(events: readonly StateEvent[], sinceMs: number, clockMs: number): StatePeriod[] {
  const known = events.flatMap(({ time, status }) =>
    time !== null && status !== null && deploymentStates.has(status) ? [{ status, atMs: Date.parse(time) }] : [],
  );
  const nowMs = Math.max(clockMs, (known.at(-1)?.atMs ?? 0) + presentMs);
  const periods: StatePeriod[] = [];
  for (const [index, { status, atMs }] of known.entries()) {
    const fromMs = Math.max(atMs, sinceMs);
    const toMs = Math.min(known[index + 1]?.atMs ?? nowMs, nowMs);
    if (toMs <= fromMs) continue;
    const { tone } = lookOf(status);
    const last = periods.at(-1);
    if (last?.tone === tone) last.toMs = toMs;
    else periods.push({ tone, fromMs, toMs });
  }
  return periods;
}

/** The share of each tone, from 0 to 1. Unknown time does not count. */
export function sharesOf(periods: readonly StatePeriod[]): { tone: Tone; share: number }[] {
  const wholeMs = periods.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return tones.flatMap((tone) => {
    const ownMs = periods.reduce((sum, each) => sum + (each.tone === tone ? each.toMs - each.fromMs : 0), 0);
    return ownMs === 0 ? [] : [{ tone, share: ownMs / wholeMs }];
  });
}
