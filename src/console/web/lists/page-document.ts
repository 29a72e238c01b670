// The document of a page of a list is alike whatever the list is of. The build makes the same documents: nothing of the
// browser is needed here.
import { gql } from '@urql/core';
import type { DocumentNode } from 'graphql';

/** What lists are of, by type: the field of the schema that has them. */
export const listFields = {
  Agent: 'agents',
  Sandbox: 'sandboxes',
  Job: 'jobs',
  Volume: 'volumes',
  Vpc: 'vpcs',
  Image: 'images',
} as const;

export type Listed = keyof typeof listFields;

/** `row` says what is asked for of each item: for agents a fragment of the name `AgentRow`. */
export function pageDocument(type: Listed, row: DocumentNode): DocumentNode {
  const { kind, definitions } = gql(pageText(type));
  return { kind, definitions: [...definitions, ...row.definitions] };
}

/** A page of a list, but for its fragment. */
export function pageText(type: Listed): string {
  return `
    query ${type}Page(
      $workspace: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $search: String
      $sort: ResourceSort
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
        sort: $sort
        filter: $filter
      ) {
        filteredCount
        pageInfo { startCursor endCursor hasNextPage }
        nodes @skip(if: $isSkipped) { ...${type}Row }
      }
    }
  `;
}
