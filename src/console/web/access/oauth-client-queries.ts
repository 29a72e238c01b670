import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

const clientFields = graphql(`
  fragment ClientFields on OauthClient {
    name
    displayName
    owner
    ownerKind
    scopes
    isManagedByOperator
    previousSecretExpiresAt
    createdAt
    revokedAt
    workspace {
      id
      name
    }
  }
`);

export const oauthClientsQuery = graphql(
  `
    query OauthClients($after: String) {
      oauthClients(first: 200, after: $after) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          ...ClientFields
        }
      }
    }
  `,
  [clientFields],
);

export const createClientMutation = graphql(
  `
    mutation CreateClient($input: CreateOauthClientInput!) {
      result: createOauthClient(input: $input) {
        __typename
        ... on CreateOauthClientPayload {
          secret
          oauthClient {
            ...ClientFields
          }
        }
        ...Problem
      }
    }
  `,
  [clientFields, problem],
);

export const rotateClientSecretMutation = graphql(
  `
    mutation RotateClientSecret($input: RotateOauthClientSecretInput!) {
      result: rotateOauthClientSecret(input: $input) {
        __typename
        ... on RotateOauthClientSecretPayload {
          secret
          oauthClient {
            ...ClientFields
          }
        }
        ...Problem
      }
    }
  `,
  [clientFields, problem],
);

export const updateClientMutation = graphql(
  `
    mutation UpdateClient($input: UpdateOauthClientInput!) {
      result: updateOauthClient(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const revokeClientMutation = graphql(
  `
    mutation RevokeClient($name: String!) {
      result: revokeOauthClient(input: { name: $name }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const deleteClientMutation = graphql(
  `
    mutation DeleteClient($name: String!) {
      result: deleteOauthClient(input: { name: $name }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export type OauthClient = ResultOf<typeof clientFields>;
