import { graphql } from '../api/graphql.js';
import type { ResultOf, VariablesOf } from '../api/graphql.js';

export const usageEventsQuery = graphql(`
  query UsageEvents(
    $account: ID!
    $startTime: DateTime
    $endTime: DateTime
    $workspace: String
    $resourceType: String
    $resourceName: String
    $resourceUuid: String
    $billingDimension: String
    $labels: [LabelFilter!]
    $source: String
    $eventId: String
    $state: UsageEventState
    $after: String
  ) {
    account(id: $account) {
      id
      usageEvents(
        first: 50
        after: $after
        startTime: $startTime
        endTime: $endTime
        workspace: $workspace
        resourceType: $resourceType
        resourceName: $resourceName
        resourceUuid: $resourceUuid
        billingDimension: $billingDimension
        labels: $labels
        source: $source
        eventId: $eventId
        state: $state
      ) {
        filteredCount
        totalCost
        keptFrom
        nodes {
          source
          eventId
          time
          workspaceName
          resourceType
          resourceName
          resourceUuid
          billingDimension
          usage
          cost
          unitPrice
          isPriceOfDimension
          state
          arrivedAt
          corrections {
            action
            correctedAt
            correctedBy
            reason
            before {
              usage
              cost
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export type UsageEvents = NonNullable<NonNullable<ResultOf<typeof usageEventsQuery>['account']>['usageEvents']>;

export type UsageEvent = UsageEvents['nodes'][number];

/** The filter of usage events, by the names of the API. */
export type UsageEventFilter = Omit<VariablesOf<typeof usageEventsQuery>, 'account' | 'after' | 'labels'>;
