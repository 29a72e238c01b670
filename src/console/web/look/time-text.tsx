import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { exactTime, formatMoment, formatTime } from './time.js';

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

interface TimeProps {
  value: string;
  /** Whether it is never relative to now, such as in a list of events. */
  isAbsolute?: boolean;
}

/** A relative time, or the date and time. The exact time with its zone is shown on hover. */
export function Time({ value, isAbsolute = false }: TimeProps): ReactElement {
  const nowMs = useNow();
  return (
    <time dateTime={value} title={exactTime(value)}>
      {isAbsolute ? formatMoment(value, nowMs) : formatTime(value, nowMs)}
    </time>
  );
}
