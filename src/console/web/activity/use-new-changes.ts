import { useEffect, useRef } from 'react';
import type { VariablesOf } from '../api/graphql.js';
import { pageClient } from '../api/client.js';
import { changesSubscription } from './activity-queries.js';

const againAfterMs = 5_000;
/** Polling interval if the subscription fails, such as because of a proxy or a limit. */
const pollEveryMs = 15_000;

type Filter = NonNullable<VariablesOf<typeof changesSubscription>['filter']>;

/**
 * Calls back for each new change, by a subscription; without one, periodically while the page is visible.
 *
 * @param question the filter as text. A new filter starts a new subscription.
 */
export function useNewChanges(filter: Filter, question: string, onNews: (isWatched: boolean) => void): void {
  const latest = useRef({ filter, onNews });
  useEffect(() => {
    latest.current = { filter, onNews };
  });
  useEffect(() => {
    let isWatched = false;
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let watch: { unsubscribe: () => void } | undefined;
    const begin = () => {
      if (stopped) return;
      watch = pageClient
        .subscription(changesSubscription, { filter: latest.current.filter })
        .subscribe(({ data, error, hasNext }) => {
          isWatched = error === undefined && hasNext !== false;
          if (data?.changes !== undefined) latest.current.onNews(true);
          if (isWatched) return;
          // After the client has processed the result. Earlier, it would cancel a broken stream, whose error nobody handles.
          const over = watch;
          queueMicrotask(() => over?.unsubscribe());
          clearTimeout(timer);
          timer = setTimeout(begin, againAfterMs);
        });
    };
    begin();
    const poll = setInterval(() => {
      if (!isWatched && document.visibilityState === 'visible') latest.current.onNews(false);
    }, pollEveryMs);
    return () => {
      stopped = true;
      clearTimeout(timer);
      clearInterval(poll);
      watch?.unsubscribe();
    };
  }, [question]);
}
