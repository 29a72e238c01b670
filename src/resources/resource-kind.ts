// What a kind of resource is, and what can be asked of a list of it.
import type { ReachableWorkspace } from '../access/caller.js';
import type { RequestContext } from '../context.js';
import type { Prisma } from '../database/client/client.js';
import type { Keyed } from '../database/select-page.js';
import type { QueryCursors } from '../paging/cursor.js';
import type { Listed, Page } from '../paging/page.js';

/** The orders of the specification; the first one is the default. */
export const resourceSorts = {
  'createdAt:desc': 'Newest first.',
  'createdAt:asc': 'Oldest first.',
  'name:asc': 'By name, a to z.',
  'name:desc': 'By name, z to a.',
} as const;

export type ResourceSort = keyof typeof resourceSorts;

/** A resource that was read, and the workspace that it is in. */
export interface Found<Resource> extends Listed<Resource> {
  workspace: ReachableWorkspace;
}

/** Whose list: a workspace's own, or that of a resource in it. */
export interface ListOwner {
  workspace: ReachableWorkspace;
  /** The id of the workspace, or of the resource. */
  id: string;
}

export interface ListInput {
  sort?: ResourceSort | null | undefined;
  /** Looked for in any case; under two characters: no filter. */
  search?: string | null | undefined;
  size: number;
  direction: 'forward' | 'backward';
  /** A cursor of the same query: the slice starts behind it. */
  cursor?: string | null | undefined;
  /** What the door calls its parameters, so that an error names what the caller wrote. */
  fields: { search: string; cursor: string };
  /** Bound into cursors: a cursor of one version is refused by another. */
  version: string;
  /** What to read of each resource; everything when it is left out. */
  columns?: ReadonlySet<string> | undefined;
  /** Whether it is one of many lists that a request reads at once, so that one statement can serve them all. */
  isOneOfMany?: boolean | undefined;
  /** What to find out of the list; everything when it is left out. */
  wanted?: { items: boolean; hasMore: boolean; total: boolean } | undefined;
}

/** The same, of the workspace that is named here or in the request's header. */
export interface WorkspaceListInput extends ListInput {
  workspace?: string | null | undefined;
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
}

export type ResourcePage<Resource> = ListPage<Found<Resource>>;

/** What sets one kind of resource apart from the others. */
export interface ResourceKind<Row extends ResourceKeys, Resource> {
  /** As errors name one, and cursors the list: `egress IP`. */
  noun: string;
  table: string;
  /** The column that says whose list a row is in; absent where that is the workspace. */
  parent?: Prisma.Sql;
  /** What else a row of the list has to meet. */
  condition?: Prisma.Sql;
  /** What can be read beside the id. Reading less is cheaper: events most of all. */
  columns: Record<string, Prisma.Sql>;
  /** Columns that are always read, because the resource is made from them. */
  keyColumns: string[];
  /** How many rows each list holds is kept in resource_count. */
  isCounted: boolean;
  hasSearchIndex: boolean;
  fromRow: (ctx: RequestContext, workspace: ReachableWorkspace, row: Row) => Resource;
}

/** What every row carries, whatever its kind. */
export interface ResourceKeys extends Keyed {
  name?: string;
  workspaceId?: string;
}
