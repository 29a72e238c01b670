import type { DocumentNode } from 'graphql';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import type { Kind } from '../kinds/kinds.js';

const whole = graphql(`
  fragment Whole on Resource {
    version
    status
    metadata {
      name
      displayName
      externalId
      url
      plan
      createdAt
      createdBy
      updatedAt
      updatedBy
      labels {
        key
        value
      }
    }
    events {
      time
      type
      status
      message
      revision
      canaryRevision
    }
  }
`);

const runs = graphql(`
  fragment Runs on Runtime {
    generation
    image
    memory
    envs {
      name
      value
      secret
    }
  }
`);

export const agentQuery = graphql(
  `
    query AgentDetail($workspace: String!, $name: String!) {
      resource: agent(workspace: $workspace, name: $name) {
        id
        ...Whole
        spec {
          enabled
          public
          region
          policies
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
            name
            type
            mountPath
            readOnly
            sizeMb
          }
        }
      }
    }
  `,
  [whole],
);

export const sandboxQuery = graphql(
  `
    query SandboxDetail($workspace: String!, $name: String!) {
      resource: sandbox(workspace: $workspace, name: $name) {
        id
        ...Whole
        previews(first: 50) {
          totalCount
          nodes {
            id
            version
            metadata {
              name
              displayName
            }
            spec {
              url
              port
              public
              expires
              customDomain
              prefixUrl
              region
              requestHeaders
              responseHeaders
              ttl
            }
          }
        }
        spec {
          enabled
          region
          runtime {
            ...Runs
          }
          volumes {
            name
            type
            mountPath
            readOnly
            sizeMb
          }
        }
      }
    }
  `,
  [whole, runs],
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
          timeout
          runtime {
            ...Runs
          }
        }
        executions(first: 25) {
          totalCount
          nodes {
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
        }
      }
    }
  `,
  [whole, runs],
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
          totalCount
          nodes {
            id
            version
            status
            metadata {
              name
              displayName
            }
            spec {
              region
            }
            ips(first: 20) {
              totalCount
              nodes {
                id
                version
                metadata {
                  name
                  displayName
                  createdAt
                }
                spec {
                  publicIp
                  ipFamily
                }
              }
            }
          }
        }
      }
    }
  `,
  [whole],
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

/** A resource of any kind, which its fields tell. */
export type AnyResource = Agent | Sandbox | Job | Volume | Network;
export type ResourceEvent = AnyResource['events'][number];
