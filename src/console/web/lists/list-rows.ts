// What a list shows of each kind, and how it is asked for a page at a time.
import type { TypedDocumentNode } from '@urql/core';
import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import type { Kind } from '../kinds/kinds.js';
import { formatMegabytes } from '../look/amount.js';
import { statusesOf } from '../look/state.js';
import type { Tone } from '../look/state.js';
import type { FetchPage, PageRequest } from './page-window.js';
import { sorts } from './list-search.js';
import type { Sort } from './list-search.js';

export interface ListRow {
  id: string;
  name: string;
  displayName: string | null;
  status: string | null;
  region: string | null;
  /** What tells one of this kind from another. */
  detail: string;
  labels: readonly { key: string; value: string }[];
  updatedAt: string | null;
  updatedBy: string | null;
}

const rowMetadata = graphql(`
  fragment RowMetadata on Metadata {
    name
    displayName
    updatedAt
    updatedBy
    labels {
      key
      value
    }
  }
`);

const agentsPage = graphql(
  `
    query AgentsPage(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $sort: ResourceSort
      $statuses: [Status!]
      $isSkipped: Boolean!
    ) {
      page: agents(
        workspace: $workspace
        first: $first
        after: $after
        last: $last
        before: $before
        search: $search
        sort: $sort
        filter: { status: $statuses }
      ) {
        filteredCount
        pageInfo {
          startCursor
          endCursor
          hasNextPage
        }
        nodes @skip(if: $isSkipped) {
          id
          status
          metadata {
            ...RowMetadata
          }
          spec {
            region
            runtime {
              generation
              memory
              minScale
              maxScale
            }
          }
        }
      }
    }
  `,
  [rowMetadata],
);

const sandboxesPage = graphql(
  `
    query SandboxesPage(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $sort: ResourceSort
      $statuses: [Status!]
      $isSkipped: Boolean!
    ) {
      page: sandboxes(
        workspace: $workspace
        first: $first
        after: $after
        last: $last
        before: $before
        search: $search
        sort: $sort
        filter: { status: $statuses }
      ) {
        filteredCount
        pageInfo {
          startCursor
          endCursor
          hasNextPage
        }
        nodes @skip(if: $isSkipped) {
          id
          status
          metadata {
            ...RowMetadata
          }
          spec {
            region
            runtime {
              generation
              memory
            }
          }
        }
      }
    }
  `,
  [rowMetadata],
);

const jobsPage = graphql(
  `
    query JobsPage(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $sort: ResourceSort
      $statuses: [Status!]
      $isSkipped: Boolean!
    ) {
      page: jobs(
        workspace: $workspace
        first: $first
        after: $after
        last: $last
        before: $before
        search: $search
        sort: $sort
        filter: { status: $statuses }
      ) {
        filteredCount
        pageInfo {
          startCursor
          endCursor
          hasNextPage
        }
        nodes @skip(if: $isSkipped) {
          id
          status
          metadata {
            ...RowMetadata
          }
          spec {
            region
            parallelism
            runtime {
              memory
            }
          }
        }
      }
    }
  `,
  [rowMetadata],
);

const volumesPage = graphql(
  `
    query VolumesPage(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $sort: ResourceSort
      $statuses: [Status!]
      $isSkipped: Boolean!
    ) {
      page: volumes(
        workspace: $workspace
        first: $first
        after: $after
        last: $last
        before: $before
        search: $search
        sort: $sort
        filter: { status: $statuses }
      ) {
        filteredCount
        pageInfo {
          startCursor
          endCursor
          hasNextPage
        }
        nodes @skip(if: $isSkipped) {
          id
          status
          metadata {
            ...RowMetadata
          }
          spec {
            region
            sizeMb
          }
        }
      }
    }
  `,
  [rowMetadata],
);

const networksPage = graphql(
  `
    query NetworksPage(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $sort: ResourceSort
      $statuses: [Status!]
      $isSkipped: Boolean!
    ) {
      page: vpcs(
        workspace: $workspace
        first: $first
        after: $after
        last: $last
        before: $before
        search: $search
        sort: $sort
        filter: { status: $statuses }
      ) {
        filteredCount
        pageInfo {
          startCursor
          endCursor
          hasNextPage
        }
        nodes @skip(if: $isSkipped) {
          id
          status
          metadata {
            ...RowMetadata
          }
          spec {
            region
            cidrBlock
          }
        }
      }
    }
  `,
  [rowMetadata],
);

export interface ListQuestion {
  workspace: string;
  search: string | undefined;
  sort: Sort;
  tone: Tone | undefined;
}

interface Listed {
  id: string;
  status: string | null;
  metadata: ResultOf<typeof rowMetadata>;
  spec: { region: string | null };
}

interface ListPage<Node> {
  page: {
    filteredCount: number;
    pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean };
    nodes?: readonly Node[] | undefined;
  } | null;
}

interface PageVariables {
  workspace: string;
  search?: string;
  sort: (typeof sorts)[Sort]['value'];
  isSkipped: boolean;
  statuses?: (typeof statusesOf)[Tone][number][];
  first?: number;
  after?: string;
  last?: number;
  before?: string;
}

function source<Node extends Listed>(
  document: TypedDocumentNode<ListPage<Node>, PageVariables>,
  detailOf: (node: Node) => string,
): (question: ListQuestion) => FetchPage<ListRow> {
  return ({ workspace, search, sort, tone }) =>
    async (request: PageRequest) => {
      const variables = {
        workspace,
        sort: sorts[sort].value,
        ...request,
        ...(search === undefined ? {} : { search }),
        ...(tone === undefined ? {} : { statuses: [...statusesOf[tone]] }),
      };
      const { data, error } = await pageClient.query(document, variables).toPromise();
      if (data?.page == null) throw error ?? new Error('There was no answer.');
      const { pageInfo, filteredCount, nodes = [] } = data.page;
      return {
        ...pageInfo,
        count: filteredCount,
        rows: nodes.map((node) => ({
          id: node.id,
          name: node.metadata.name,
          displayName: node.metadata.displayName,
          status: node.status,
          region: node.spec.region,
          detail: detailOf(node),
          labels: node.metadata.labels,
          updatedAt: node.metadata.updatedAt,
          updatedBy: node.metadata.updatedBy,
        })),
      };
    };
}

const words = (...parts: (string | null | undefined | false)[]) => parts.filter(Boolean).join(' · ');
const memory = (megabytes: number | null | undefined) => (megabytes == null ? undefined : formatMegabytes(megabytes));

/** How each kind is asked for. */
export const listSources: Record<Kind, (question: ListQuestion) => FetchPage<ListRow>> = {
  agents: source(agentsPage, ({ spec: { runtime } }) =>
    words(
      runtime?.generation?.toLowerCase(),
      memory(runtime?.memory),
      runtime?.maxScale != null && `${runtime.minScale ?? 0}–${runtime.maxScale} instances`,
    ),
  ),
  sandboxes: source(sandboxesPage, ({ spec: { runtime } }) =>
    words(runtime?.generation?.toLowerCase(), memory(runtime?.memory)),
  ),
  jobs: source(jobsPage, ({ spec: { runtime, parallelism } }) =>
    words(memory(runtime?.memory), parallelism != null && `${parallelism} at once`),
  ),
  volumes: source(volumesPage, ({ spec }) => formatMegabytes(spec.sizeMb)),
  networks: source(networksPage, ({ spec }) => spec.cidrBlock ?? ''),
};
