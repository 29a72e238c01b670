// Limits of documents, checked before validation: otherwise, validating or compiling a small hostile document can take
// seconds.
import { GraphQLError, Kind, parse, visit } from 'graphql';
import type { DefinitionNode, DocumentNode, FieldNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';
import { ApiError, invalidRequest } from '../../../errors.js';

const tokensMax = 4_000;
const nestingMax = 30;
const aliasesMax = 60;
const directivesMax = 60;
const definitionsMax = 60;
const selectionsMax = 5_000;
/** Fragments that spread one another in circles have more paths than selections: a walk along the paths ends here. */
const visitsMax = 20_000;

const nameLengthMax = 200;

/** Introspection reads the whole schema, and an alias in it reads all of it again. */
const schemasMax = 1;
const typesMax = 5;
const introspectionAliasesMax = 10;

/** Validation compares each two fields that end up under one name, and all that they select, with each other. */
const equalPairsMax = 10_000;

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
  const { length: definitions } = document.definitions;
  if (definitions > definitionsMax) throw tooMuch('definitions', definitionsMax, definitions);
  visit(document, {
    [Kind.SELECTION_SET]: {
      enter: () => {
        nesting++;
        if (nesting > nestingMax) throw tooMuch('nested levels', nestingMax);
      },
      leave: () => {
        nesting--;
      },
    },
    [Kind.FIELD]: (node) => {
      if (node.alias !== undefined && ++aliases > aliasesMax) throw tooMuch('aliases', aliasesMax);
    },
    [Kind.NAME]: ({ value }) => {
      if (value.length > nameLengthMax) throw tooMuch('characters in one name', nameLengthMax, value.length);
    },
    [Kind.DIRECTIVE]: () => {
      if (++directives > directivesMax) throw tooMuch('directives', directivesMax);
    },
  });
  const selections = expandedSelections(document);
  if (selections > selectionsMax)
    throw tooMuch('fields, counting those of fragments each time', selectionsMax, selections);
  const pairs = equalPairs(document);
  if (pairs > equalPairsMax) throw tooMuch('fields with the same name', equalPairsMax, pairs);
  checkIntrospection(document);
  return document;
}

/** Counts the introspection fields of a document's operations, with fragments expanded. */
function checkIntrospection(document: DocumentNode): void {
  let schemas = 0;
  let types = 0;
  let aliases = 0;
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const outside = () => false;
  walkFields(document, operations, outside, ({ name: { value: name }, alias }, isWithin) => {
    if (name === '__schema' && ++schemas > schemasMax) throw tooMuch('__schema fields', schemasMax);
    if (name === '__type' && ++types > typesMax) throw tooMuch('__type fields', typesMax);
    if (isWithin && alias !== undefined && ++aliases > introspectionAliasesMax) {
      throw tooMuch('aliases in an introspection query', introspectionAliasesMax);
    }
    return isWithin || name === '__schema' || name === '__type';
  });
}

function parseTokens(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: tokensMax });
  } catch (error) {
    if (error instanceof GraphQLError && /parsing aborted/i.test(error.message)) throw tooMuch('tokens', tokensMax);
    if (error instanceof RangeError) throw invalidRequest('The query is nested too deeply.');
    throw error;
  }
}

/** Fragments that spread one another twice double with each of them, so they are counted before they are expanded. */
function expandedSelections(document: DocumentNode): number {
  const fragments = fragmentsOf(document);
  const counts = new Map<string, number>();
  const countFragment = (name: string): number => {
    const known = counts.get(name);
    if (known !== undefined) return known;
    // A fragment within itself is not counted, because validation rejects it.
    counts.set(name, 0);
    const count = countSelections(fragments.get(name)?.selectionSet);
    counts.set(name, count);
    return count;
  };
  const countSelections = (set: SelectionSetNode | undefined): number => {
    let count = 0;
    for (const selection of set?.selections ?? []) {
      count +=
        selection.kind === Kind.FRAGMENT_SPREAD
          ? countFragment(selection.name.value)
          : countSelections(selection.selectionSet);
      count++;
    }
    return count;
  };
  const sets = document.definitions.map((each) => ('selectionSet' in each ? countSelections(each.selectionSet) : 0));
  return Math.max(0, ...sets);
}

/** How many pairs of fields have the same place in the answer, fragments expanded: 900 equal ones are 404,550. */
function equalPairs(document: DocumentNode): number {
  let pairs = 0;
  const noFields = () => new Map<string, Place>();
  walkFields(document, document.definitions, noFields, ({ alias, name }, state) => {
    const answered = (alias ?? name).value;
    const known = state.get(answered) ?? { fields: 0, below: new Map() };
    state.set(answered, known);
    pairs += known.fields++;
    return known.below;
  });
  return pairs;
}

/** A place in the answer: how many fields go there, and the places below it. */
interface Place {
  fields: number;
  below: Map<string, Place>;
}

/**
 * Visits each field of some definitions, with expanded fragments. A fragment within itself is skipped, because
 * validation rejects it.
 *
 * @param start returns the state of the first level of a definition.
 * @param enter called with a field and the state of its level; returns the state of the level below.
 * @throws 400 `query_too_complex` if circular fragments have too many paths.
 */
function walkFields<State>(
  document: DocumentNode,
  definitions: readonly DefinitionNode[],
  start: () => State,
  enter: (field: FieldNode, state: State) => State,
): void {
  const fragments = fragmentsOf(document);
  let visits = 0;
  const walk = (set: SelectionSetNode, state: State, within: ReadonlySet<string>): void => {
    for (const selection of set.selections) {
      if (++visits > visitsMax) throw tooMuch('fields, counting those of fragments each time', selectionsMax);
      if (selection.kind === Kind.FIELD) {
        const below = enter(selection, state);
        if (selection.selectionSet !== undefined) walk(selection.selectionSet, below, within);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet, state, within);
      else {
        const fragment = fragments.get(selection.name.value);
        if (fragment === undefined || within.has(fragment.name.value)) continue;
        walk(fragment.selectionSet, state, new Set([...within, fragment.name.value]));
      }
    }
  };
  for (const definition of definitions) {
    if ('selectionSet' in definition && definition.selectionSet) walk(definition.selectionSet, start(), new Set());
  }
}

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** @param actual the number, if it was counted to the end. */
function tooMuch(what: string, limit: number, actual?: number): ApiError {
  const message = `The query has too many ${what}. At most ${limit} are allowed.`;
  return new ApiError('query_too_complex', message, { exceeded: { limit, actual } });
}
