// The labels that resources with usage in a period had.
import { stateOf, useAnswer } from '../api/use-answer.js';
import type { AnswersState } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import type { Window } from './window.js';

const usedLabelsQuery = graphql(`
  query UsedLabels($account: ID!, $startTime: DateTime!, $endTime: DateTime!) {
    account(id: $account) {
      id
      metricsLabels(startTime: $startTime, endTime: $endTime) {
        key
        values
      }
    }
  }
`);

export type UsedLabel = NonNullable<NonNullable<ResultOf<typeof usedLabelsQuery>['account']>['metricsLabels']>[number];

export interface UsedLabels {
  /** Empty while loading, and for users without access. */
  labels: readonly UsedLabel[];
  state: AnswersState;
}

export function useUsedLabels(account: string, { from, to }: Window): UsedLabels {
  const asked = useAnswer({
    query: usedLabelsQuery,
    variables: { account, startTime: from, endTime: to },
    requestPolicy: 'cache-first',
  });
  return { labels: asked[0].data?.account?.metricsLabels ?? none, state: stateOf(asked) };
}

const none: readonly UsedLabel[] = [];
