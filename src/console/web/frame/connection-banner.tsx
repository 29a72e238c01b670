import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { isOnline, onConnectionChange } from '../api/connection.js';

/** Says calmly that the service is not reached, until it is again. */
export function ConnectionBanner(): ReactElement | null {
  const online = useSyncExternalStore(onConnectionChange, isOnline);
  return online ? null : (
    <p className="banner" role="status">
      The service is not reached. What you see is from before; it goes on by itself when the service is back.
    </p>
  );
}
