// The arguments and the resolver that all lists share.
import type { GraphQLResolveInfo } from 'graphql';
import type { Position } from '../../pagination/page.js';
import { orderDirections } from '../../store/read/list-input.js';
import type { ColumnOrder, ListInput, ListPage, OrderInput } from '../../store/read/list-input.js';
import { builder } from './builder.js';
import { connectionFromPage, sliceFromArguments } from './connection.js';
import type { Connection, ConnectionArguments } from './connection.js';
import { enumValues } from './enums.js';
import { selectedColumns, selectedPaths } from './selection.js';

export const OrderDirectionEnum = builder.enumType('OrderDirection', {
  description: 'Direction of an order.',
  values: enumValues(orderDirections),
});

const fieldText = 'A field to order a list by.';
const orderText = 'An order of a list. Ties are broken by id, in the same direction.';
const orderByText = 'Order of the list (default: newest first). A cursor is valid only for the same order.';

const OrderWindow = builder.inputType('OrderWindow', {
  description: 'The period of an order by COST.',
  fields: (t) => ({
    startTime: t.field({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
    endTime: t.field({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
  }),
});

/** The fields of each order, with their descriptions. */
const listFields = { createdAt: 'Time of creation.', name: 'Name.' } as const;

export const columnFields = {
  ...listFields,
  updatedAt: 'Time of the last change.',
  status: 'Status, in alphabetical order. Items without a status have the lowest value.',
} as const;

const resourceFields = {
  ...columnFields,
  displayName: 'Display name. Items without a display name have the lowest value.',
  cost:
    'Cost in `window`, exact, as in the field `cost`. Resources without cost count as 0. All pages use one snapshot. ' +
    'Needs the scope metrics:read.',
} as const;

/** Orders by columns. @param name the GraphQL type of the order. @param fields the fields, with their descriptions. */
export function orderArgument<Field extends ColumnOrder['field']>(
  name: string,
  fields: Readonly<Record<Field, string>>,
) {
  const FieldEnum = builder.enumType(`${name}Field`, { description: fieldText, values: enumValues(fields) });
  const Order = builder.inputType(name, {
    description: orderText,
    fields: (t) => ({
      field: t.field({ type: FieldEnum, required: true, description: 'The field to order by.' }),
      direction: t.field({ type: OrderDirectionEnum, required: true, description: 'Direction of the order.' }),
    }),
  });
  return builder.args((t) => ({ orderBy: t.field({ type: Order, description: orderByText }) }));
}

/** The order of lists whose items are not resources, such as members and API keys. */
export const listOrderArgument = orderArgument('ListOrder', listFields);

const ResourceOrderField = builder.enumType('ResourceOrderField', {
  description: fieldText,
  values: enumValues(resourceFields),
});

const ResourceOrder = builder.inputType('ResourceOrder', {
  description: `${orderText} A field that the listed resources do not have is an error.`,
  fields: (t) => ({
    field: t.field({ type: ResourceOrderField, required: true, description: 'The field to order by.' }),
    direction: t.field({ type: OrderDirectionEnum, required: true, description: 'Direction of the order.' }),
    window: t.field({ type: OrderWindow, description: 'The period of the cost. Required by COST, and only for COST.' }),
  }),
});

/** The order of lists of resources. */
export const resourceOrderArgument = builder.args((t) => ({
  orderBy: t.field({ type: ResourceOrder, description: orderByText }),
}));

/** @param fields the searched fields, as text. */
export function searchArgument(fields: string) {
  return builder.args((t) => ({
    search: t.string({
      description:
        `Text to search for in ${fields}, at any position, case-insensitive (at most 200 characters). ` +
        'Spaces around it are ignored. Fewer than two characters match all items.',
    }),
  }));
}

export const workspaceArgument = builder.args((t) => ({
  workspace: t.string({ description: 'Name of the workspace (default: the workspace of the header).' }),
}));

interface ListArguments extends ConnectionArguments {
  search?: string | null | undefined;
  filter?: unknown;
  orderBy?: OrderInput | null | undefined;
}

/** Bound into the cursors of the GraphQL API. Cursors of the REST API are bound to its version. */
const cursorVersion = 'graphql';

/** Reads the page that the arguments request, and only the parts that the query selects. */
export async function resolveList<Item extends { position: Position }>(
  args: ListArguments,
  info: GraphQLResolveInfo,
  list: (input: ListInput) => Promise<ListPage<Item>>,
): Promise<Connection<Item>> {
  const page = await list({
    ...sliceFromArguments(args),
    orderBy: args.orderBy,
    search: args.search,
    filter: args.filter,
    version: cursorVersion,
    columns: selectedColumns(info),
    wanted: selectedParts(info),
  });
  return { ...connectionFromPage(page, page.cursors), total: page.total, filtered: page.filtered };
}

/** The parts of a page that the query selects. */
export function selectedParts(info: GraphQLResolveInfo) {
  const paths = selectedPaths(info);
  return {
    items: ['edges', 'nodes', 'pageInfo'].some((field) => paths.has(field)),
    hasMore: paths.has('pageInfo.hasNextPage') || paths.has('pageInfo.hasPreviousPage'),
    total: paths.has('totalCount'),
    filtered: paths.has('filteredCount'),
  };
}

/** The id option of `builder.node`, for resources. */
export const foundId = { resolve: ({ id }: { id: string }) => id };
