import type { CombinedError } from '@urql/core';
import { useEffect, useRef } from 'react';
import { isUnreachable } from './failure.js';
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

/** Retries on each refresh while the service is unreachable. @returns whether it is. */
export function useRetryWhileLost(error: CombinedError | undefined, onRetry: () => void): boolean {
  const isLost = error !== undefined && isUnreachable(error);
  useRefresh(() => {
    if (isLost) onRetry();
  });
  return isLost;
}
