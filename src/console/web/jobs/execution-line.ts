import { graphql } from '../api/graphql.js';

/** How an execution went, in a line. */
export const executionLine = graphql(`
  fragment ExecutionLine on JobExecution {
    id
    status
    metadata {
      id
      createdAt
      startedAt
      completedAt
    }
    stats {
      total
      success
      failure
      running
      cancelled
      retried
    }
  }
`);
