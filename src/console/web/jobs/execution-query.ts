import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { executionLine } from './execution-line.js';

export const executionQuery = graphql(
  `
    query Execution($id: ID!) {
      node(id: $id) {
        ... on JobExecution {
          ...ExecutionLine
          logsUrl
          job {
            id
            spec {
              enabled
            }
          }
          metadata {
            jobName
            cluster
          }
          spec {
            parallelism
            timeout
            memoryOverride
            envOverride
          }
          tasks {
            logsUrl
            metadata {
              name
              createdAt
              scheduledAt
              startedAt
              completedAt
            }
            spec {
              maxRetries
              timeout
            }
            conditions {
              type
              state
              reason
              message
              severity
              executionReason
            }
          }
        }
      }
    }
  `,
  [executionLine],
);

export type Execution = Extract<NonNullable<ResultOf<typeof executionQuery>['node']>, { status: unknown }>;
export type Task = Execution['tasks'][number];
