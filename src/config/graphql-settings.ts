import { nonEmpty, oneOf, wholeNumber } from './setting-forms.js';

/** Limits of GraphQL operations, and trusted documents. */
export const graphqlSettings = {
  GRAPHQL_COMPLEXITY_MAX: wholeNumber(1, 10_000_000).default(50000).describe('Maximum cost of one GraphQL operation.'),
  GRAPHQL_TRUSTED_DOCUMENTS: nonEmpty
    .optional()
    .describe(
      'File of GraphQL documents that clients can send by id: a JSON object of documents by id (as relay-compiler ' +
        'writes it), or a manifest of Apollo.',
    ),
  GRAPHQL_DOCUMENTS: oneOf('any', 'trusted')
    .default('any')
    .describe('Accepted GraphQL documents: `any`, or `trusted` for those in GRAPHQL_TRUSTED_DOCUMENTS only.'),
  GRAPHQL_OPERATION_MS_MAX: wholeNumber(100, 600_000)
    .default(20000)
    .describe('Maximum duration of one GraphQL operation (ms). Above it, the request gets 504.'),
};
