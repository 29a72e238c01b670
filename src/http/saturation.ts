import { performance } from 'node:perf_hooks';

/** The event loop utilization that counts as saturated, and the interval over which it is measured. */
const share = 0.8;
const lookMs = 100;

/**
 * @returns whether Node's event loop was saturated recently. The processor is then the bottleneck, and more concurrent
 * requests only make each of them slower.
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
