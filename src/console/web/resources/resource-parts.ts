import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

/** An event of a resource or image. */
export const happened = graphql(`
  fragment Happened on CoreEvent {
    time
    type
    status
    message
    revision
    canaryRevision
  }
`);

/** The common fields of resources. */
export const whole = graphql(
  `
    fragment Whole on Resource {
      version
      status
      observed {
        unknownSince
        instances
        restartAt
      }
      metadata {
        name
        displayName
        protected
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
        ...Happened
      }
    }
  `,
  [happened],
);

/** The runtime of sandboxes and jobs. */
export const runs = graphql(`
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

export const attached = graphql(`
  fragment Attached on VolumeAttachment {
    name
    type
    mountPath
    readOnly
    sizeMb
  }
`);

export const previewFields = graphql(`
  fragment PreviewFields on SandboxPreview {
    id
    version
    metadata {
      name
      displayName
      protected
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
`);

export const previewPage = graphql(
  `
    fragment PreviewPage on SandboxPreviewConnection {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...PreviewFields
      }
    }
  `,
  [previewFields],
);

const egressIpFields = graphql(`
  fragment EgressIpFields on EgressIp {
    id
    version
    metadata {
      name
      displayName
      protected
      createdAt
    }
    spec {
      publicIp
      ipFamily
    }
  }
`);

export const egressIpPage = graphql(
  `
    fragment EgressIpPage on EgressIpConnection {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...EgressIpFields
      }
    }
  `,
  [egressIpFields],
);

const gatewayFields = graphql(
  `
    fragment GatewayFields on EgressGateway {
      id
      version
      status
      metadata {
        name
        displayName
        protected
      }
      spec {
        region
      }
      events {
        message
      }
      ips(first: 20) {
        ...EgressIpPage
      }
    }
  `,
  [egressIpPage],
);

export const gatewayPage = graphql(
  `
    fragment GatewayPage on EgressGatewayConnection {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...GatewayFields
      }
    }
  `,
  [gatewayFields],
);

export type Preview = ResultOf<typeof previewFields>;
export type EgressIp = ResultOf<typeof egressIpFields>;
export type Gateway = ResultOf<typeof gatewayFields>;
