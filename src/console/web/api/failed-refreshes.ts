// Which of the shown data is out of date because its last refresh failed. The banner says so until each of them succeeds.
import type { CombinedError } from '@urql/core';

const temporaryCodes = ['internal_error', 'unavailable', 'timeout', 'too_many_requests'];

interface FailedRefresh {
  error: CombinedError;
  retry: () => void;
}

let failedRefreshes: readonly FailedRefresh[] = [];
const listeners = new Set<() => void>();

export function listFailedRefreshes(): readonly FailedRefresh[] {
  return failedRefreshes;
}

export function onFailedRefreshesChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @returns to call when the data is up to date again, or no longer shown. */
export function noteFailedRefresh(failed: FailedRefresh): () => void {
  publish([...failedRefreshes, failed]);
  return () => publish(failedRefreshes.filter((each) => each !== failed));
}

/** Whether a query failed for a passing reason. The user still has access to its last data. */
export function isTemporary({ networkError, graphQLErrors }: CombinedError): boolean {
  const codes = graphQLErrors.map(({ extensions }) => String(extensions['code']));
  return networkError !== undefined || codes.every((code) => temporaryCodes.includes(code));
}

function publish(next: readonly FailedRefresh[]): void {
  failedRefreshes = next;
  for (const listener of listeners) listener();
}
