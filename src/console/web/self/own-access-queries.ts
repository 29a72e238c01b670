import { graphql } from '../api/graphql.js';
import { authorizationFields, sessionFields } from './access-fields.js';
import { problem } from '../api/refusal.js';

export const sessionsQuery = graphql(
  `
    query OwnSessions {
      viewer {
        name
        currentSessionId
        sessions {
          ...SessionFields
        }
      }
    }
  `,
  [sessionFields],
);

export const authorizationsQuery = graphql(
  `
    query OwnAuthorizations {
      viewer {
        name
        authorizations {
          ...AuthorizationFields
        }
      }
    }
  `,
  [authorizationFields],
);

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
