import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { exactTime, formatTime } from './time.js';

// One clock for the page: every text moves on at the same moment.
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
  // Given twice, so that it renders without a browser too.
  return useSyncExternalStore(subscribe, present, present);
}

/** A time as people say it; the exact one, with its zone, on hover. */
export function Time({ value }: { value: string }): ReactElement {
  return (
    <time dateTime={value} title={exactTime(value)}>
      {formatTime(value, useNow())}
    </time>
  );
}
