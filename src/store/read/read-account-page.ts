// Lists over all workspaces of an account that the caller reaches, as one list.
import type { AuthorizedAccount } from '../../auth/authorize.js';
import type { ReachableWorkspace } from '../../auth/caller.js';
import { queryCursors } from '../../pagination/cursor.js';
import { pageFromRows, searchTerm } from '../../pagination/page.js';
import type { Slice } from '../../pagination/page.js';
import { readFilter } from './filter.js';
import { Found } from './found.js';
import type { ListInput, ListPage, ResourceSort } from './list-input.js';
import { rankOf } from './ranking.js';
import type { Ranking } from './ranking.js';
import { everything, sortOf } from './read-page.js';
import { isNarrowed } from './page-statement.js';
import { readPages } from './read-rows.js';
import type { ResourceKind } from './resource-kind.js';

/**
 * One page of what of a kind is in all workspaces of an account within reach, in one order: each row stands in it once.
 * The page of every workspace is read by one statement, and of those the first rows are taken.
 *
 * @throws 400 for a cursor, a search or a filter that breaks a rule.
 */
export async function readAccountPage<Row extends object>(
  { ctx, reads, account, caller }: AuthorizedAccount,
  kind: ResourceKind<Row>,
  input: ListInput,
): Promise<ListPage<Found<Row>>> {
  const wanted = input.wanted ?? everything;
  const { size, direction, cursor, fields, version, columns } = input;
  const sort = sortOf(kind, input.sort);
  const search = searchTerm(fields.search, input.search);
  const filter = readFilter(kind.criteria, fields.filter ?? 'filter', input.filter);
  const orderBy = input.ranking === undefined ? {} : { orderBy: input.ranking.text };
  const query = { list: kind.table, account: account.id, sort, search, filter: filter?.text, version, ...orderBy };
  const cursors = queryCursors(ctx.seal, ctx.now, query);
  const from = cursor == null ? undefined : cursors.open(fields.cursor, cursor);
  const slice: Slice = { size, direction, from };
  const ranking = wanted.items ? await input.ranking?.read(from) : undefined;
  const limit = size + (wanted.hasMore ? 1 : 0);
  const workspaces = Array.from(caller.workspaces.values()).filter((each) => each.account.id === account.id);
  const keys = workspaces.map(({ id }) => ({
    parent: { workspaceId: id, id },
    sort,
    search,
    filter,
    slice,
    limit,
    ranking,
    columns,
  }));
  const totalOf = (ids: Promise<number>[]) => Promise.all(ids).then((each) => each.reduce((sum, one) => sum + one, 0));
  const readTotal = () => totalOf(workspaces.map(({ id }) => kind.totals(ctx).load(id)));
  const readFiltered = () =>
    isNarrowed({ search, filter }) ? totalOf(keys.map((key) => kind.counts(ctx).load(key))) : readTotal();
  const [pages, total, filtered] = await Promise.all([
    wanted.items ? readPages<Row, Partial<Row>>(reads, kind, keys) : [],
    wanted.total ? readTotal() : 0,
    wanted.filtered ? readFiltered() : 0,
  ]);
  const rows = pages.flatMap((page, index) =>
    foundIn(workspaces[index], page, (workspace, row) => new Found(ctx, kind, workspace, row)),
  );
  const order = ranking === undefined ? inOrder(sort, direction) : inRankOrder(ranking, direction);
  const merged = rows.toSorted(order).slice(0, limit);
  return { ...pageFromRows(slice, merged), cursors, total, filtered };
}

function foundIn<Row, Item>(
  workspace: ReachableWorkspace | undefined,
  rows: Row[],
  make: (workspace: ReachableWorkspace, row: Row) => Item,
): Item[] {
  return workspace === undefined ? [] : rows.map((row) => make(workspace, row));
}

type Compare = (one: Found<object>, other: Found<object>) => number;

function inRankOrder({ descending }: Ranking, direction: Slice['direction']): Compare {
  const sign = descending === (direction === 'forward') ? -1 : 1;
  return ({ position: one }, { position: other }) => {
    const difference = rankOf(one.key) - rankOf(other.key);
    return sign * (difference === 0n ? (one.id < other.id ? -1 : 1) : difference < 0n ? -1 : 1);
  };
}

/** The order in which the database gives the rows of one workspace. */
function inOrder(sort: ResourceSort, direction: Slice['direction']): Compare {
  const sign = sort.endsWith(':desc') === (direction === 'forward') ? -1 : 1;
  const isTime = /^(createdAt|updatedAt):/.test(sort);
  const compareKeys = (one: string, other: string) =>
    isTime ? Date.parse(one) - Date.parse(other) : Buffer.compare(Buffer.from(one), Buffer.from(other));
  return ({ position: one }, { position: other }) =>
    sign * (compareKeys(one.key, other.key) || (one.id < other.id ? -1 : 1));
}
