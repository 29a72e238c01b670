import { useEffect } from 'react';

/** Asks again from time to time while somebody looks. */
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
