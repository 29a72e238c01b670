import { parse, validate } from 'graphql';
import type { DocumentNode, GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../../errors.js';
import { parseLimited } from './limits.js';
import { schema } from './schema.js';

/** Most requests send a document that was seen before. */
const documents = new LRUCache<string, DocumentNode>({
  max: 1_000,
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: (_document, source) => source.length + 1,
});

const documentLengthMax = 256 * 1024;

/** All that is wrong with a document, by the rules of GraphQL. */
export class DocumentErrors extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super('The document is not valid.');
  }
}

/** Documents of the operator. The limits against strangers do not apply to them. */
const trusted = new Set<string>();

/** Trusts a document of the operator. @throws the errors of an invalid document. */
export function trustDocument(source: string): void {
  trusted.add(source);
  readDocument(source);
}

/**
 * Parses and validates a document, or finds it valid.
 *
 * @throws 413 for one over 256 KiB, 400 for one over another limit; {GraphQLError} for a syntax error, and
 *   {DocumentErrors} for one that does not fit the schema.
 */
export function readDocument(source: string): DocumentNode {
  const known = documents.get(source);
  if (known !== undefined) return known;
  const isTrusted = trusted.has(source);
  if (!isTrusted && source.length > documentLengthMax) {
    throw new ApiError(
      'payload_too_large',
      `The GraphQL document is too long. At most ${documentLengthMax} characters are allowed.`,
      { exceeded: { limit: documentLengthMax, actual: source.length } },
    );
  }
  const document = isTrusted ? parse(source) : parseLimited(source);
  const problems = validate(schema, document, undefined, { maxErrors: 10 });
  if (problems.length > 0) throw new DocumentErrors(problems);
  documents.set(source, document);
  return document;
}
