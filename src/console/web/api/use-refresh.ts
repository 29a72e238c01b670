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
 * Whoever reads data says here that it failed, and a view only shows it. For a passing reason, the banner says so while loaded
 * data is out of date, or while the service is unreachable, and retries on each refresh.
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
