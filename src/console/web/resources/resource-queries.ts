import type { DocumentNode } from 'graphql';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { executionLine } from '../jobs/execution-line.js';
import type { Kind } from '../kinds/kinds.js';
import { attached, gatewayPage, previewPage, runs, whole } from './resource-parts.js';

export const agentQuery = graphql(
  `
    query AgentDetail($workspace: String!, $name: String!) {
      resource: agent(workspace: $workspace, name: $name) {
        id
        logsUrl
        ...Whole
        spec {
          enabled
          public
          region
          policies
          restartPolicy
          repository {
            type
            url
          }
          revision {
            active
            canary
            canaryPercent
            stickySessionTtl
            traffic
          }
          runtime {
            generation
            image
            memory
            minScale
            maxScale
            envs {
              name
              value
              secret
            }
          }
          triggers {
            id
            type
            enabled
            configuration {
              authenticationType
              callbackUrl
              path
              retry
              schedule
              tasks
              timeout
            }
          }
          volumes {
            ...Attached
          }
        }
      }
    }
  `,
  [whole, attached],
);

export const sandboxQuery = graphql(
  `
    query SandboxDetail($workspace: String!, $name: String!) {
      resource: sandbox(workspace: $workspace, name: $name) {
        id
        logsUrl
        ...Whole
        previews(first: 50) {
          ...PreviewPage
        }
        spec {
          enabled
          region
          restartPolicy
          runtime {
            ...Runs
          }
          volumes {
            ...Attached
          }
        }
      }
    }
  `,
  [whole, runs, attached, previewPage],
);

export const jobQuery = graphql(
  `
    query JobDetail($workspace: String!, $name: String!) {
      resource: job(workspace: $workspace, name: $name) {
        id
        ...Whole
        spec {
          enabled
          region
          maxRetries
          parallelism
          schedule
          timeZone
          timeout
          runtime {
            ...Runs
          }
        }
        executions(first: 25) {
          totalCount
          nodes {
            ...ExecutionLine
          }
        }
      }
    }
  `,
  [whole, runs, executionLine],
);

export const volumeQuery = graphql(
  `
    query VolumeDetail($workspace: String!, $name: String!) {
      resource: volume(workspace: $workspace, name: $name) {
        id
        ...Whole
        spec {
          region
          sizeMb
        }
      }
    }
  `,
  [whole],
);

export const networkQuery = graphql(
  `
    query NetworkDetail($workspace: String!, $name: String!) {
      resource: vpc(workspace: $workspace, name: $name) {
        id
        ...Whole
        spec {
          region
          cidrBlock
        }
        egressGateways(first: 20) {
          ...GatewayPage
        }
      }
    }
  `,
  [whole, gatewayPage],
);

/** One resource of each kind, by workspace and name. */
export const resourceQueries: Record<Kind, DocumentNode> = {
  agents: agentQuery,
  sandboxes: sandboxQuery,
  jobs: jobQuery,
  volumes: volumeQuery,
  networks: networkQuery,
};

type Found<Result extends { resource: unknown }> = NonNullable<Result['resource']>;

export type Agent = Found<ResultOf<typeof agentQuery>>;
export type Sandbox = Found<ResultOf<typeof sandboxQuery>>;
export type Job = Found<ResultOf<typeof jobQuery>>;
export type Volume = Found<ResultOf<typeof volumeQuery>>;
export type Network = Found<ResultOf<typeof networkQuery>>;

/** A resource of any kind, distinguished by its fields. */
export type AnyResource = Agent | Sandbox | Job | Volume | Network;
export type ResourceEvent = AnyResource['events'][number];
