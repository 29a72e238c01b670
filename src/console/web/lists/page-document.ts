// The documents of lists, which are the same for all types. The build uses them as well, so they must not depend on the
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

/** The schema field with the counts of each type whose list has filters. */
export const countFields = {
  Agent: 'agentCounts',
  Sandbox: 'sandboxCounts',
  Job: 'jobCounts',
  Volume: 'volumeCounts',
  Vpc: 'vpcCounts',
} as const;

export type Counted = keyof typeof countFields;

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
        totalCount
        filteredCount
        pageInfo { startCursor endCursor hasNextPage }
        nodes @skip(if: $isSkipped) { ...${type}Row }
      }
    }
  `;
}

/** The query of the number of matching resources by a property, such as their status. */
export function countText(type: Counted): string {
  return `
    query ${type}Counts($workspace: String!, $search: String, $filter: ${type}Filter, $by: ${type}Grouping!) {
      counts: ${countFields[type]}(workspace: $workspace, search: $search, filter: $filter, by: $by) {
        value
        count
      }
    }
  `;
}
