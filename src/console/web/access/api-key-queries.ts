import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

const keyFields = graphql(`
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
    query ApiKeys($status: ApiKeyStatus, $after: String) {
      apiKeys(first: 100, status: $status, after: $after) {
        totalCount
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
      createApiKey(input: $input) {
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
      rotateApiKey(input: $input) {
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
    mutation RevokeKey($id: ID!) {
      revokeApiKey(input: { id: $id }) {
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

/** What keys are usually for. Each is the least that does it. */
export const purposes = {
  costs: { label: 'Read costs', scopes: ['metrics:read'] },
  meter: { label: 'Record usage', scopes: ['usage:write'] },
  read: {
    label: 'Read agents, sandboxes, jobs and volumes',
    scopes: [
      'agents:get',
      'agents:list',
      'jobs:get',
      'jobs:list',
      'sandboxes:get',
      'sandboxes:list',
      'volumes:get',
      'volumes:list',
      'workspaces:get',
      'workspaces:list',
    ],
  },
  everything: { label: 'Everything that I may', scopes: ['admin'] },
} as const;

export type Purpose = keyof typeof purposes;

export const purposeNames = ['costs', 'meter', 'read', 'everything'] as const satisfies readonly Purpose[];
