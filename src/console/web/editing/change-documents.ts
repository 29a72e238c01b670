// The documents that change things. Making, changing and deleting are asked for alike for every type: the build has
// made sure that the schema has those mutations.
import { gql } from '@urql/core';
import type { DocumentNode } from 'graphql';
import { graphql } from '../api/graphql.js';
import { refusal } from '../api/refusal.js';
import type { Changeable } from './changeables.js';
import { changeText } from './change-text.js';
import type { Verb } from './change-text.js';

/** Answers `result`: nothing but the name of its type when it was done, else why it was not. */
export function changeDocument(verb: Verb, type: Changeable): DocumentNode {
  return gql(changeText(verb, type));
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
