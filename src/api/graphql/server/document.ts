import { GraphQLError, Kind, OperationTypeNode, parse, specifiedRules, validate } from 'graphql';
import type { ASTVisitor, DocumentNode, SelectionNode, SelectionSetNode, ValidationContext } from 'graphql';
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

const rules = [...specifiedRules, rootOfSubscription];

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
  const problems = validate(schema, document, rules, { maxErrors: 10 });
  if (problems.length > 0) throw new DocumentErrors(problems);
  documents.set(source, document);
  return document;
}

/**
 * The root field of a subscription is selected whatever the variables are (GraphQL, section 5.2.4.1). graphql-js 16 has no such
 * rule, and fails without a field.
 */
function rootOfSubscription(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: ({ operation, selectionSet }) => {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return;
      for (const nodes of rootSelections(context, selectionSet, new Set())) {
        if (nodes.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include') !== true) continue;
        const message = 'The root field of a subscription must not have @skip or @include.';
        context.reportError(new GraphQLError(message, { nodes }));
      }
    },
  };
}

/** The fields at the root of an operation, and the fragments that lead to them. @param seen the names of fragments. */
function rootSelections(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  seen: Set<string>,
): SelectionNode[] {
  return selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return [selection, ...rootSelections(context, selection.selectionSet, seen)];
    const fragment = seen.has(selection.name.value) ? undefined : context.getFragment(selection.name.value);
    seen.add(selection.name.value);
    return fragment ? [selection, ...rootSelections(context, fragment.selectionSet, seen)] : [selection];
  });
}
