// Converts the arguments of a connection to a slice, and a page to the connection, for every list.
import { ApiError, invalidParameter } from '../../errors.js';
import type { RequestContext } from '../../auth/context.js';
import { knownSize } from './known-sizes.js';
import type { QueryCursors } from '../../pagination/cursor.js';
import { pageSizeDefault, pageSizeMax } from '../../pagination/page.js';
import type { Page, Position } from '../../pagination/page.js';
import type { ListPage } from '../../store/read/list-input.js';

export interface ConnectionArguments {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

export interface ListSlice {
  size: number;
  direction: 'forward' | 'backward';
  cursor: string | undefined;
  fields: { search: string; cursor: string };
}

/** The cost of a connection: one per requested item, or per item of the default page or of the known list size. */
export function connectionComplexity(
  args: ConnectionArguments,
  ctx?: RequestContext,
  field?: { name: string },
): { field: number; multiplier: number } {
  const known = ctx === undefined || field === undefined ? undefined : knownSize(ctx, field.name);
  const size = args.first ?? args.last ?? Math.min(known ?? pageSizeDefault, pageSizeDefault);
  return { field: 5, multiplier: Math.max(size, 1) };
}

/**
 * Reads the four paging arguments: `first` with `after`, or `last` with `before`.
 *
 * @param sizeDefault the page size if neither `first` nor `last` is given.
 * @throws 400 `invalid_parameter` for a size out of range, or for arguments that cannot be combined.
 */
export function sliceFromArguments(args: ConnectionArguments, sizeDefault = pageSizeDefault): ListSlice {
  const { first, last, after, before } = args;
  if (first != null && last != null) throw invalidParameter('last', 'cannot be combined with first');
  if (after != null && (last != null || before != null)) {
    throw invalidParameter('after', 'can only be combined with first, not with last or before');
  }
  if (before != null && first != null)
    throw invalidParameter('before', 'can only be combined with last, not with first');
  const isBackward = last != null || before != null;
  const size = (isBackward ? last : first) ?? sizeDefault;
  if (size < 0 || size > pageSizeMax) {
    const exceeded = size < 0 ? undefined : { limit: pageSizeMax, actual: size };
    throw invalidParameter(isBackward ? 'last' : 'first', `must be between 0 and ${pageSizeMax}`, exceeded);
  }
  return {
    size,
    direction: isBackward ? 'backward' : 'forward',
    cursor: (isBackward ? before : after) ?? undefined,
    fields: { search: 'search', cursor: isBackward ? 'before' : 'after' },
  };
}

/** An item with a position in a list. */
interface Placed {
  position: Position;
}

/** Edges encrypt their cursor on first access, because most clients read one cursor of a page. */
export class Edge<Node extends Placed> {
  #cursor: string | undefined;

  constructor(
    readonly node: Node,
    private readonly cursors: QueryCursors,
  ) {}

  get cursor(): string {
    return (this.#cursor ??= this.cursors.encode(this.node.position));
  }
}

type ReadPage<Item> = Page<Item> & Pick<ListPage<Item>, 'lastRead'>;

class PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;

  constructor(
    private readonly page: ReadPage<unknown>,
    private readonly edges: Edge<Placed>[],
    private readonly cursors: QueryCursors,
    private readonly end: string | null | undefined,
  ) {
    this.hasNextPage = page.hasNext;
    this.hasPreviousPage = page.hasPrevious;
  }

  get startCursor(): string | null {
    return this.edges[0]?.cursor ?? this.#cursorWithoutItems();
  }

  get endCursor(): string | null {
    return this.end ?? this.edges.at(-1)?.cursor ?? this.#cursorWithoutItems();
  }

  /** The cursor of a page whose rows were all deleted while it was read: clients continue from this cursor. */
  #cursorWithoutItems(): string | null {
    const { lastRead } = this.page;
    return lastRead === undefined ? null : this.cursors.encode(lastRead);
  }
}

export interface Connection<Node extends Placed> {
  edges: Edge<Node>[];
  pageInfo: PageInfo;
  /** Number of items in the whole list. */
  total: number;
  /** Number of items that match the search and the filter. */
  filtered: number;
}

/** @param end the cursor of the next page, if it differs from the cursor of the last item. */
export function connectionFromPage<Node extends Placed>(
  page: ReadPage<Node>,
  cursors: QueryCursors,
  end?: string | null,
): Omit<Connection<Node>, 'total' | 'filtered'> {
  const edges = page.items.map((item) => new Edge(item, cursors));
  return { edges, pageInfo: new PageInfo(page, edges, cursors, end) };
}

/** Returns null instead of the error `not_found`, for queries by name. */
export async function orNull<Found>(found: Promise<Found>): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ApiError && error.error === 'not_found') return null;
    throw error;
  }
}
