// What sets a kind of resource apart from the others, and what its rows are asked by.
import type { Prisma } from '../../database/client/client.js';
import type { Slice } from '../../pagination/page.js';
import type { Criteria, Filter } from './filter.js';
import type { ResourceSort } from './list-input.js';
import type { ListParent } from './page-statement.js';
import type { Ranking } from './ranking.js';
import type { ResourceTable } from '../../resource-kinds.js';

/** What every row carries, whatever its kind: its id, and the text of the column that its list was sorted by. */
export interface Keyed {
  id: string;
  key: string;
}

/** What sets one kind of resource apart from the others. `Row` is a row that was read whole. */
export interface KindDefinition<Row extends object> {
  /** As errors name one: `egress IP`. */
  noun: string;
  table: ResourceTable;
  /** The column that says whose list a row is in; absent where that is the workspace. */
  parent?: Prisma.Sql;
  /** What else a row of the list has to meet. */
  condition?: Prisma.Sql;
  /** What can be read beside the id. Reading less is cheaper: events most of all. */
  columns: { readonly [Column in keyof Row & string]: Prisma.Sql };
  /** How many rows each list holds, and how many in each status, is kept in resource_count. */
  isCounted: boolean;
  hasSearchIndex: boolean;
  /** What its lists can be filtered by. */
  criteria: Criteria;
  /** Whether its rows have facets, by which an index finds them. */
  hasFacets?: boolean;
  /** What stands before the name in the address of its endpoint, for the kinds that have one (decision 23). */
  endpointPath?: 'agents' | 'sandboxes';
}

/** A row of which some columns were read, with its id and its place in the list. */
export type PartRow<Row extends object> = Partial<Row> & Keyed;

/** A whole row, and the workspace that it is in. */
export type PlacedRow<Row extends object> = Row & Keyed & { workspaceId: string };

/** Which page of whose list. */
export interface PageKey {
  parent: ListParent;
  sort: ResourceSort;
  search: string | undefined;
  filter: Filter | undefined;
  slice: Slice;
  limit: number;
  /** An order that is worked out beside the rows, in place of `sort`. */
  ranking?: Ranking | undefined;
  /** Everything when it is absent. */
  columns: ReadonlySet<string> | undefined;
}

/** Which part of whose list to count. */
export type CountKey = Pick<PageKey, 'parent' | 'search' | 'filter'>;

/** Which resource of whose list. */
export interface NameKey {
  parent: ListParent;
  name: string;
  columns: ReadonlySet<string> | undefined;
}
