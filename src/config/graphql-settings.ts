import { z } from 'zod';
import { wholeNumber } from './setting-forms.js';

/** Which GraphQL operations are run, and what they may cost. */
export const graphqlSettings = {
  GRAPHQL_COMPLEXITY_MAX: wholeNumber(1, 10_000_000).default(50000).describe('Highest cost of one GraphQL query.'),
  GRAPHQL_TRUSTED_DOCUMENTS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File of GraphQL documents that clients may name by their ids: an object of texts by id, as relay-compiler writes ' +
        'it, or Apollo’s manifest.',
    ),
  GRAPHQL_DOCUMENTS: z
    .enum(['any', 'trusted'])
    .default('any')
    .describe('Which GraphQL documents are run: any, or those of GRAPHQL_TRUSTED_DOCUMENTS alone.'),
  GRAPHQL_OPERATION_MS_MAX: wholeNumber(100, 600_000)
    .default(20000)
    .describe('Longest time for one GraphQL operation, in milliseconds; above it the answer is 504.'),
};
