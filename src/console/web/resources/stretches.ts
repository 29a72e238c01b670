// The states of a resource over time, from its events.
import { lookOf, statusesOf, tones } from '../look/state.js';
import type { Tone } from '../look/state.js';

export interface Stretch {
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
 * last one always has a share, also when its event is newer than this clock: a resource that has just been deployed must
 * not look as if it were still in progress.
 *
 * @param events the earliest first. Events without a state, such as updates, are ignored.
 */
export function stretchesOf(events: readonly StateEvent[], sinceMs: number, clockMs: number): Stretch[] {
  const known = events.flatMap(({ time, status }) =>
    time !== null && status !== null && deploymentStates.has(status) ? [{ status, atMs: Date.parse(time) }] : [],
  );
  const nowMs = Math.max(clockMs, (known.at(-1)?.atMs ?? 0) + presentMs);
  const stretches: Stretch[] = [];
  for (const [index, { status, atMs }] of known.entries()) {
    const fromMs = Math.max(atMs, sinceMs);
    const toMs = Math.min(known[index + 1]?.atMs ?? nowMs, nowMs);
    if (toMs <= fromMs) continue;
    const { tone } = lookOf(status);
    const last = stretches.at(-1);
    if (last?.tone === tone) last.toMs = toMs;
    else stretches.push({ tone, fromMs, toMs });
  }
  return stretches;
}

/** The share of each tone, from 0 to 1. Unknown time does not count. */
export function sharesOf(stretches: readonly Stretch[]): { tone: Tone; share: number }[] {
  const wholeMs = stretches.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return tones.flatMap((tone) => {
    const ownMs = stretches.reduce((sum, each) => sum + (each.tone === tone ? each.toMs - each.fromMs : 0), 0);
    return ownMs === 0 ? [] : [{ tone, share: ownMs / wholeMs }];
  });
}
