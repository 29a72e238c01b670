import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

export const keyFields = graphql(`
  fragment KeyFields on ApiKey {
    id
    name
    prefix
    owner
    ownerKind
    scopes
    status
    createdAt
    createdBy
    lastUsedAt
    expiresAt
    revokedAt
    addressRanges
    workspace {
      id
      name
    }
  }
`);

export const keysQuery = graphql(
  `
    query ApiKeys($status: ApiKeyStatus, $owner: String, $after: String) {
      apiKeys(first: 200, status: $status, owner: $owner, after: $after) {
        filteredCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          ...KeyFields
        }
      }
    }
  `,
  [keyFields],
);

export const createKeyMutation = graphql(
  `
    mutation CreateKey($input: CreateApiKeyInput!) {
      result: createApiKey(input: $input) {
        __typename
        ... on CreateApiKeyPayload {
          secret
          apiKey {
            ...KeyFields
          }
        }
        ...Problem
      }
    }
  `,
  [keyFields, problem],
);

export const rotateKeyMutation = graphql(
  `
    mutation RotateKey($input: RotateApiKeyInput!) {
      result: rotateApiKey(input: $input) {
        __typename
        ... on RotateApiKeyPayload {
          secret
          apiKey {
            ...KeyFields
          }
          previous {
            ...KeyFields
          }
        }
        ...Problem
      }
    }
  `,
  [keyFields, problem],
);

export const revokeKeyMutation = graphql(
  `
    mutation RevokeKey($id: ID!, $includeDescendants: Boolean) {
      result: revokeApiKey(input: { id: $id, includeDescendants: $includeDescendants }) {
        __typename
        ... on RevokeApiKeyPayload {
          apiKey {
            ...KeyFields
          }
        }
        ...Problem
      }
    }
  `,
  [keyFields, problem],
);

export type ApiKey = ResultOf<typeof keyFields>;
