import { performance } from 'node:perf_hooks';

/** How much of the time the loop has to work to count as saturated, and over which time that is looked at. */
const share = 0.8;
const lookMs = 100;

/**
 * @returns whether Node's loop has hardly rested lately: it is the processor that limits then, so that more requests at
 *   once only make each of them slower.
 */
export function createSaturation(): () => boolean {
  let before = performance.eventLoopUtilization();
  let lookedMs = performance.now();
  let isSaturated = false;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lookedMs < lookMs) return isSaturated;
    const now = performance.eventLoopUtilization();
    isSaturated = performance.eventLoopUtilization(now, before).utilization > share;
    before = now;
    lookedMs = nowMs;
    return isSaturated;
  };
}
