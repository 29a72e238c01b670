import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { keyFields } from './api-key-queries.js';
import { authorizationFields, sessionFields } from '../self/access-fields.js';
import { people } from './member-queries.js';
import { problem } from '../api/refusal.js';

const made = graphql(`
  fragment Made on Resource {
    id
    status
    metadata {
      name
      workspaceName
      createdAt
    }
  }
`);

/** A member of an account, with the credentials that act as it and what it created in all workspaces. */
export const personQuery = graphql(
  `
    query Person($account: ID!, $name: String!) {
      account(id: $account) {
        id
        memberAccess(name: $name) {
          member {
            ...MemberFields
          }
          sessions {
            ...SessionFields
          }
          authorizations {
            ...AuthorizationFields
          }
          workspaceRoles {
            workspaceName
            role
            origin
            memberSince
          }
        }
        agents(first: 10, filter: { createdBy: { in: [$name] } }) {
          filteredCount
          nodes {
            ...Made
          }
        }
        sandboxes(first: 10, filter: { createdBy: { in: [$name] } }) {
          filteredCount
          nodes {
            ...Made
          }
        }
        jobs(first: 10, filter: { createdBy: { in: [$name] } }) {
          filteredCount
          nodes {
            ...Made
          }
        }
        volumes(first: 10, filter: { createdBy: { in: [$name] } }) {
          filteredCount
          nodes {
            ...Made
          }
        }
        networks: vpcs(first: 10, filter: { createdBy: { in: [$name] } }) {
          filteredCount
          nodes {
            ...Made
          }
        }
      }
      apiKeys(first: 200, owner: $name, status: ACTIVE) {
        filteredCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          ...KeyFields
        }
      }
      signIns: changes(last: 5, filter: { kinds: [SIGN_IN], actors: [$name] }) {
        filteredCount
        nodes {
          id
          time
          message
          address
        }
      }
    }
  `,
  [keyFields, made, people, sessionFields, authorizationFields],
);

export const endAccessMutation = graphql(
  `
    mutation EndAccess($input: EndAccessInput!) {
      result: endAccess(input: $input) {
        __typename
        ... on EndAccessPayload {
          memberships
          apiKeys
          createdApiKeys
          oauthClients
          authorizations
          accessTokens
          invitations
          sessions
          keptAccounts
          created {
            kind
            accountName
            workspaceName
            count
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export type PersonAnswer = ResultOf<typeof personQuery>;
export type PersonAccount = NonNullable<PersonAnswer['account']>;
export type PersonAccess = NonNullable<PersonAccount['memberAccess']>;
export type EndedAccess = Extract<ResultOf<typeof endAccessMutation>['result'], { __typename: 'EndAccessPayload' }>;
