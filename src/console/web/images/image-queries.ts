import { problem } from '../api/refusal.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { happened } from '../resources/resource-parts.js';

const workloadPage = graphql(`
  fragment WorkloadPage on ResourceConnection {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      __typename
      id
      status
      metadata {
        name
      }
      ... on Agent {
        spec {
          runtime {
            image
          }
        }
      }
      ... on Sandbox {
        spec {
          runtime {
            image
          }
        }
      }
      ... on Job {
        spec {
          runtime {
            image
          }
        }
      }
    }
  }
`);

export const imageQuery = graphql(
  `
    query ImageDetail($workspace: String!, $type: ImageResourceType!, $name: String!) {
      image(workspace: $workspace, resourceType: $type, name: $name) {
        id
        version
        metadata {
          name
          displayName
          resourceType
          createdAt
          updatedAt
          lastDeployedAt
          sourceWorkspaceName
          events {
            ...Happened
          }
        }
        spec {
          size
          tags(first: 200) {
            totalCount
            nodes {
              id
              version
              name
              size
              createdAt
            }
          }
        }
        workloads(first: 200) {
          ...WorkloadPage
        }
      }
    }
  `,
  [happened, workloadPage],
);

/** A further page of the workloads that run an image. */
export const imageWorkloadsQuery = graphql(
  `
    query WorkloadsOfImage($workspace: String!, $type: ImageResourceType!, $name: String!, $after: String!) {
      image(workspace: $workspace, resourceType: $type, name: $name) {
        id
        workloads(first: 200, after: $after) {
          ...WorkloadPage
        }
      }
    }
  `,
  [workloadPage],
);

export const imageSharesQuery = graphql(`
  query SharesOfImage($workspace: String!, $filter: ImageShareFilter!) {
    workspace(name: $workspace) {
      id
      offeredImageShares(first: 100, filter: $filter) {
        filteredCount
        nodes {
          id
          status
          metadata {
            createdAt
            createdBy
            decidedAt
            decidedBy
            workspaceName
          }
        }
      }
    }
  }
`);

export const shareImageMutation = graphql(
  `
    mutation ShareImage($id: ID!, $account: String, $workspace: String!) {
      result: shareImage(input: { id: $id, targetAccount: $account, targetWorkspace: $workspace }) {
        __typename
        ... on ShareImagePayload {
          imageShare {
            id
            status
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export const deleteImageMutation = graphql(
  `
    mutation DeleteImage($id: ID!, $version: Int!) {
      result: deleteImage(input: { id: $id, ifVersion: $version }) {
        __typename
        ... on DeleteImagePayload {
          image {
            id
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export const deleteTagMutation = graphql(
  `
    mutation DeleteImageTag($id: ID!, $version: Int!) {
      result: deleteImageTag(input: { id: $id, ifVersion: $version }) {
        __typename
        ... on DeleteImageTagPayload {
          imageTag {
            id
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export type Image = NonNullable<ResultOf<typeof imageQuery>['image']>;
export type ImageType = Image['metadata']['resourceType'];
