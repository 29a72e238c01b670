import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './schema-types.d.ts';

/** Creates a document with result and variable types from schema.graphql. Unknown fields do not compile. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; Decimal: string; Bytes: number; JSON: unknown };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
