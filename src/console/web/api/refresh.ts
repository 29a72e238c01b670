// One refresh for all counts and lists of resources: they are loaded again at the same time, so that the numbers on a page
// agree.
import { isPageHeld, onPageReleased } from './page-hold.js';

const everyMs = 8_000;
const togetherMs = 300;
const listeners = new Set<() => void>();
let polling: ReturnType<typeof setInterval> | undefined;
let soon: ReturnType<typeof setTimeout> | undefined;
let stopAwaiting = (): void => {};

/**
 * Calls on each refresh: every 8 seconds while the page is visible, when it becomes visible, and when it is requested. While the
 * page is held, not before it is released.
 */
export function onRefresh(listener: () => void): () => void {
  listeners.add(listener);
  if (polling === undefined) {
    polling = setInterval(refreshIfVisible, everyMs);
    document.addEventListener('visibilitychange', refreshIfVisible);
    stopAwaiting = onPageReleased(refreshIfVisible);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(polling);
    polling = undefined;
    document.removeEventListener('visibilitychange', refreshIfVisible);
    stopAwaiting();
  };
}

/** Refreshes soon, such as after a change. Several requests in a row cause one refresh. */
export function requestRefresh(): void {
  clearTimeout(soon);
  soon = setTimeout(refresh, togetherMs);
}

function refreshIfVisible(): void {
  if (document.visibilityState === 'visible') refresh();
}

function refresh(): void {
  if (isPageHeld()) return;
  for (const listener of listeners) listener();
}
