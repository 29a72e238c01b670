// The properties of a list, and the keys by which its rows are read.
import type { Prisma } from '../../database/client/client.js';
import type { Slice } from '../../pagination/page.js';
import type { ResourceView } from '../../resource-kinds.js';
import type { Criteria, Filter } from './filter.js';
import type { ColumnOrder } from './list-input.js';
import type { Ranking } from './ranking.js';

/** The columns that every row carries: its id, and the text of the column that its list was sorted by. */
export interface Keyed {
  id: string;
  key: string;
}

/** The owner of a list. */
export interface ListParent {
  /** The workspace of all its rows; absent for a list of an account, or of the caller. */
  workspaceId?: string | undefined;
  /** The resource, workspace, account or principal that the list belongs to. */
  id: string;
}

/** A list that `readPage` can read. `Row` is a row with all of its columns. */
export interface ListDefinition<Row extends object> {
  /** One item, as errors name it: `egress IP`. */
  label: string;
  /** The name of the table. Cursors are bound to it. */
  table: string;
  /**
   * A query in parentheses that gives the rows, if they are not the table's own. Every fragment of SQL calls a row `r`.
   */
  source?: Prisma.Sql;
  /** The type of `r."id"`; uuid by default. */
  idType?: Prisma.Sql;
  /**
   * Whether rows have no `workspace_id`, or those of a list have several: `parent` or the caller's access limits them.
   */
  isAcrossWorkspaces?: boolean;
  /** The column that holds the id of the list's parent; absent if that is the workspace. */
  parent?: Prisma.Sql;
  /** A condition on all rows of the list. */
  condition?: Prisma.Sql;
  /**
   * The columns that can be read in addition to the id. Fewer columns are faster to read, especially without events.
   */
  columns: { readonly [Column in keyof Row & string]: Prisma.Sql };
  /** Whether triggers count its rows by status in resource_count. */
  isCounted?: boolean;
  hasSearchIndex?: boolean;
  /** The criteria of its filter; none by default. */
  criteria?: Criteria;
  /** Whether its rows have indexed filter values, in the column `filter_values`. */
  hasIndexedValues?: boolean;
}

/** The properties of a resource kind's list that the registry does not have. */
export interface KindDefinition<Row extends object> extends Omit<ListDefinition<Row>, 'label' | 'table' | 'isCounted'> {
  /** A view to read in place of the table. */
  view?: ResourceView;
  hasSearchIndex: boolean;
  criteria: Criteria;
  /** The path before the name in the URL of its endpoint, for the kinds that have one (decision 23). */
  endpointPath?: 'agents' | 'sandboxes';
}

/** A row of which some columns were read, with its id and its place in the list. */
export type PartRow<Row extends object> = Partial<Row> & Keyed;

/** A complete row, and its workspace. */
export type PlacedRow<Row extends object> = Row & Keyed & { workspaceId: string };

/** Selects a page of one list. */
export interface PageKey {
  parent: ListParent;
  /** The rows that the caller may access, for lists whose parent does not decide that. */
  accessible?: Prisma.Sql | undefined;
  order: ColumnOrder;
  search: string | undefined;
  filter: Filter | undefined;
  slice: Slice;
  limit: number;
  /** An order that is computed separately from the rows, instead of `order`. */
  ranking?: Ranking | undefined;
  /** All columns when it is absent. */
  columns: ReadonlySet<string> | undefined;
}

/** Selects the rows of one list to count. */
export type CountKey = Pick<PageKey, 'parent' | 'accessible' | 'search' | 'filter'>;

/** Selects one resource of a list by its name. */
export interface NameKey {
  parent: ListParent;
  name: string;
  columns: ReadonlySet<string> | undefined;
}
