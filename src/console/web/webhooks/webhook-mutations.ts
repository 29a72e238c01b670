import { graphql } from '../api/graphql.js';
import { webhookFields } from './webhook-queries.js';

const refusal = graphql(`
  fragment WebhookRefusal on Error {
    __typename
    code
    message
    ... on InvalidInputError {
      problems {
        path
        message
      }
    }
    ... on ConflictError {
      details
    }
  }
`);

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
        ...WebhookRefusal
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
        ...WebhookRefusal
      }
    }
  `,
  [webhookFields, refusal],
);

export const deleteWebhookMutation = graphql(`
  mutation DeleteWebhook($id: ID!) {
    result: deleteWebhook(input: { id: $id }) {
      __typename
      ... on Error {
        message
      }
    }
  }
`);

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
        ... on Error {
          message
        }
      }
    }
  `,
  [webhookFields],
);

export const testWebhookMutation = graphql(`
  mutation TestWebhook($id: ID!) {
    result: testWebhook(input: { id: $id }) {
      __typename
      ... on TestWebhookPayload {
        delivery {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

export const redeliverMutation = graphql(`
  mutation Redeliver($id: ID!) {
    result: redeliver(input: { id: $id }) {
      __typename
      ... on RedeliverPayload {
        delivery {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);
