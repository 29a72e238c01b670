import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

export const sessionsQuery = graphql(`
  query OwnSessions {
    viewer {
      name
      sessions {
        sessionId
        signedInAt
        lastUsedAt
        expiresAt
        address
        userAgent
      }
    }
  }
`);

export const authorizationsQuery = graphql(`
  query OwnAuthorizations {
    viewer {
      name
      authorizations {
        clientId
        displayName
        scopes
        grantedAt
        lastUsedAt
        account {
          id
          name
          displayName
        }
        workspace {
          id
          name
        }
      }
    }
  }
`);

export const endSessionsMutation = graphql(
  `
    mutation EndSessions($sessionId: String) {
      result: endSessions(input: { sessionId: $sessionId }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const revokeAuthorizationMutation = graphql(
  `
    mutation RevokeAuthorization($clientId: String!) {
      result: revokeAuthorization(input: { clientId: $clientId }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export type OwnSession = NonNullable<ResultOf<typeof sessionsQuery>['viewer']['sessions']>[number];
export type OwnAuthorization = NonNullable<ResultOf<typeof authorizationsQuery>['viewer']['authorizations']>[number];
