// The billing dimensions and resource types of the platform, including custom ones.
import { useMemo } from 'react';
import { stateOf, useAnswer } from '../api/use-answer.js';
import type { AnswersState } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

const billedQuery = graphql(`
  query Billed($account: ID!) {
    account(id: $account) {
      id
      metricsSettings {
        billingDimensions {
          name
          description
          unit
          kind
          resourceTypes
          retiredFrom
          price {
            from
            currency
            unitPrice
          }
        }
        resourceTypes {
          name
          description
        }
      }
    }
  }
`);

type Settings = NonNullable<ResultOf<typeof billedQuery>['account']>['metricsSettings'];
export type BilledDimension = NonNullable<Settings['billingDimensions']>[number];
export type BilledType = NonNullable<Settings['resourceTypes']>[number];

export interface Billed {
  dimensions: ReadonlyMap<string, BilledDimension>;
  types: ReadonlyMap<string, BilledType>;
  state: AnswersState;
}

/** Empty while loading, and for users without access. */
export function useBilled(account: string): Billed {
  const asked = useAnswer({ query: billedQuery, variables: { account }, requestPolicy: 'cache-first' });
  const settings = asked[0].data?.account?.metricsSettings;
  const maps = useMemo(
    () => ({
      dimensions: new Map(settings?.billingDimensions?.map((dimension) => [dimension.name, dimension])),
      types: new Map(settings?.resourceTypes?.map((type) => [type.name, type])),
    }),
    [settings],
  );
  return { ...maps, state: stateOf(asked) };
}

const unitTexts = new Map([
  ['gbs', 'GB-s'],
  ['hours', 'h'],
  ['count', ''],
]);

/** The unit after an amount. */
export function unitText(unit: string | undefined): string {
  return unitTexts.get(unit ?? '') ?? unit ?? '';
}

/** The unit in a price. */
export function oneOf(unit: string): string {
  return unit === 'count' ? 'one' : unitText(unit);
}
