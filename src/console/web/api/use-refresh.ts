import { useEffect, useRef } from 'react';
import { onRefresh } from './refresh.js';

/** Calls on each refresh of the page's counts and lists. */
export function useRefresh(again: () => void): void {
  const latest = useRef(again);
  useEffect(() => {
    latest.current = again;
  });
  useEffect(() => {
    const stop = onRefresh(() => latest.current());
    return () => {
      stop();
    };
  }, []);
}
