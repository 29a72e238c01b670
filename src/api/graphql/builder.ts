// The Pothos schema builder, to which the other files of the GraphQL API add their types.
import SchemaBuilder from '@pothos/core';
import type { InputFieldBuilder, ObjectFieldBuilder } from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import type { ServiceContext } from '../../http/open-context.js';
import { decodeGlobalId, encodeGlobalId } from './global-id.js';

/** A free-form value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The assumed length of a list without a declared length, for the cost of a query. */
export const defaultListMultiplier = 5;

export const builder = new SchemaBuilder<{
  Context: ServiceContext;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Connection: { total: number; filtered: number };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    Decimal: { Input: string | number; Output: string };
    Bytes: { Input: number; Output: number };
    JSON: { Input: Json; Output: Json };
  };
}>({
  plugins: [RelayPlugin, ComplexityPlugin],
  // Costs are computed before a query runs, not by wrapping each root field.
  complexity: { disabled: true, defaultComplexity: 1, defaultListMultiplier },
  relay: {
    cursorType: 'String',
    encodeGlobalID: encodeGlobalId,
    decodeGlobalID: (globalId) => decodeGlobalId(globalId),
    nodesOnConnection: {
      complexity: { field: 0, multiplier: 1 },
      description: 'Items of this page, without their cursors.',
    },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      complexity: { field: 0, multiplier: 1 },
      description: 'Items of this page, each with its cursor.',
    },
    nodeFieldOptions: { nullable: false, description: 'The item.' },
    firstArgOptions: {
      description:
        'Number of items from the start, or after `after` (0 to 200; default: 50, unless the field names another).',
    },
    afterArgOptions: { description: 'Cursor. Returns the items after this cursor. Use with `first`.' },
    lastArgOptions: { description: 'Number of items from the end, or before `before` (0 to 200).' },
    beforeArgOptions: { description: 'Cursor. Returns the items before this cursor. Use with `last`.' },
    cursorFieldOptions: { description: 'Opaque cursor. Valid for 24 hours, and only for this query.' },
    pageInfoFieldOptions: {
      description: 'Pagination information: whether more items exist, and the cursors of this page.',
    },
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'True if more items exist after this page.' },
    hasPreviousPageFieldOptions: { description: 'True if more items exist before this page.' },
    startCursorFieldOptions: {
      description: 'Cursor of the first item, or null for an empty page. Pass as `before` to get the previous page.',
    },
    endCursorFieldOptions: {
      description: 'Cursor of the last item, or null for an empty page. Pass as `after` to get the next page.',
    },
    nodeTypeOptions: { description: 'An object with a global ID.' },
    nodeQueryOptions: {
      args: { id: { description: 'Global ID of the object.' } },
      description:
        'An object by its global ID, or null if it does not exist or is not accessible to the caller. Needs the scope that ' +
        'reads one object of the type, such as agents:get for an agent.',
    },
    // Defined in nodes.ts, where an invalid id does not fail the other ids.
    nodesQueryOptions: false,
    idFieldOptions: { description: 'Global ID: opaque, permanent, and accepted by `node`.' },
  },
});

export type Types = (typeof builder)['$inferSchemaTypes'];

/** Builds the fields of an input. */
export type InputFields = InputFieldBuilder<Types, 'InputObject'>;

/** Builds the fields of an object. */
export type ObjectFields<Parent> = ObjectFieldBuilder<Types, Parent>;

/** The GraphQL object type of a TypeScript shape. */
export type ObjectType<Shape> = ReturnType<ReturnType<typeof builder.objectRef<Shape>>['implement']>;

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: false,
    description: 'Number of items in the whole list, regardless of search and filter.',
    resolve: ({ total }) => total,
  }),
);

builder.globalConnectionField('filteredCount', (t) =>
  t.int({
    nullable: false,
    description: 'Exact number of items that match the search and the filter. Without either, equal to totalCount.',
    resolve: ({ filtered }) => filtered,
  }),
);

builder.queryType({ description: 'All read operations.' });

builder.subscriptionType({ description: 'All subscriptions.' });
