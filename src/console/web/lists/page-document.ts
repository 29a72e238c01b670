// The document of a list page, which is the same for all types. The build uses it as well, so it must not depend on the
// browser.
import { gql } from '@urql/core';
import type { DocumentNode } from 'graphql';

/** The schema field of each type that has a list. */
export const listFields = {
  Agent: 'agents',
  Sandbox: 'sandboxes',
  Job: 'jobs',
  Volume: 'volumes',
  Vpc: 'vpcs',
  Image: 'images',
} as const;

export type Listed = keyof typeof listFields;

/** `row` is the fragment of each item, such as `AgentRow` for agents. */
export function pageDocument(type: Listed, row: DocumentNode): DocumentNode {
  const { kind, definitions } = gql(pageText(type));
  return { kind, definitions: [...definitions, ...row.definitions] };
}

/** The query of a list page, without its fragment. */
export function pageText(type: Listed): string {
  return `
    query ${type}Page(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $orderBy: ResourceOrder
      $filter: ${type}Filter
      $isSkipped: Boolean!
    ) {
      page: ${listFields[type]}(
        workspace: $workspace
        first: $first
        after: $after
        last: $last
        before: $before
        search: $search
        orderBy: $orderBy
        filter: $filter
      ) {
        filteredCount
        pageInfo { startCursor endCursor hasNextPage }
        nodes @skip(if: $isSkipped) { ...${type}Row }
      }
    }
  `;
}
