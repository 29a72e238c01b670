// The labels that resources with usage in a period had.
import { useAnswer } from '../api/use-answer.js';
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

/** Empty while loading, and for users without access. */
export function useUsedLabels(account: string, { from, to }: Window): readonly UsedLabel[] {
  const [{ data }] = useAnswer({
    query: usedLabelsQuery,
    variables: { account, startTime: from, endTime: to },
    requestPolicy: 'cache-first',
  });
  return data?.account?.metricsLabels ?? none;
}

const none: readonly UsedLabel[] = [];
