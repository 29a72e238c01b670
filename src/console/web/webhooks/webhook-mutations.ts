import { graphql } from '../api/graphql.js';
import { problem, refusal } from '../api/refusal.js';
import { webhookFields } from './webhook-queries.js';

export const createWebhookMutation = graphql(
  `
    mutation CreateWebhook($input: CreateWebhookInput!) {
      result: createWebhook(input: $input) {
        __typename
        ... on CreateWebhookPayload {
          secret
          webhook {
            ...WebhookFields
          }
        }
        ...Refusal
      }
    }
  `,
  [webhookFields, refusal],
);

export const updateWebhookMutation = graphql(
  `
    mutation UpdateWebhook($input: UpdateWebhookInput!) {
      result: updateWebhook(input: $input) {
        __typename
        ... on UpdateWebhookPayload {
          webhook {
            ...WebhookFields
          }
        }
        ...Refusal
      }
    }
  `,
  [webhookFields, refusal],
);

export const deleteWebhookMutation = graphql(
  `
    mutation DeleteWebhook($id: ID!) {
      result: deleteWebhook(input: { id: $id }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const rotateSecretMutation = graphql(
  `
    mutation RotateWebhookSecret($id: ID!) {
      result: rotateWebhookSecret(input: { id: $id }) {
        __typename
        ... on RotateWebhookSecretPayload {
          secret
          webhook {
            ...WebhookFields
          }
        }
        ...Problem
      }
    }
  `,
  [webhookFields, problem],
);

export const testWebhookMutation = graphql(
  `
    mutation TestWebhook($id: ID!) {
      result: testWebhook(input: { id: $id }) {
        __typename
        ... on TestWebhookPayload {
          delivery {
            id
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export const redeliverMutation = graphql(
  `
    mutation Redeliver($id: ID!) {
      result: redeliverWebhookDelivery(input: { id: $id }) {
        __typename
        ... on RedeliverWebhookDeliveryPayload {
          delivery {
            id
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);
