import type { CombinedError } from '@urql/core';
import { useEffect, useRef } from 'react';
import { noteFailedRefresh } from './failed-refreshes.js';
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

/** While there is an error, the banner says that the shown data may be out of date, and retries on each refresh. */
export function useFailedRefresh(error: CombinedError | undefined, onRetry: () => void): void {
  const latest = useRef(onRetry);
  useEffect(() => {
    latest.current = onRetry;
  });
  useEffect(() => {
    if (error === undefined) return undefined;
    return noteFailedRefresh({ error, retry: () => latest.current() });
  }, [error]);
}

/** Retries on each refresh while the service is unreachable. @returns whether it is. */
export function useRetryWhileLost(error: CombinedError | undefined, onRetry: () => void): boolean {
  const isLost = error !== undefined && isUnreachable(error);
  useFailedRefresh(isLost ? error : undefined, onRetry);
  return isLost;
}
