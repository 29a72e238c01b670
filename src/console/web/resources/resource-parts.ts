import { graphql } from '../api/graphql.js';

/** Something that happened to a resource or an image. */
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

/** What every resource has. */
export const whole = graphql(
  `
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
        ...Happened
      }
    }
  `,
  [happened],
);

/** What sandboxes and jobs run. */
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
