// Node takes on one connection in each turn of its loop, and a turn is as long as the work that is done in it. Under
// load a thousand clients that connect at once would wait for seconds, the last of them for as long as no other does.

/** How long work is held up at most, and how long it then goes on undisturbed. */
const holdMsMax = 250;

export interface ConnectionHold {
  /** Tells that a connection was taken on: others may wait for the same. */
  connected: () => void;
  /** Whether nothing new is to be begun, so that turns are short. */
  isOn: () => boolean;
}

/**
 * Holds work up while connections come in turn after turn.
 *
 * @param isLoaded whether there is more to do than is done.
 * @param onEnd called when work goes on.
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
