import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

const changeLine = graphql(`
  fragment ChangeLine on Change {
    id
    time
    action
    kind
    name
    status
    message
    fields
    actor {
      kind
      name
    }
    resource {
      __typename
      id
      ... on SandboxPreview {
        sandbox {
          id
          metadata {
            name
          }
        }
      }
      ... on JobExecution {
        metadata {
          id
          jobName
        }
      }
      ... on Image {
        metadata {
          name
          resourceType
        }
      }
      ... on EgressGateway {
        vpc {
          id
          metadata {
            name
          }
        }
      }
      ... on EgressIp {
        gateway {
          id
          vpc {
            id
            metadata {
              name
            }
          }
        }
      }
    }
  }
`);

export const activityQuery = graphql(
  `
    query Activity($workspace: String!, $filter: ChangeFilter, $before: String, $count: Int!) {
      workspace(name: $workspace) {
        id
        changes(last: $count, before: $before, filter: $filter) {
          filteredCount
          pageInfo {
            hasPreviousPage
            startCursor
          }
          nodes {
            ...ChangeLine
          }
        }
      }
    }
  `,
  [changeLine],
);

/** The changes of one resource by actors, without status changes. */
export const resourceChangesQuery = graphql(
  `
    query ResourceChanges($workspace: String!, $resource: ID!, $count: Int!) {
      workspace(name: $workspace) {
        id
        changes(last: $count, filter: { resource: $resource, actions: [CREATED, UPDATED, DELETED, DENIED] }) {
          nodes {
            ...ChangeLine
          }
        }
      }
    }
  `,
  [changeLine],
);

/** The latest changes of one resource. */
export const resourceActivityQuery = graphql(
  `
    query ResourceActivity($workspace: String!, $resource: ID!, $count: Int!) {
      workspace(name: $workspace) {
        id
        changes(last: $count, filter: { resource: $resource }) {
          nodes {
            ...ChangeLine
          }
        }
      }
    }
  `,
  [changeLine],
);

/** The details of the changes at a point in time, to find one of them. */
export const changesAtQuery = graphql(
  `
    query ChangesAt($workspace: String!, $time: TimeFilter!, $after: String) {
      workspace(name: $workspace) {
        id
        changes(first: 50, after: $after, filter: { time: $time }) {
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            ...ChangeLine
            before
            after
            version
            client
            address
            requestId
          }
        }
      }
    }
  `,
  [changeLine],
);

export const changesSubscription = graphql(`
  subscription Changes($filter: ChangeFilter) {
    changes(filter: $filter) {
      cursor
      node {
        id
      }
    }
  }
`);

export type Changes = NonNullable<NonNullable<ResultOf<typeof activityQuery>['workspace']>['changes']>;
export type Change = Changes['nodes'][number];

export type ChangeDetails = NonNullable<
  NonNullable<ResultOf<typeof changesAtQuery>['workspace']>['changes']
>['nodes'][number];

/** The latest first, and in reverse order of recording at the same time. */
export function latestFirst(changes: Pick<Changes, 'nodes'>): Change[] {
  return changes.nodes.toReversed().toSorted((one, other) => other.time.localeCompare(one.time));
}
