import { CombinedError } from '@urql/core';
import { useEffect, useReducer, useState } from 'react';
import { isTemporary } from '../api/failed-refreshes.js';
import { useFailedRefresh, useRefresh } from '../api/use-refresh.js';
import { PageWindow } from './page-window.js';
import type { FetchPage } from './page-window.js';

/** The number of rows to load before a new list is shown. */
const seenFirst = 40;

interface Held<Row extends { id: string }, Asked> {
  question: string;
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
  const open = (): Held<Row, Asked> => ({ question, asked, window: new PageWindow(fetchPage, redraw) });
  const [shown, setShown] = useState(open);
  const [coming, setComing] = useState<Held<Row, Asked>>();
  if (shown.question === question) {
    if (coming !== undefined) setComing(undefined);
  } else if (coming?.question !== question) setComing(open());
  else if (coming.window.state.hasLoaded || coming.window.state.error !== undefined) {
    setShown(coming);
    setComing(undefined);
  }
  useEffect(() => coming?.window.want(0, seenFirst), [coming]);
  const { window } = shown;
  useRefresh(() => void window.refresh());
  const { error, hasLoaded } = window.state;
  const failure = error instanceof CombinedError ? error : undefined;
  const keepsRows = hasLoaded && failure !== undefined && isTemporary(failure);
  // The next refresh of the window is the retry.
  useFailedRefresh(keepsRows ? failure : undefined, () => {});
  return {
    window,
    asked: shown.asked,
    question: shown.question,
    isOld: coming !== undefined,
    failure: keepsRows ? undefined : failure,
    reload,
  };
}
