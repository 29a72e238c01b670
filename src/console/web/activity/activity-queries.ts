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
    workspaceName
    fields
    before
    after
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

const changeOrigin = graphql(`
  fragment ChangeOrigin on Change {
    version
    client
    address
    requestId
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

/** The last change of the configuration of a resource before a time. */
export const lastChangeQuery = graphql(
  `
    query LastChange($workspace: String!, $resource: ID!, $to: DateTime!) {
      workspace(name: $workspace) {
        id
        changes(last: 1, filter: { resource: $resource, actions: [CREATED, UPDATED], time: { to: $to } }) {
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
            ...ChangeOrigin
          }
        }
      }
    }
  `,
  [changeLine, changeOrigin],
);

/** As `activityQuery`, for the changes of accounts. */
export const accountActivityQuery = graphql(
  `
    query AccountActivity($filter: ChangeFilter, $before: String, $count: Int!) {
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
  `,
  [changeLine],
);

/** As `changesAtQuery`, for the changes of accounts. */
export const accountChangesAtQuery = graphql(
  `
    query AccountChangesAt($filter: ChangeFilter!, $after: String) {
      changes(first: 50, after: $after, filter: $filter) {
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          ...ChangeLine
          ...ChangeOrigin
        }
      }
    }
  `,
  [changeLine, changeOrigin],
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

export type ChangesAt = NonNullable<NonNullable<ResultOf<typeof changesAtQuery>['workspace']>['changes']>;
export type ChangeDetails = ChangesAt['nodes'][number];

/** The latest first, and in reverse order of recording at the same time. */
export function latestFirst(changes: Pick<Changes, 'nodes'>): Change[] {
  return changes.nodes.toReversed().toSorted((one, other) => other.time.localeCompare(one.time));
}
