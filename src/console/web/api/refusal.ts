// The error of a mutation. Spread the fragments next to the payload.
import { graphql } from './graphql.js';

/** The message, with those of the invalid fields. */
export const problem = graphql(`
  fragment Problem on Error {
    message
    ... on InvalidInputError {
      problems {
        message
      }
    }
  }
`);

/** The message, with the invalid fields or the conflicting change. */
export const refusal = graphql(`
  fragment Refusal on Error {
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
      currentVersion
      updatedBy
      updatedAt
      changedFields
    }
  }
`);
