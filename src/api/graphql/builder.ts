// The builder that every door of GraphQL adds its types to. It holds none itself.
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import type { RequestContext } from '../../auth/context.js';
import { decodeGlobalId, encodeGlobalId } from './global-id.js';

/** A free-form value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** How long a list counts that says nothing of its length. */
export const defaultListMultiplier = 5;

export const builder = new SchemaBuilder<{
  Context: RequestContext;
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
      description: 'The items alone, without their cursors.',
    },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      complexity: { field: 0, multiplier: 1 },
      description: 'The items of this page, each with its cursor.',
    },
    nodeFieldOptions: { nullable: false, description: 'The item.' },
    firstArgOptions: { description: 'How many items from the start, or after `after`: 0 to 200; 50 by default.' },
    afterArgOptions: { description: 'Cursor that the page comes after. Goes with `first`.' },
    lastArgOptions: { description: 'How many items from the end, or before `before`: 0 to 200.' },
    beforeArgOptions: { description: 'Cursor that the page comes before. Goes with `last`.' },
    cursorFieldOptions: { description: 'Opaque. Valid for 24 hours and for this query alone.' },
    pageInfoFieldOptions: { description: 'Whether the list goes on, and from where.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list goes on before this page.' },
    startCursorFieldOptions: { description: 'Pass it as `before` to get what comes before this page.' },
    endCursorFieldOptions: { description: 'Pass it as `after` to get what comes after this page.' },
    nodeTypeOptions: { description: 'Anything with a global id.' },
    nodeQueryOptions: {
      args: { id: { description: 'Its global id.' } },
      description: 'Anything by its global id; null when it does not exist or is out of reach.',
    },
    // In nodes.ts: an id that is none must not take the others with it.
    nodesQueryOptions: false,
    idFieldOptions: { description: 'Global id: opaque, the same for good, and accepted by `node`.' },
  },
});

/** A type of objects of one shape. */
export type ObjectType<Shape> = ReturnType<ReturnType<typeof builder.objectRef<Shape>>['implement']>;

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: false,
    description: 'How many items the whole list holds. A search or a filter does not narrow it.',
    resolve: ({ total }) => total,
  }),
);

builder.globalConnectionField('filteredCount', (t) =>
  t.int({
    nullable: false,
    description: 'How many of them the search and the filter match: exact, and all of them where there is neither.',
    resolve: ({ filtered }) => filtered,
  }),
);

builder.queryType({ description: 'Everything that can be read.' });

builder.subscriptionType({ description: 'Everything that can be watched.' });
