// Node.js accepts one connection in each iteration of its event loop, and an iteration lasts as long as its work. Under
// load, the last of a thousand clients that connect at once would wait for seconds.

/** How long work is paused at most, and how long it then runs without another pause. */
const holdMsMax = 250;

export interface ConnectionHold {
  /** Reports a new connection: others may be waiting. */
  connected: () => void;
  /** Whether no new work should be started, so that iterations are short. */
  isOn: () => boolean;
}

/**
 * Pauses work while connections arrive in successive iterations of the event loop.
 *
 * @param isLoaded whether requests are waiting.
 * @param onEnd called when work resumes.
 */
export function createConnectionHold(isLoaded: () => boolean, onEnd: () => void): ConnectionHold {
  let isOn = false;
  let endedMs = -holdMsMax;
  let isTakingOn = false;

  function look(fromMs: number): void {
    const nowMs = performance.now();
    if (isTakingOn && nowMs - fromMs < holdMsMax) {
      isTakingOn = false;
      setImmediate(look, fromMs);
      return;
    }
    isOn = false;
    endedMs = nowMs;
    onEnd();
  }

  return {
    connected: () => {
      isTakingOn = true;
      const nowMs = performance.now();
      if (isOn || !isLoaded() || nowMs - endedMs < holdMsMax) return;
      isOn = true;
      setImmediate(look, nowMs);
    },
    isOn: () => isOn,
  };
}
