import { useEffect, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { isOnline, noteConnection, onConnectionChange } from '../api/connection.js';
import { pathPrefix } from '../session/settings.js';

const askEveryMs = 2_000;

/** Says calmly that the service is not reached, and notices by itself when it is again. */
export function ConnectionBanner(): ReactElement | null {
  const online = useSyncExternalStore(onConnectionChange, isOnline);
  useEffect(() => {
    if (online) return undefined;
    const timer = setInterval(() => {
      fetch(`${pathPrefix}/readyz`, { cache: 'no-store' }).then(
        (response) => noteConnection(response.ok),
        () => {},
      );
    }, askEveryMs);
    return () => clearInterval(timer);
  }, [online]);
  return online ? null : (
    <p className="banner" role="status">
      The service is not reached. What you see is from before; it goes on by itself when the service is back.
    </p>
  );
}
