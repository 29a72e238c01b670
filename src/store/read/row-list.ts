// Pages of things that are no resources in a workspace: rows with a name and a time, found by Prisma.
import type { Authorized } from '../../auth/authorize.js';
import { invalidParameter } from '../../errors.js';
import { queryCursors } from '../../pagination/cursor.js';
import { pageFromRows, searchTerm } from '../../pagination/page.js';
import type { Position, Slice } from '../../pagination/page.js';
import type { ListInput, ListPage, ResourceSort } from './list-input.js';

export type Placed<Item> = Item & { position: Position };

interface ListedRow {
  id: string;
  name: string;
  createdAt: Date;
}

export interface RowWhere {
  AND: object[];
}

/** A list of rows, and how it is read. */
export interface RowList<Row> {
  /** What makes this list another one: its name, and its filters. Cursors belong to it. */
  query: Record<string, string | undefined>;
  /** What a row of the whole list meets, as Prisma's condition. */
  within: object;
  /** What narrows it further. */
  filters: object[];
  /** The column that holds the name, if it is not called that. */
  nameColumn?: string;
  /** The columns that a search looks through. */
  searched: string[];
  findMany: (query: { where: RowWhere; orderBy: Record<string, 'asc' | 'desc'>[]; take: number }) => Promise<Row[]>;
  count: (where: RowWhere) => Promise<number>;
}

/** Reads one page, and of the list no more than is wanted. @throws 400 for a cursor or search that breaks a rule. */
export async function readRowPage<Row extends ListedRow>(
  { ctx }: Authorized,
  list: RowList<Row>,
  input: ListInput,
): Promise<ListPage<Placed<Row>>> {
  const { items, hasMore, total, filtered } = input.wanted ?? everything;
  const sort = input.sort ?? 'createdAt:desc';
  const search = searchTerm(input.fields.search, input.search);
  const { principal } = ctx.caller;
  const query = { ...list.query, principal: principal.id, sort, search, version: input.version };
  const cursors = queryCursors(ctx.seal, ctx.now, query);
  const from = input.cursor == null ? undefined : cursors.open(input.fields.cursor, input.cursor);
  const slice: Slice = { size: input.size, direction: input.direction, from };
  const { field, direction } = orderOf(sort, slice);
  const column = field === 'name' ? (list.nameColumn ?? field) : field;
  const narrowed = [list.within, ...list.filters, ...matching(list.searched, search)];
  const [rows, count, matched] = await Promise.all([
    items
      ? list.findMany({
          where: { AND: [...narrowed, ...behind(column, field, direction, from)] },
          orderBy: [{ [column]: direction }, { id: direction }],
          take: input.size + (hasMore ? 1 : 0),
        })
      : [],
    total ? list.count({ AND: [list.within] }) : 0,
    filtered ? list.count({ AND: narrowed }) : 0,
  ]);
  const placed = rows.map((row): Placed<Row> => {
    const key = field === 'name' ? row.name : row.createdAt.toISOString();
    return { ...row, position: { key, id: row.id } };
  });
  return { ...pageFromRows(slice, placed), cursors, total: count, filtered: matched };
}

const everything = { items: true, hasMore: true, total: true, filtered: false };

/** @throws 400 for an order by something else than name or createdAt. */
function orderOf(sort: ResourceSort, slice: Slice): { field: 'name' | 'createdAt'; direction: 'asc' | 'desc' } {
  const isDescending = sort.endsWith(':desc') === (slice.direction === 'forward');
  const [field] = sort.split(':');
  if (field !== 'name' && field !== 'createdAt') throw invalidParameter('sort', 'must be by name or createdAt');
  return { field, direction: isDescending ? 'desc' : 'asc' };
}

function matching(columns: string[], search: string | undefined): object[] {
  if (search === undefined) return [];
  // Prisma leaves `%` and `_` their meaning.
  const found = { contains: search.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' };
  return [{ OR: columns.map((column) => ({ [column]: found })) }];
}

function behind(
  column: string,
  field: 'name' | 'createdAt',
  direction: 'asc' | 'desc',
  from: Position | undefined,
): object[] {
  if (from === undefined) return [];
  const past = direction === 'asc' ? 'gt' : 'lt';
  const key = field === 'name' ? from.key : new Date(from.key);
  return [{ OR: [{ [column]: { [past]: key } }, { AND: [{ [column]: key }, { id: { [past]: from.id } }] }] }];
}
