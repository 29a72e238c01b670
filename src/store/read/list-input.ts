// What can be asked of a list of resources, and what is answered.
import type { QueryCursors } from '../../pagination/cursor.js';
import type { Page } from '../../pagination/page.js';
import type { RankOrder } from './ranking.js';

/** The orders of the specification; the first one is the default. */
export const documentedSorts = {
  'createdAt:desc': 'Newest first.',
  'createdAt:asc': 'Oldest first.',
  'name:asc': 'Name, A to Z.',
  'name:desc': 'Name, Z to A.',
} as const;

/** These, and what GraphQL sorts by beside them. */
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

/** By what each costs in a window; what costs nothing counts as 0. */
export interface CostOrder {
  startTime: string;
  endTime: string;
  /** The most first unless it is said. */
  direction?: OrderDirection | null | undefined;
}

export interface ListInput {
  sort?: ResourceSort | null | undefined;
  /** An order that is worked out, in place of `sort`; of what is billed. */
  orderBy?: { cost?: CostOrder | null | undefined } | null | undefined;
  /** The same, as it can be read. */
  ranking?: RankOrder | undefined;
  /** Looked for in any case; under two characters: no filter. */
  search?: string | null | undefined;
  /** Criteria of the kind, and `and`, `or`, `not` with more of them. */
  filter?: unknown;
  size: number;
  direction: 'forward' | 'backward';
  /** A cursor of the same query: the slice starts behind it. */
  cursor?: string | null | undefined;
  /** What the door calls its parameters, so that an error names what the caller wrote. */
  fields: { search: string; cursor: string; filter?: string };
  /** Bound into cursors: a cursor of one version is refused by another. */
  version: string;
  /** What to read of each resource; everything when it is left out. */
  columns?: ReadonlySet<string> | undefined;
  /** Whether it is one of many lists that a request reads at once, so that one statement can serve them all. */
  isOneOfMany?: boolean | undefined;
  /** What to find out of the list; everything when it is left out. */
  wanted?: { items: boolean; hasMore: boolean; total: boolean; filtered: boolean } | undefined;
}

/** The same, of the workspace that is named here or in the request's header. */
export interface WorkspaceListInput extends ListInput {
  workspace?: string | null | undefined;
}

/** The same, of all workspaces of an account. */
export interface AccountListInput extends ListInput {
  accountId: string;
}

/** One resource, by its name in the workspace that is named here or in the request's header. */
export interface NamedInput {
  workspace?: string | null | undefined;
  name: string;
  /** What to read of it; everything when it is left out. */
  columns?: ReadonlySet<string> | undefined;
}

/** A page, with what its cursors are sealed by. */
export interface ListPage<Item> extends Page<Item> {
  cursors: QueryCursors;
  /** How many the whole list holds, whatever a search narrows (decision 13); 0 when it was not wanted. */
  total: number;
  /** How many of them the search and the filter match; 0 when it was not wanted. */
  filtered: number;
}
