// The only place that queries for a view. An answer belongs to the variables that it was asked with: the hook of urql keeps
// the answer of the previous variables until the next one arrives, and a view would show it under the new question.
import { createRequest } from '@urql/core';
import type { AnyVariables, CombinedError } from '@urql/core';
import { useEffect, useRef, useState } from 'react';
import { useQuery } from 'urql';
import type { UseQueryArgs, UseQueryExecute } from 'urql';
import { useRetry } from './use-refresh.js';

export interface Answer<Data> {
  /** The answer to the current variables; undefined until it is there. */
  data: Data | undefined;
  /** Why there is no answer to the current variables, or why it could not be refreshed. */
  error: CombinedError | undefined;
}

/** Queries with a document and its variables. */
export function useAnswer<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): [Answer<Data>, UseQueryExecute] {
  const [{ data, error, operation, fetching }, again] = useQuery(args);
  const isCurrent = operation?.key === createRequest(args.query, args.variables).key;
  // Without any data, urql says null.
  const answer = isCurrent ? { data: data ?? undefined, error } : { data: undefined, error: undefined };
  // While it asks again, urql forgets the error.
  const [lastFailure, setLastFailure] = useState<CombinedError>();
  const next = fetching ? lastFailure : answer.error;
  if (next !== lastFailure) setLastFailure(next);
  useRetry(next, answer.data !== undefined, () => again({ requestPolicy: 'network-only' }));
  return [answer, again];
}

/** Whether a part of a view has all its answers. */
export interface AnswersState {
  isLoading: boolean;
  /** Why an answer is missing. */
  error: CombinedError | undefined;
  onRetry: () => void;
}

/** The state of one or several answers together. */
export function stateOf(...asked: readonly [Answer<unknown>, UseQueryExecute][]): AnswersState {
  const missing = asked.filter(([{ data }]) => data === undefined);
  return {
    isLoading: missing.some(([{ error }]) => error === undefined),
    error: missing.find(([{ error }]) => error !== undefined)?.[0].error,
    onRetry: () => {
      for (const [, again] of missing) again({ requestPolicy: 'network-only' });
    },
  };
}

/** The state of two parts together. */
export function bothStates(one: AnswersState, other: AnswersState): AnswersState {
  return {
    isLoading: one.isLoading || other.isLoading,
    error: one.error ?? other.error,
    onRetry: () => {
      one.onRetry();
      other.onRetry();
    },
  };
}

/**
 * The answer to show: the current one, or the last one until the next is there. An answer contains its question, and the view
 * shows both from it. Give the component a `key` for what it is about, such as its workspace, so that another one starts empty.
 */
export function useLastAnswer<Shown>(
  current: Shown | undefined,
  error: CombinedError | undefined,
): { shown: Shown | undefined; isOld: boolean } {
  const last = useRef<Shown>(undefined);
  useEffect(() => {
    if (current !== undefined) last.current = current;
  });
  if (current !== undefined || error !== undefined) return { shown: current, isOld: false };
  return { shown: last.current, isOld: last.current !== undefined };
}
