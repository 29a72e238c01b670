// Reads lists, by page or completely.
import { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../../auth/authorize.js';
import type { AccessibleWorkspace } from '../../auth/caller.js';
import type { Prisma } from '../../database/client/client.js';
import { invalidParameter } from '../../errors.js';
import { queryCursors } from '../../pagination/cursor.js';
import { pageFromRows, searchTerm } from '../../pagination/page.js';
import type { Page, Position, Slice } from '../../pagination/page.js';
import { readFilter } from './filter.js';
import type { Filter } from './filter.js';
import { PartialResource, Resource } from './resource.js';
import type { CountKey, Keyed, ListDefinition, ListParent, PageKey, PartRow } from './list-definition.js';
import { newestFirst } from './list-input.js';
import type { ColumnOrder, ListInput, ListPage } from './list-input.js';
import { readPages } from './page-strategies.js';
import { rankOf } from './ranking.js';
import type { Ranking } from './ranking.js';
import { readCounts } from './read-rows.js';
import { wholeRowOf } from './resource-kind.js';
import type { List, ResourceKind } from './resource-kind.js';

/** An item with its place in the list. */
export type Placed<Item> = Item & { position: Position };

/**
 * One page of the resources in a workspace, in all accessible workspaces of an account, or in one resource. It reads
 * only the columns that are asked for.
 *
 * @param parentId the resource that the list belongs to; the workspace by default.
 * @throws 400 for a cursor, a search, a filter or an order that breaks a rule.
 */
export async function readPage<Row extends object>(
  within: AuthorizedAccount,
  kind: ResourceKind<Row>,
  input: ListInput,
  parentId?: string,
): Promise<ListPage<PartialResource<Row>>> {
  const page = await readRowPage(within, kind, workspaceLists(within, parentId), input);
  const items = page.items.map(({ parent, row }) => new PartialResource<Row>(within.ctx, kind, parent.workspace, row));
  return { ...page, items };
}

/** A page of a workspace's list whose rows are read whole. @throws 400 like readPage. */
export async function readWholePage<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  input: Omit<ListInput, 'columns'>,
): Promise<ListPage<Resource<Row>>> {
  const page = await readRowPage(within, kind, workspaceLists(within), { ...input, columns: undefined });
  const items = page.items.map(
    ({ parent, row }) => new Resource<Row>(within.ctx, kind, parent.workspace, wholeRowOf(kind, row)),
  );
  return { ...page, items };
}

/** A page of whole rows that are not resources. @throws 400 like readPage. */
export async function readWholeRows<Row extends object>(
  authorized: Authorized,
  list: List<Row>,
  lists: Lists<ListParent>,
  input: ListInput,
): Promise<ListPage<Placed<Row & Keyed>>> {
  const page = await readRowPage(authorized, list, lists, { ...input, columns: undefined });
  const items = page.items.map(({ row }) => ({
    ...wholeRowOf(list, row),
    position: { key: row.key, id: row.id },
  }));
  return { ...page, items };
}

/**
 * A page of items that are loaded by id.
 *
 * @param load gives the items in any order; those that were deleted meanwhile are null or absent.
 * @throws 400 like readPage.
 */
export async function readPageById<Item extends { id: string }>(
  authorized: Authorized,
  list: List<object>,
  lists: Lists<ListParent>,
  input: ListInput,
  load: (ids: string[]) => Promise<(Item | null)[]>,
): Promise<ListPage<Placed<Item>>> {
  const page = await readRowPage(authorized, list, lists, { ...input, columns: new Set() });
  const rows = page.items.map(({ row }) => row);
  const loaded = rows.length === 0 ? [] : await load(rows.map(({ id }) => id));
  const items = rows.flatMap(({ key, id }): Placed<Item>[] => {
    const item = loaded.find((each) => each?.id === id);
    return item == null ? [] : [{ ...item, position: { key, id } }];
  });
  return { ...page, items, lastRead: rows.at(-1) };
}

/** The lists that one page is read from. Several of them are merged in one order. */
export interface Lists<Parent extends ListParent> {
  parents: readonly Parent[];
  /** Identifies these lists among others of the same table; bound into cursors. */
  query: Record<string, string | undefined>;
  /** The rows that the caller can access. It depends on the caller only. */
  accessible?: Prisma.Sql;
  /** A filter in place of the criteria of the input. */
  filter?: Filter | undefined;
}

interface WorkspaceParent extends ListParent {
  workspace: AccessibleWorkspace;
}

/** The list of a workspace, or of a resource in it, or those of all accessible workspaces of an account. */
function workspaceLists(within: AuthorizedAccount, parentId?: string): Lists<WorkspaceParent> {
  const parentOf = (workspace: AccessibleWorkspace): WorkspaceParent => {
    const { id } = workspace;
    return { workspace, workspaceId: id, id: parentId ?? id };
  };
  if (within instanceof AuthorizedWorkspace) {
    const parent = parentOf(within.workspace);
    return { parents: [parent], query: { workspace: parent.workspaceId, of: parent.id } };
  }
  const { account, caller } = within;
  const workspaces = Array.from(caller.workspaces.values()).filter((each) => each.account.id === account.id);
  return { parents: workspaces.map(parentOf), query: { account: account.id } };
}

interface ListedRow<Row extends object, Parent extends ListParent> {
  parent: Parent;
  row: PartRow<Row>;
}

async function readRowPage<Row extends object, Parent extends ListParent>(
  authorized: Authorized,
  list: List<Row>,
  { parents, query, accessible, ...lists }: Lists<Parent>,
  input: ListInput,
): Promise<ListPage<ListedRow<Row, Parent>>> {
  const { ctx, reads, isInTransaction } = authorized;
  const parts = input.wanted ?? { items: true, hasMore: true, total: true, filtered: false };
  const { size, direction, cursor, fields, version, columns } = input;
  const order = orderOf(list, input);
  const search = searchTerm(fields.search, input.search);
  const filter = lists.filter ?? readFilter(list.criteria ?? {}, fields.filter ?? 'filter', input.filter);
  const orderBy = input.ranking?.text ?? `${order.field} ${order.direction}`;
  const identity = { list: list.table, ...query, orderBy, search, filter: filter?.text, version };
  const cursors = queryCursors(ctx.encryption, ctx.now, identity);
  const from = cursor == null ? undefined : cursors.decode(fields.cursor, cursor);
  const ranking = parts.items ? await input.ranking?.read(from) : undefined;
  const slice: Slice = { size, direction, from };
  const limit = size + (parts.hasMore ? 1 : 0);
  const keyOf = (parent: Parent): PageKey => ({
    parent,
    accessible,
    order,
    search,
    filter,
    slice,
    limit,
    ranking,
    columns,
  });
  const isBatched = input.isOneOfMany === true && !isInTransaction;
  const keys = parents.map(keyOf);
  const readItems = () =>
    isBatched
      ? Promise.all(keys.map((key) => list.pages(ctx).load(key)))
      : readPages<Row, Partial<Row>>(reads, list, keys);
  const countOf = (narrowing: Pick<CountKey, 'search' | 'filter'>) =>
    countRows(
      authorized,
      list,
      parents.map((parent) => ({ parent, accessible, ...narrowing })),
    );
  const [pages, total, filtered] = await Promise.all([
    parts.items ? readItems() : [],
    parts.total ? countOf({ search: undefined, filter: undefined }) : 0,
    parts.filtered ? countOf({ search, filter }) : 0,
  ]);
  const rows = parents.flatMap((parent, index) => (pages[index] ?? []).map((row) => ({ parent, row })));
  if (parents.length === 1) return { ...pageFromRows(slice, rows), cursors, total, filtered };
  const compare = ranking === undefined ? byColumn(order, direction) : byRank(ranking, direction);
  const merged = rows.toSorted(({ row: one }, { row: other }) => compare(one, other)).slice(0, limit);
  return { ...pageFromRows(slice, merged), cursors, total, filtered };
}

/** The number of rows in all these lists; those of one request are counted by one statement. */
async function countRows<Row extends object>(
  { ctx, reads, isInTransaction }: Authorized,
  list: List<Row>,
  keys: CountKey[],
): Promise<number> {
  const counts = isInTransaction
    ? await readCounts(reads, list, keys)
    : await Promise.all(keys.map((key) => list.counts(ctx).load(key)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The column that orders a list; the default for an order by cost. @throws 400 for an order that the list does not
 * have.
 */
function orderOf(list: ListDefinition<object>, { orderBy, ranking }: ListInput): ColumnOrder {
  if (orderBy == null || ranking !== undefined) return newestFirst;
  const { field, direction, window } = orderBy;
  const isMissing = field === 'cost' || ((field === 'status' || field === 'displayName') && !(field in list.columns));
  if (isMissing) throw invalidParameter('orderBy.field', `must not be ${field}, which no ${list.label} has`);
  if (window != null) throw invalidParameter('orderBy.window', 'is only allowed with COST');
  return { field, direction };
}

type CompareRows = (one: Keyed, other: Keyed) => number;

/** The order in which the database gives the rows of one list. */
function byColumn(order: ColumnOrder, direction: Slice['direction']): CompareRows {
  const sign = (order.direction === 'desc') === (direction === 'forward') ? -1 : 1;
  const isTime = order.field === 'createdAt' || order.field === 'updatedAt';
  const compareKeys = (one: string, other: string) =>
    isTime ? Date.parse(one) - Date.parse(other) : Buffer.compare(Buffer.from(one), Buffer.from(other));
  return (one, other) => sign * (compareKeys(one.key, other.key) || (one.id < other.id ? -1 : 1));
}

function byRank({ descending }: Ranking, direction: Slice['direction']): CompareRows {
  const sign = descending === (direction === 'forward') ? -1 : 1;
  return (one, other) => {
    const difference = rankOf(one.key) - rankOf(other.key);
    return sign * (difference === 0n ? (one.id < other.id ? -1 : 1) : difference < 0n ? -1 : 1);
  };
}

/** Larger chunks are no faster, and leave more in memory than is collected in time. */
const chunkSize = 50;

/** The whole list of a workspace, newest first, in chunks, so that memory use does not grow with its length. */
export async function* readWholeList<Row extends object>(
  { ctx, reads, workspace }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
): AsyncGenerator<Resource<Row>[]> {
  const parent = { workspaceId: workspace.id, id: workspace.id };
  let from: Slice['from'];
  for (;;) {
    const slice: Slice = { size: chunkSize, direction: 'forward', from };
    const key: PageKey = {
      parent,
      order: newestFirst,
      search: undefined,
      filter: undefined,
      slice,
      limit: chunkSize + 1,
      columns: undefined,
    };
    const [rows = []] = await readPages<Row, Row>(reads, kind, [key]);
    const page: Page<Resource<Row>> = pageFromRows(
      slice,
      rows.map((row) => new Resource<Row>(ctx, kind, workspace, row)),
    );
    yield page.items;
    from = page.items.at(-1)?.position;
    if (!page.hasNext) return;
  }
}
