import type { CombinedError } from '@urql/core';
import { useEffect, useRef } from 'react';
import { isTemporary, noteFailedRefresh } from './failed-refreshes.js';
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

/**
 * Registers the failure of a query, for the code that reads the data; views only show it. If loaded data is out of date for a
 * passing reason, or the service is unreachable, the banner says so, and the query is retried on each refresh.
 */
export function useRetry(error: CombinedError | undefined, hasData: boolean, onRetry: () => void): void {
  const isPassing = error !== undefined && (hasData ? isTemporary(error) : isUnreachable(error));
  const latest = useRef(onRetry);
  useEffect(() => {
    latest.current = onRetry;
  });
  useEffect(() => {
    if (!isPassing) return undefined;
    return noteFailedRefresh({ error, retry: () => latest.current() });
  }, [error, isPassing]);
}
