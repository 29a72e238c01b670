import { graphql } from '../api/graphql.js';

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
