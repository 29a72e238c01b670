// The input and output of lists of resources.
import type { QueryCursors } from '../../pagination/cursor.js';
import type { Page } from '../../pagination/page.js';
import type { RankOrder } from './ranking.js';

/** The sort orders of the specification; the first one is the default. */
export const documentedSorts = {
  'createdAt:desc': 'Newest first.',
  'createdAt:asc': 'Oldest first.',
  'name:asc': 'Name, A to Z.',
  'name:desc': 'Name, Z to A.',
} as const;

/** The sort orders of GraphQL: the documented ones and some more. */
export const resourceSorts = {
  ...documentedSorts,
  'updatedAt:desc': 'Most recently changed first.',
  'updatedAt:asc': 'Least recently changed first.',
  'status:asc': 'Status, A to Z. Resources without a status come first.',
  'status:desc': 'Status, Z to A. Resources without a status come last.',
  'displayName:asc': 'Display name, A to Z. Resources without a display name come first.',
  'displayName:desc': 'Display name, Z to A. Resources without a display name come last.',
} as const;

export type ResourceSort = keyof typeof resourceSorts;

export const orderDirections = {
  asc: 'Ascending: lowest value first.',
  desc: 'Descending: highest value first.',
} as const;

export type OrderDirection = keyof typeof orderDirections;

/** Sorts by the cost of each resource in a period; a resource without cost counts as 0. */
export interface CostOrder {
  startTime: string;
  endTime: string;
  /** Descending by default. */
  direction?: OrderDirection | null | undefined;
}

export interface ListInput {
  sort?: ResourceSort | null | undefined;
  /** An order by a computed value, in place of `sort`; for resources that have a cost. */
  orderBy?: { cost?: CostOrder | null | undefined } | null | undefined;
  /** The same order in executable form. */
  ranking?: RankOrder | undefined;
  /** Case-insensitive; ignored if it has fewer than two characters. */
  search?: string | null | undefined;
  /** Criteria of the kind, and nested filters in `and`, `or`, `not`. */
  filter?: unknown;
  size: number;
  direction: 'forward' | 'backward';
  /** A cursor of the same query; the page starts after it. */
  cursor?: string | null | undefined;
  /** The names of the parameters in the API, for errors. */
  fields: { search: string; cursor: string; filter?: string };
  /** The version bound into cursors: a cursor of another version is refused. */
  version: string;
  /** The columns to read; all by default. */
  columns?: ReadonlySet<string> | undefined;
  /** Whether the request reads many lists at once, so that one statement can read them all. */
  isOneOfMany?: boolean | undefined;
  /** The parts of the page to read; all by default. */
  wanted?: { items: boolean; hasMore: boolean; total: boolean; filtered: boolean } | undefined;
}

/** The input for a list of the workspace that is named here or in the request's header. */
export interface WorkspaceListInput extends ListInput {
  workspace?: string | null | undefined;
}

/** The input for the lists of all workspaces of an account. */
export interface AccountListInput extends ListInput {
  accountId: string;
}

/** A resource, by its name in the workspace that is named here or in the request's header. */
export interface NamedInput {
  workspace?: string | null | undefined;
  name: string;
  /** The columns to read; all by default. */
  columns?: ReadonlySet<string> | undefined;
}

/** A page, with the encryption of its cursors. */
export interface ListPage<Item> extends Page<Item> {
  cursors: QueryCursors;
  /** The number of items in the whole list, without search and filter (decision 13); 0 if it was not requested. */
  total: number;
  /** The number of items that match the search and the filter; 0 if it was not requested. */
  filtered: number;
}
