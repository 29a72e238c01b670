// Lists of resources: page by page, or whole.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { queryCursors } from '../../pagination/cursor.js';
import { pageFromRows, searchTerm } from '../../pagination/page.js';
import type { Page, Slice } from '../../pagination/page.js';
import { invalidParameter } from '../../errors.js';
import { readFilter } from './filter.js';
import { Found, Whole } from './found.js';
import type { ListInput, ListPage, ResourceSort } from './list-input.js';
import { isNarrowed } from './page-statement.js';
import { readCounts, readPages, readTotals } from './read-rows.js';
import type { KindDefinition, PageKey } from './kind-definition.js';
import type { ResourceKind } from './resource-kind.js';

/**
 * One page of a workspace's list, or of the list of a resource in it, of no more columns than are asked for.
 *
 * @param parentId the resource that the list belongs to; the workspace unless it is given.
 * @throws 400 for a cursor or a search that breaks a rule.
 */
export function readPage<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  input: ListInput,
  parentId: string = within.workspace.id,
): Promise<ListPage<Found<Row>>> {
  const { ctx, reads, workspace, isInTransaction } = within;
  const isShared = input.isOneOfMany === true && !isInTransaction;
  return pageOf(within, kind, input, parentId, async (key) => {
    const rows = isShared
      ? await kind.pages(ctx).load(key)
      : await readPages<Row, Partial<Row>>(reads, kind, [key]).then(firstOf);
    return rows.map((row) => new Found<Row>(ctx, kind, workspace, row));
  });
}

/** A page of a workspace's list whose rows are read whole. @throws 400 like readPage. */
export function readWholePage<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  input: Omit<ListInput, 'columns'>,
): Promise<ListPage<Whole<Row>>> {
  const { ctx, reads, workspace } = within;
  return pageOf(within, kind, { ...input, columns: undefined }, workspace.id, async (key) => {
    const rows = await readPages<Row, Row>(reads, kind, [key]).then(firstOf);
    return rows.map((row) => new Whole<Row>(ctx, kind, workspace, row));
  });
}

async function pageOf<Row extends object, Item extends Found<Row>>(
  { ctx, reads, workspace, isInTransaction }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  input: ListInput,
  parentId: string,
  readItems: (key: PageKey) => Promise<Item[]>,
): Promise<ListPage<Item>> {
  const { items, hasMore, total, filtered } = input.wanted ?? everything;
  const { size, direction, cursor, fields, version, columns } = input;
  const sort = sortOf(kind, input.sort);
  const search = searchTerm(fields.search, input.search);
  const filter = readFilter(kind.criteria, fields.filter ?? 'filter', input.filter);
  const cursors = queryCursors(ctx.seal, ctx.now, {
    list: kind.table,
    workspace: workspace.id,
    of: parentId,
    sort,
    search,
    filter: filter?.text,
    version,
    ...(input.ranking === undefined ? {} : { orderBy: input.ranking.text }),
  });
  const from = cursor == null ? undefined : cursors.open(fields.cursor, cursor);
  const ranking = items ? await input.ranking?.read(from) : undefined;
  const slice: Slice = { size, direction, from };
  const parent = { workspaceId: workspace.id, id: parentId };
  const readTotal = () =>
    isInTransaction
      ? readTotals(reads, kind, [parentId]).then(([count = 0]) => count)
      : kind.totals(ctx).load(parentId);
  const readFiltered = () => {
    if (!isNarrowed({ search, filter })) return readTotal();
    const key = { parent, search, filter };
    return isInTransaction ? readCounts(reads, kind, [key]).then(([count = 0]) => count) : kind.counts(ctx).load(key);
  };
  const [found, count, matched] = await Promise.all([
    items ? readItems({ parent, sort, search, filter, slice, limit: size + (hasMore ? 1 : 0), ranking, columns }) : [],
    total ? readTotal() : 0,
    filtered ? readFiltered() : 0,
  ]);
  return { ...pageFromRows(slice, found), cursors, total: count, filtered: matched };
}

/** What is found out of a list unless it is said. */
export const everything = { items: true, hasMore: true, total: true, filtered: false };

/** The order of a list. @throws 400 for one by what things of this kind do not have. */
export function sortOf(kind: KindDefinition<object>, sort: ResourceSort | null | undefined): ResourceSort {
  const wanted = sort ?? 'createdAt:desc';
  const [column = ''] = wanted.split(':');
  const isMissing = (column === 'status' || column === 'displayName') && !(column in kind.columns);
  if (isMissing) throw invalidParameter('sort', `cannot be by ${column}: no ${kind.noun} has one`);
  return wanted;
}

/** Larger chunks are no faster, and leave more behind in memory than is collected in time. */
const chunkSize = 50;

/** The whole list of a workspace, newest first, chunk by chunk, so that its length never shows in memory. */
export async function* readWholeList<Row extends object>(
  { ctx, reads, workspace }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
): AsyncGenerator<Whole<Row>[]> {
  const parent = { workspaceId: workspace.id, id: workspace.id };
  let from: Slice['from'];
  for (;;) {
    const slice: Slice = { size: chunkSize, direction: 'forward', from };
    const key: PageKey = {
      parent,
      sort: 'createdAt:desc',
      search: undefined,
      filter: undefined,
      slice,
      limit: chunkSize + 1,
      columns: undefined,
    };
    const rows = await readPages<Row, Row>(reads, kind, [key]).then(firstOf);
    const page: Page<Whole<Row>> = pageFromRows(
      slice,
      rows.map((row) => new Whole<Row>(ctx, kind, workspace, row)),
    );
    yield page.items;
    from = page.items.at(-1)?.position;
    if (!page.hasNext) return;
  }
}

function firstOf<Row>([page = []]: Row[][]): Row[] {
  return page;
}
