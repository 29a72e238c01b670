import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { executionLine } from '../jobs/execution-line.js';
import type { Kind } from '../kinds/kinds.js';
import { kindNames } from '../kinds/kinds.js';

const resourceState = graphql(`
  fragment Standing on Resource {
    status
    metadata {
      name
      updatedAt
    }
    events {
      time
      message
    }
  }
`);

/** Failed resources with their reasons. */
export const statesQuery = graphql(
  `
    query States($workspace: String!) {
      workspace(name: $workspace) {
        id
        agentsFailing: agents(
          first: 20
          orderBy: { field: UPDATED_AT, direction: DESC }
          filter: { status: { in: [FAILED] } }
        ) {
          nodes {
            id
            ...Standing
          }
        }
        sandboxesFailing: sandboxes(
          first: 20
          orderBy: { field: UPDATED_AT, direction: DESC }
          filter: { status: { in: [FAILED] } }
        ) {
          nodes {
            id
            ...Standing
          }
        }
        jobsFailing: jobs(
          first: 20
          orderBy: { field: UPDATED_AT, direction: DESC }
          filter: { status: { in: [FAILED] } }
        ) {
          nodes {
            id
            ...Standing
          }
        }
        volumesFailing: volumes(
          first: 20
          orderBy: { field: UPDATED_AT, direction: DESC }
          filter: { status: { in: [FAILED] } }
        ) {
          nodes {
            id
            ...Standing
          }
        }
        networksFailing: vpcs(
          first: 20
          orderBy: { field: UPDATED_AT, direction: DESC }
          filter: { status: { in: [FAILED] } }
        ) {
          nodes {
            id
            ...Standing
          }
        }
      }
    }
  `,
  [resourceState],
);

/** The executions that each job loads at most. */
export const failedRunsMax = 3;

/** The executions that failed since a time: the latest of each job. */
export const executionsQuery = graphql(
  `
    query FailedExecutions($workspace: String!, $since: DateTime!) {
      workspace(name: $workspace) {
        id
        jobs(first: 50) {
          totalCount
          nodes {
            id
            metadata {
              name
            }
            executions(first: 3, filter: { status: { in: [FAILED, TIMEOUT] }, completedAt: { from: $since } }) {
              pageInfo {
                hasNextPage
              }
              nodes {
                ...ExecutionLine
              }
            }
          }
        }
      }
    }
  `,
  [executionLine],
);

export interface FailedResource {
  id: string;
  kind: Kind;
  name: string;
  status: string;
  updatedAt: string | null;
  /** The latest event. */
  lastEvent: { time: string | null; message: string | null } | undefined;
}

export interface States {
  failing: FailedResource[];
}

type Workspace = NonNullable<ResultOf<typeof statesQuery>['workspace']>;
type Node = NonNullable<Workspace[`${Kind}Failing`]>['nodes'][number];

export function statesFrom(workspace: Workspace): States {
  const failing = kindNames
    .flatMap((kind) => (workspace[`${kind}Failing`]?.nodes ?? []).map((node) => failedResourceOf(kind, node)))
    .toSorted((one, other) => (other.updatedAt ?? '').localeCompare(one.updatedAt ?? ''));
  return { failing };
}

function failedResourceOf(kind: Kind, { id, status, metadata, events }: Node): FailedResource {
  const { name, updatedAt } = metadata;
  return { id, kind, status: status ?? 'UNKNOWN', name, updatedAt, lastEvent: events.at(-1) };
}
