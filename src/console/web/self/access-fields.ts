// What the profile and the page of a member both show of a user's access.
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

export const sessionFields = graphql(`
  fragment SessionFields on Session {
    sessionId
    signedInAt
    lastUsedAt
    expiresAt
    address
    userAgent
  }
`);

export const authorizationFields = graphql(`
  fragment AuthorizationFields on Authorization {
    clientId
    displayName
    scopes
    grantedAt
    lastUsedAt
    workspace {
      id
      name
    }
  }
`);

export type UserSession = ResultOf<typeof sessionFields>;
export type UserAuthorization = ResultOf<typeof authorizationFields>;
