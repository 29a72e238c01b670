import type { Changeable } from './changeables.js';

export const verbs = ['create', 'update', 'delete'] as const;

export type Verb = (typeof verbs)[number];

/** The document of a mutation. It has no other dependencies, so that the build can read it as well. */
export function changeText(verb: Verb, type: Changeable): string {
  const mutation = `${verb}${type}`;
  return `
    mutation Change($input: ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!) {
      result: ${mutation}(input: $input) {
        __typename
        ... on Error {
          code
          message
          path
          ... on InvalidInputError { problems { path message } }
          ... on ConflictError { details }
        }
      }
    }
  `;
}
