import { graphql } from '../api/graphql.js';

/** The summary of an execution. */
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
