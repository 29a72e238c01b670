import { useEffect } from 'react';
import { isPageHeld, onPageReleased } from './page-hold.js';

/** Repeats a query periodically while the page is visible and no form is open over it. Without a period, it does not. */
export function usePolling(
  again: (options: { requestPolicy: 'network-only' }) => void,
  everyMs: number | undefined,
): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const ask = () => {
      if (document.visibilityState === 'visible' && !isPageHeld()) again({ requestPolicy: 'network-only' });
    };
    const timer = setInterval(ask, everyMs);
    document.addEventListener('visibilitychange', ask);
    const stop = onPageReleased(ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
      stop();
    };
  }, [again, everyMs]);
}
