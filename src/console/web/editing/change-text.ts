import type { Changeable } from './changeables.js';

export const operations = ['create', 'update', 'delete'] as const;

export type Operation = (typeof operations)[number];

/** The document of a mutation. It has no other dependencies, so that the build can read it as well. */
export function changeText(operation: Operation, type: Changeable): string {
  const mutation = `${operation}${type}`;
  return `
    mutation Change($input: ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!) {
      result: ${mutation}(input: $input) {
        __typename
        ... on Error {
          code
          message
          path
          ... on InvalidInputError { problems { path message } }
          ... on ConflictError { currentVersion updatedBy updatedAt changedFields }
        }
      }
    }
  `;
}
