import { CombinedError } from '@urql/core';
import { useEffect, useReducer, useState } from 'react';
import { isTemporary } from '../api/failed-refreshes.js';
import { useRefresh, useRetry } from '../api/use-refresh.js';
import { PageWindow } from './page-window.js';
import type { FetchPage } from './page-window.js';

/** The number of rows to load before a new list is shown. */
const seenFirst = 40;

interface Held<Row extends { id: string }, Asked> {
  question: string;
  key: string;
  asked: Asked;
  window: PageWindow<Row>;
}

export interface ShownWindow<Row extends { id: string }, Asked> {
  window: PageWindow<Row>;
  /** The search that the window answers. The view shows its rows under it. */
  asked: Asked;
  /** Identifies the query. A new one starts at the top. */
  question: string;
  /** Whether a newer result is loading. */
  isOld: boolean;
  /** Why the rows cannot be shown. After a failure that may pass, they stay, under a banner. */
  failure: CombinedError | undefined;
  reload: () => void;
}

/**
 * The window of a list for a search. The previous list stays, with its search, until the result of a new one is loaded.
 */
export function usePageWindow<Row extends { id: string }, Asked>(
  key: string,
  asked: Asked,
  fetchPage: FetchPage<Row>,
): ShownWindow<Row, Asked> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [generation, reload] = useReducer((count: number) => count + 1, 0);
  const question = `${key} ${generation}`;
  const open = (): Held<Row, Asked> => ({ question, key, asked, window: new PageWindow(fetchPage, redraw) });
  const [shown, setShown] = useState(open);
  const [coming, setComing] = useState<Held<Row, Asked>>();
  if (shown.question === question) {
    if (coming !== undefined) setComing(undefined);
  } else if (coming?.question !== question) setComing(open());
  const { window } = shown;
  const { hasLoaded } = window.state;
  const failure = failureOf(window);
  const comingFailure = failureOf(coming?.window);
  // The shown rows answer the same question: they stay if they cannot be loaded again.
  const isHeldUp = hasLoaded && coming?.key === shown.key && comingFailure !== undefined && isTemporary(comingFailure);
  if (
    coming?.question === question &&
    !isHeldUp &&
    (coming.window.state.hasLoaded || coming.window.state.error !== undefined)
  ) {
    setShown(coming);
    setComing(undefined);
  }
  useEffect(() => coming?.window.want(0, seenFirst), [coming]);
  useRefresh(() => {
    void window.refresh();
    void coming?.window.refresh();
  });
  // The next refresh of the windows is the retry.
  useRetry(isHeldUp ? comingFailure : failure, hasLoaded, () => {});
  return {
    window,
    asked: shown.asked,
    question: shown.question,
    isOld: coming !== undefined && !isHeldUp,
    failure: hasLoaded && failure !== undefined && isTemporary(failure) ? undefined : failure,
    reload,
  };
}

function failureOf<Row extends { id: string }>(window: PageWindow<Row> | undefined): CombinedError | undefined {
  const error = window?.state.error;
  return error instanceof CombinedError ? error : undefined;
}
