import { useEffect, useRef } from 'react';
import type { VariablesOf } from '../api/graphql.js';
import { pageClient } from '../api/client.js';
import { changesSubscription } from './activity-queries.js';

const againAfterMs = 5_000;
/** Where no watch can be held, by a proxy in between or a limit, it is asked from time to time. */
const pollEveryMs = 15_000;

type Filter = NonNullable<VariablesOf<typeof changesSubscription>['filter']>;

/**
 * Calls for each change as it is made while somebody looks, by a watch; while there is none, from time to time.
 *
 * @param question the filter as text: a watch lasts as long as it stays the same.
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
          // Once the client has taken what it tells: before, it would cancel a stream that is cut, and nobody hears that fail.
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
