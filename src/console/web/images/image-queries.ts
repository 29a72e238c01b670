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

const tagPage = graphql(`
  fragment TagPage on ImageTagConnection {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      version
      name
      size
      createdAt
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
            ...TagPage
          }
        }
        workloads(first: 200) {
          ...WorkloadPage
        }
      }
    }
  `,
  [happened, tagPage, workloadPage],
);

/** A further page of the workloads that run an image. */
export const imageWorkloadsQuery = graphql(
  `
    query WorkloadsOfImage($workspace: String!, $type: ImageResourceType!, $name: String!, $after: String) {
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

/** A further page of the tags of an image. */
export const imageTagsQuery = graphql(
  `
    query TagsOfImage($workspace: String!, $type: ImageResourceType!, $name: String!, $after: String) {
      image(workspace: $workspace, resourceType: $type, name: $name) {
        id
        spec {
          tags(first: 200, after: $after) {
            ...TagPage
          }
        }
      }
    }
  `,
  [tagPage],
);

const offeredPage = graphql(`
  fragment OfferedPage on ImageShareConnection {
    filteredCount
    pageInfo {
      hasNextPage
      endCursor
    }
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
      spec {
        imageName
        resourceType
      }
    }
  }
`);

const pendingPage = graphql(`
  fragment PendingPage on ImageShareConnection {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      status
      metadata {
        createdAt
        createdBy
        sourceWorkspaceName
      }
      spec {
        imageName
        resourceType
      }
    }
  }
`);

/** The shares that a workspace offered. */
export const offeredSharesQuery = graphql(
  `
    query OfferedShares($workspace: String!, $filter: ImageShareFilter, $after: String) {
      workspace(name: $workspace) {
        id
        offeredImageShares(first: 200, after: $after, filter: $filter) {
          ...OfferedPage
        }
      }
    }
  `,
  [offeredPage],
);

/** The shares that a workspace has not answered yet. */
export const pendingSharesQuery = graphql(
  `
    query PendingShares($workspace: String!, $after: String) {
      workspace(name: $workspace) {
        id
        pendingImageShares(first: 200, after: $after) {
          ...PendingPage
        }
      }
    }
  `,
  [pendingPage],
);

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
export type OfferedShare = ResultOf<typeof offeredPage>['nodes'][number];
export type PendingShare = ResultOf<typeof pendingPage>['nodes'][number];
