import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

export const webhookFields = graphql(`
  fragment WebhookFields on Webhook {
    id
    name
    url
    format
    status
    pauseReason
    pausedAt
    retryAt
    previousSecretExpiresAt
    version
    createdAt
    createdBy
    updatedAt
    workspace {
      id
      name
    }
    filter {
      actors
      addresses
      clients
      kinds
      names
      resource
      actions
      workspaces
    }
  }
`);

/** All webhooks of an account, which has at most 100, with their latest deliveries, the newest first. */
export const webhooksQuery = graphql(
  `
    query Webhooks($account: ID!) {
      account(id: $account) {
        id
        webhooks(first: 100, orderBy: { field: NAME, direction: ASC }) {
          nodes {
            ...WebhookFields
            recent: deliveries(first: 16) {
              nodes {
                id
                status
                createdAt
              }
            }
          }
        }
      }
    }
  `,
  [webhookFields],
);

export const webhookQuery = graphql(
  `
    query WebhookDetail($id: ID!) {
      node(id: $id) {
        __typename
        id
        ... on Webhook {
          ...WebhookFields
        }
      }
    }
  `,
  [webhookFields],
);

/** A page of deliveries and the count of each state, in one query so that they agree. */
export const deliveriesQuery = graphql(`
  query Deliveries($id: ID!, $status: WebhookDeliveryStatus, $after: String) {
    node(id: $id) {
      __typename
      id
      ... on Webhook {
        delivered: deliveries(first: 0, status: DELIVERED) {
          filteredCount
        }
        waiting: deliveries(first: 0, status: WAITING) {
          filteredCount
        }
        failed: deliveries(first: 0, status: FAILED) {
          filteredCount
        }
        skipped: deliveries(first: 0, status: SKIPPED) {
          filteredCount
        }
        deliveries(first: 25, after: $after, status: $status) {
          totalCount
          filteredCount
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            id
            eventId
            eventType
            reason
            status
            statusCode
            latencyMs
            createdAt
            nextAttemptAt
            requestedBy
            attemptCount
            attempts {
              number
              time
              statusCode
              latencyMs
              responseBody
              error
            }
            redeliveryOf {
              id
            }
            change {
              id
              kind
              action
              name
              workspaceName
              fields
              message
              actor {
                name
              }
            }
          }
        }
      }
    }
  }
`);

export type Webhook = ResultOf<typeof webhookFields>;
export type ListedWebhook = NonNullable<
  NonNullable<ResultOf<typeof webhooksQuery>['account']>['webhooks']
>['nodes'][number];

type Found = Extract<ResultOf<typeof deliveriesQuery>['node'], { __typename: 'Webhook' }>;
export type DeliveriesPage = NonNullable<Found['deliveries']>;

export type Delivery = DeliveriesPage['nodes'][number];
