import { graphql } from '../api/graphql.js';

/** What every resource has. */
export const whole = graphql(`
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
