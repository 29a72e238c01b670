import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { isOnline, onConnectionChange } from '../api/connection.js';
import { listFailedRefreshes, onFailedRefreshesChange } from '../api/failed-refreshes.js';
import { failureFrom, isUnreachable } from '../api/failure.js';
import { isPartLate, onPartLateChange } from '../api/load-part.js';
import { isPageHeld, onPageHeld } from '../api/page-hold.js';
import { useRefresh } from '../api/use-refresh.js';
import { LatePart } from './late-part.js';

/** A banner while the connection to the service is lost, a part of the console does not load, or shown data cannot be refreshed. */
export function ConnectionBanner(): ReactElement | null {
  const online = useSyncExternalStore(onConnectionChange, isOnline);
  const failed = useSyncExternalStore(onFailedRefreshesChange, listFailedRefreshes);
  const hasLatePart = useSyncExternalStore(onPartLateChange, isPartLate);
  // Then nothing is tried again that would say that the queries come through. After it, the next results say so.
  const isHeld = useSyncExternalStore(onPageHeld, isPageHeld);
  useRefresh(() => {
    for (const { retry } of failed) retry();
  });
  const unreached = failed.filter(({ error }) => isUnreachable(error));
  // The health check may succeed although a proxy still refuses the queries.
  if (!online || (!isHeld && unreached.length > 0)) {
    return (
      <p className="banner" role="status">
        Connection lost. The data shown may be out of date. Reconnecting automatically.
      </p>
    );
  }
  if (hasLatePart) return <LatePart />;
  const first = failed.find((each) => !unreached.includes(each));
  if (first === undefined) return null;
  const { message, requestId } = failureFrom(first.error);
  return (
    <div className="banner" role="status">
      <p>
        Some of the data shown may be out of date. {message} Retrying automatically.
        {requestId !== undefined && (
          <>
            {' '}
            Request ID <code>{requestId}</code>
          </>
        )}
      </p>
    </div>
  );
}
