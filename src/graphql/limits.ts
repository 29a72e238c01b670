// What a document may be at most, checked before it is validated: a small hostile document can otherwise
// cost seconds in validation alone.
import { GraphQLError, Kind, parse, visit } from 'graphql';
import type { DocumentNode } from 'graphql';
import { ApiError, invalidRequest } from '../errors.js';

const tokensMax = 4_000;
const nestingMax = 30;
const aliasesMax = 60;
const directivesMax = 60;
const definitionsMax = 60;

/**
 * Parses a document within these limits.
 *
 * @throws {GraphQLError} for a syntax error, and 400 `query_too_complex` for a document over a limit.
 */
export function parseLimited(source: string): DocumentNode {
  const document = parseTokens(source);
  let nesting = 0;
  let aliases = 0;
  let directives = 0;
  if (document.definitions.length > definitionsMax) throw tooMuch('definitions', definitionsMax);
  visit(document, {
    [Kind.SELECTION_SET]: {
      enter: () => {
        nesting++;
        if (nesting > nestingMax) throw tooMuch('levels of selections', nestingMax);
      },
      leave: () => {
        nesting--;
      },
    },
    [Kind.FIELD]: (node) => {
      if (node.alias !== undefined && ++aliases > aliasesMax) throw tooMuch('aliases', aliasesMax);
    },
    [Kind.DIRECTIVE]: () => {
      if (++directives > directivesMax) throw tooMuch('directives', directivesMax);
    },
  });
  return document;
}

function parseTokens(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: tokensMax });
  } catch (error) {
    if (error instanceof GraphQLError && error.message.includes('token')) {
      const isTooLong = error.message.includes('parsing aborted');
      if (isTooLong) throw tooMuch('tokens', tokensMax);
    }
    if (error instanceof RangeError) throw invalidRequest('The query is nested too deeply to be read.');
    throw error;
  }
}

function tooMuch(what: string, most: number): ApiError {
  return new ApiError('query_too_complex', `A query may have at most ${most} ${what}.`);
}
