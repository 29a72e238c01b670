// Node accepts one connection in each turn of its event loop, and a turn lasts as long as the work in it. Under load, a
// client that connects would wait for many seconds, even for its rejection: at twice the capacity, p99 of `bench:overload` is
// 12 s without the hold, and 1 s with it.

/** How long new work is held at most, and how long it then runs before it is held again (ms). */
const holdMsMax = 250;

/** The work that makes turns long. */
export interface HeldWork {
  /** Whether requests wait. Without, turns are short. */
  isLoaded: () => boolean;
  /** Starts no new work. */
  hold: () => void;
  resume: () => void;
}

/**
 * Holds new work while connections come in turn after turn.
 *
 * @returns a function to call for each new connection.
 */
export function createConnectionHold({ isLoaded, hold, resume }: HeldWork): () => void {
  let isOn = false;
  let endedMs = -holdMsMax;
  let hasConnected = false;

  function look(fromMs: number): void {
    const nowMs = performance.now();
    if (hasConnected && nowMs - fromMs < holdMsMax) {
      hasConnected = false;
      setImmediate(look, fromMs);
      return;
    }
    isOn = false;
    endedMs = nowMs;
    resume();
  }

  return () => {
    hasConnected = true;
    const nowMs = performance.now();
    if (isOn || !isLoaded() || nowMs - endedMs < holdMsMax) return;
    isOn = true;
    hold();
    setImmediate(look, nowMs);
  };
}
