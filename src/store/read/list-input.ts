// The input and output of lists of resources.
import type { QueryCursors } from '../../pagination/cursor.js';
import type { Page, Position } from '../../pagination/page.js';
import type { RankOrder } from './ranking.js';

/** The fields that a list can be ordered by. */
export type OrderField = 'createdAt' | 'updatedAt' | 'name' | 'displayName' | 'status' | 'cost';

export const orderDirections = {
  asc: 'Ascending: lowest value first.',
  desc: 'Descending: highest value first.',
} as const;

export type OrderDirection = keyof typeof orderDirections;

/** The order of a list. Ties are broken by id, in the same direction. */
export interface OrderInput {
  field: OrderField;
  direction: OrderDirection;
  /** The period in which costs are counted; only with `cost`. A resource without cost counts as 0. */
  window?: { startTime: string; endTime: string } | null | undefined;
}

/** An order by a column. */
export interface ColumnOrder {
  field: Exclude<OrderField, 'cost'>;
  direction: OrderDirection;
}

/** The order of lists by default. */
export const newestFirst: ColumnOrder = { field: 'createdAt', direction: 'desc' };

export interface ListInput {
  /** Newest first by default. */
  orderBy?: OrderInput | null | undefined;
  /** An order by cost in executable form, for resources that have a cost. */
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
  /** The position of the last row that was read, for lists that omit rows deleted meanwhile: all of them can be. */
  lastRead?: Position | undefined;
  cursors: QueryCursors;
  /** The number of items in the whole list, without search and filter (decision 13); 0 if it was not requested. */
  total: number;
  /** The number of items that match the search and the filter; 0 if it was not requested. */
  filtered: number;
}
