import { useEffect } from 'react';

/** Repeats a query periodically while the page is visible. */
export function usePolling(again: (options: { requestPolicy: 'network-only' }) => void, everyMs: number): void {
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === 'visible') again({ requestPolicy: 'network-only' });
    };
    const timer = setInterval(ask, everyMs);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [again, everyMs]);
}
