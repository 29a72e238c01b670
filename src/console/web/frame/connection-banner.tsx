import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { isOnline, onConnectionChange } from '../api/connection.js';

/** A banner while the connection to the service is lost. */
export function ConnectionBanner(): ReactElement | null {
  const online = useSyncExternalStore(onConnectionChange, isOnline);
  return online ? null : (
    <p className="banner" role="status">
      Connection lost. The data shown may be out of date. Reconnecting automatically.
    </p>
  );
}
