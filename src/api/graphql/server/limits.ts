// What a document may be at most, checked before it is validated: a small hostile document can otherwise
// cost seconds in validation or compilation alone.
import { GraphQLError, Kind, parse, visit } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';
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
    [Kind.NAME]: ({ value }) => {
      if (value.length > nameLengthMax) throw tooMuch('characters in a name', nameLengthMax);
    },
    [Kind.DIRECTIVE]: () => {
      if (++directives > directivesMax) throw tooMuch('directives', directivesMax);
    },
  });
  if (expandedSelections(document) > selectionsMax) throw tooMuch('selections, fragments expanded', selectionsMax);
  if (equalPairs(document) > equalPairsMax) throw tooMuch('pairs of fields of one name', equalPairsMax);
  checkIntrospection(document);
  return document;
}

/** Counts what the operations of a document ask about the schema, fragments expanded. */
function checkIntrospection(document: DocumentNode): void {
  const fragments = fragmentsOf(document);
  let schemas = 0;
  let types = 0;
  let aliases = 0;
  let visits = 0;
  const count = (set: SelectionSetNode, isWithin: boolean, within: ReadonlySet<string>): void => {
    for (const selection of set.selections) {
      if (++visits > visitsMax) throw tooMuch('selections, fragments expanded', selectionsMax);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment === undefined || within.has(fragment.name.value)) continue;
        count(fragment.selectionSet, isWithin, new Set([...within, fragment.name.value]));
        continue;
      }
      const name = selection.kind === Kind.FIELD ? selection.name.value : '';
      if (name === '__schema' && ++schemas > schemasMax) throw tooMuch('__schema fields', schemasMax);
      if (name === '__type' && ++types > typesMax) throw tooMuch('__type fields', typesMax);
      if (isWithin && selection.kind === Kind.FIELD && selection.alias && ++aliases > introspectionAliasesMax) {
        throw tooMuch('aliases in an introspection', introspectionAliasesMax);
      }
      const isIntrospection = isWithin || name === '__schema' || name === '__type';
      if (selection.selectionSet !== undefined) count(selection.selectionSet, isIntrospection, within);
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) count(definition.selectionSet, false, new Set());
  }
}

function parseTokens(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: tokensMax });
  } catch (error) {
    if (error instanceof GraphQLError && /parsing aborted/i.test(error.message)) throw tooMuch('tokens', tokensMax);
    if (error instanceof RangeError) throw invalidRequest('The query is nested too deeply to be read.');
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
    // A fragment within itself counts nothing here; validation refuses it.
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
  const fragments = fragmentsOf(document);
  let pairs = 0;
  let visits = 0;
  const count = (set: SelectionSetNode, place: Map<string, Place>, within: ReadonlySet<string>): void => {
    for (const selection of set.selections) {
      if (++visits > visitsMax) throw tooMuch('selections, fragments expanded', selectionsMax);
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const known = place.get(name) ?? { fields: 0, below: new Map() };
        place.set(name, known);
        pairs += known.fields++;
        if (selection.selectionSet !== undefined) count(selection.selectionSet, known.below, within);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) count(selection.selectionSet, place, within);
      else {
        const fragment = fragments.get(selection.name.value);
        // A fragment within itself is validation's to refuse.
        if (fragment === undefined || within.has(fragment.name.value)) continue;
        count(fragment.selectionSet, place, new Set([...within, fragment.name.value]));
      }
    }
  };
  for (const definition of document.definitions) {
    if ('selectionSet' in definition && definition.selectionSet) count(definition.selectionSet, new Map(), new Set());
  }
  return pairs;
}

/** A place in the answer: how many fields go there, and the places below it. */
interface Place {
  fields: number;
  below: Map<string, Place>;
}

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

function tooMuch(what: string, most: number): ApiError {
  return new ApiError('query_too_complex', `A query may have at most ${most} ${what}.`);
}
