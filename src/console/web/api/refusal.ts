// Why a change was not made. Spread beside the payload of any mutation.
import { graphql } from './graphql.js';

/** Its words. */
export const problem = graphql(`
  fragment Problem on Error {
    message
  }
`);

/** Its words, and which fields they are about or who was faster. */
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
      details
    }
  }
`);
