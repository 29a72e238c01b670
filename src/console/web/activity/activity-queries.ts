import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

const changeLine = graphql(`
  fragment ChangeLine on Change {
    id
    time
    verb
    kind
    name
    status
    message
    fields
    client
    requestId
    actor {
      kind
      name
    }
    resource {
      __typename
      id
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

type Changes = NonNullable<NonNullable<ResultOf<typeof activityQuery>['workspace']>['changes']>;
export type Change = Changes['nodes'][number];

/** The latest first. */
export function latestFirst(changes: Changes): Change[] {
  return changes.nodes.toSorted((one, other) => other.time.localeCompare(one.time));
}
