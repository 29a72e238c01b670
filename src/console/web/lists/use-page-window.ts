import { useEffect, useReducer, useState } from 'react';
import { useRefresh } from '../api/use-refresh.js';
import { PageWindow } from './page-window.js';
import type { FetchPage } from './page-window.js';

/** As many as may be seen at once: what a new list is asked for before it is shown. */
const seenFirst = 40;

interface Held<Row extends { id: string }> {
  question: string;
  window: PageWindow<Row>;
}

export interface ShownWindow<Row extends { id: string }> {
  window: PageWindow<Row>;
  /** Which list it is: another one is looked at from its start. */
  question: string;
  /** Whether something newer is on its way. */
  isOld: boolean;
  reload: () => void;
}

/**
 * The window onto a list for as long as its question stays the same; `key` says when it does not. What is shown stays
 * until the answer to the next question is there.
 */
export function usePageWindow<Row extends { id: string }>(key: string, fetchPage: FetchPage<Row>): ShownWindow<Row> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [generation, reload] = useReducer((count: number) => count + 1, 0);
  const question = `${key} ${generation}`;
  const open = (): Held<Row> => ({ question, window: new PageWindow(fetchPage, redraw) });
  const [shown, setShown] = useState(open);
  const [coming, setComing] = useState<Held<Row>>();
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
  return { window, question: shown.question, isOld: coming !== undefined, reload };
}
