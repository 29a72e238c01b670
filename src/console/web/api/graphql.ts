import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './schema-types.d.ts';

/** Makes a document whose result and variables are typed by schema.graphql: what it does not have does not compile. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; Decimal: string; Bytes: number; JSON: unknown };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
