import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { exactTime, formatTime } from './time.js';

// One clock for the page, so that all relative times change together.
const listeners = new Set<() => void>();
let nowMs = Date.now();
setInterval(() => {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}, 15_000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const present = () => nowMs;

export function useNow(): number {
  // Passed twice, so that it also renders without a browser.
  return useSyncExternalStore(subscribe, present, present);
}

/** A relative time. The exact time with its zone is shown on hover. */
export function Time({ value }: { value: string }): ReactElement {
  return (
    <time dateTime={value} title={exactTime(value)}>
      {formatTime(value, useNow())}
    </time>
  );
}
