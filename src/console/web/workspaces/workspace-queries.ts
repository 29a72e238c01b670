import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { holdings } from '../kinds/holdings.js';

const counted = graphql(
  `
    fragment WorkspaceRow on Workspace {
      id
      name
      displayName
      version
      viewerRole
      createdAt
      ...Holdings
    }
  `,
  [holdings],
);

export const workspacesQuery = graphql(
  `
    query Workspaces($account: ID!, $search: String, $after: String) {
      account(id: $account) {
        id
        workspaces(first: 100, after: $after, orderBy: { field: NAME, direction: ASC }, search: $search) {
          totalCount
          filteredCount
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            ...WorkspaceRow
          }
        }
      }
    }
  `,
  [counted],
);

export const workspaceQuery = graphql(`
  query WorkspaceAlone($name: String!) {
    workspace(name: $name) {
      id
      name
      displayName
      version
    }
  }
`);

export const deleteWorkspaceMutation = graphql(`
  mutation DeleteWorkspace($input: DeleteWorkspaceInput!) {
    result: deleteWorkspace(input: $input) {
      __typename
      ... on Error {
        code
        message
        ... on ConflictError {
          contents {
            kind
            count
          }
        }
      }
    }
  }
`);

export type WorkspaceRow = ResultOf<typeof counted>;
