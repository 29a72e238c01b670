// The arguments and the resolver that all lists share.
import type { GraphQLResolveInfo } from 'graphql';
import type { Position } from '../../pagination/page.js';
import { resourceSorts } from '../../store/read/list-input.js';
import type { ListInput, ListPage, ResourceSort } from '../../store/read/list-input.js';
import { builder } from './builder.js';
import { connectionFromPage, sliceFromArguments } from './connection.js';
import type { Connection, ConnectionArguments } from './connection.js';
import { enumValues } from './enums.js';
import { selectedColumns, selectedPaths } from './selection.js';

const ResourceSortEnum = builder.enumType('ResourceSort', {
  description: 'Order of a list. Ties are broken by id, in the same direction.',
  values: enumValues(resourceSorts),
});

export const sortArgument = builder.args((t) => ({
  sort: t.field({ type: ResourceSortEnum, description: 'Order of the list (default: newest first).' }),
}));

/** @param fields the searched fields, as text. */
export function searchArgument(fields: string) {
  return builder.args((t) => ({
    search: t.string({
      description:
        `Text to search for in ${fields}, at any position, case-insensitive (at most 200 characters). ` +
        'Fewer than two characters match all items.',
    }),
  }));
}

export const workspaceArgument = builder.args((t) => ({
  workspace: t.string({ description: 'Name of the workspace (default: the workspace of the header).' }),
}));

interface ListArguments extends ConnectionArguments {
  sort?: ResourceSort | null | undefined;
  search?: string | null | undefined;
  filter?: unknown;
  orderBy?: ListInput['orderBy'];
}

/** Bound into the cursors of the GraphQL API. Cursors of the REST API are bound to its version. */
const cursorVersion = 'graphql';

/** Reads the page that the arguments request, and only the parts that the query selects. */
export async function resolveList<Item extends { position: Position }>(
  args: ListArguments,
  info: GraphQLResolveInfo,
  list: (input: ListInput) => Promise<ListPage<Item>>,
): Promise<Connection<Item>> {
  const paths = selectedPaths(info);
  const page = await list({
    ...sliceFromArguments(args),
    sort: args.sort,
    orderBy: args.orderBy,
    search: args.search,
    filter: args.filter,
    version: cursorVersion,
    columns: selectedColumns(info),
    wanted: {
      items: ['edges', 'nodes', 'pageInfo'].some((field) => paths.has(field)),
      hasMore: paths.has('pageInfo.hasNextPage') || paths.has('pageInfo.hasPreviousPage'),
      total: paths.has('totalCount'),
      filtered: paths.has('filteredCount'),
    },
  });
  return { ...connectionFromPage(page, page.cursors), total: page.total, filtered: page.filtered };
}

/** The id option of `builder.node`, for resources. */
export const foundId = { resolve: ({ id }: { id: string }) => id };
