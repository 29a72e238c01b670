// Computes the cost of an operation before it is compiled or executed, from the requested and the known sizes.
import { complexityFromQuery } from '@pothos/plugin-complexity';
import { isInterfaceType, isObjectType, Kind, parse, getIntrospectionQuery } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { schema } from './schema.js';

export interface Price {
  complexity: number;
  /** Levels of fields, fragments expanded. */
  depth: number;
}

/** The cost of introspecting the whole schema, as GraphiQL and code generators do. */
const introspectionComplexity = 20_000;

/**
 * @returns the cost of an operation of a valid document with these variables.
 * @throws {GraphQLError} when a variable does not fit its type.
 */
export function priceOf(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Record<string, unknown>,
  ctx: RequestContext,
): Price {
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const priced: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] };
  const { complexity, depth } = complexityFromQuery(priced, { schema, variables, ctx });
  const introspected = introspectionSize(definition.selectionSet, fragments);
  if (introspected === 0) return { complexity, depth };
  total ??= sizeOfWhole();
  return { complexity: complexity + Math.ceil((introspected / total) * introspectionComplexity), depth };
}

let total: number | undefined;

function sizeOfWhole(): number {
  const { definitions } = parse(getIntrospectionQuery());
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const operation = definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  return operation === undefined ? 1 : introspectionSize(operation.selectionSet, fragments);
}

/** How many values an introspection answers, about: each list counts with the length that it has in this schema. */
function introspectionSize(set: SelectionSetNode, fragments: FragmentDefinitionNode[]): number {
  const lengths = (lengthsOfLists ??= measureLists());
  const fragmentsByName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const sizeOf = (selections: SelectionSetNode, isWithin: boolean): number => {
    let size = 0;
    for (const selection of selections.selections) {
      if (selection.kind !== Kind.FIELD) {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentsByName.get(selection.name.value);
        if (inner !== undefined) size += sizeOf(inner.selectionSet, isWithin);
      } else if (isWithin || selection.name.value === '__schema' || selection.name.value === '__type') {
        const below = selection.selectionSet === undefined ? 0 : sizeOf(selection.selectionSet, true);
        size += 1 + below * (lengths.get(selection.name.value) ?? 1);
      }
    }
    return size;
  };
  return sizeOf(set, false);
}

let lengthsOfLists: ReadonlyMap<string, number> | undefined;

/** How long the lists of an introspection are, by field: of the fields of a type, on the average. */
function measureLists(): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  const args = fields.flatMap((field) => field.args);
  const perType = Math.max(1, fields.length / types.length);
  return new Map([
    ['types', types.length],
    ['fields', perType],
    ['inputFields', perType],
    ['enumValues', perType],
    ['possibleTypes', perType],
    ['args', Math.max(1, args.length / Math.max(1, fields.length))],
  ]);
}
