// The documents of mutations. All types have the same create, update and delete mutations, which the build checks against
// the schema.
import { gql } from '@urql/core';
import type { DocumentNode } from 'graphql';
import { graphql } from '../api/graphql.js';
import { refusal } from '../api/refusal.js';
import type { Changeable } from './changeables.js';
import { changeText } from './change-text.js';
import type { Operation } from './change-text.js';

/** The document of a mutation. Its `result` has only a type name on success, else the error. */
export function changeDocument(operation: Operation, type: Changeable): DocumentNode {
  return gql(changeText(operation, type));
}

export const runJob = graphql(
  `
    mutation RunJob($input: RunJobInput!) {
      result: runJob(input: $input) {
        ... on RunJobPayload {
          jobExecution {
            id
            metadata {
              id
            }
          }
        }
        ...Refusal
      }
    }
  `,
  [refusal],
);

export const cancelExecution = graphql(
  `
    mutation CancelExecution($input: CancelJobExecutionInput!) {
      result: cancelJobExecution(input: $input) {
        ... on CancelJobExecutionPayload {
          jobExecution {
            id
            status
          }
        }
        ...Refusal
      }
    }
  `,
  [refusal],
);
