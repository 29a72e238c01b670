// Finds the most expensive field of an operation for the error message.
import {
  getArgumentValues,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLOutputType,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { defaultListMultiplier } from '../builder.js';
import { schema } from './schema.js';

export interface MostExpensiveField {
  /** The names in the answer, from the root down. */
  path: string[];
  /** The cost of the field with its selection. */
  complexity: number;
}

interface Priced {
  name: string;
  complexity: number;
  /** The multiplier of its selection. */
  multiplier: number;
  below: Priced[];
}

/** The deepest field with more than half of the cost, or else the most expensive root field. */
export function findMostExpensiveField(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Record<string, unknown>,
  ctx: RequestContext,
): MostExpensiveField | undefined {
  const root = schema.getRootType(definition.operation);
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const fields = root == null ? [] : pricedBelow(definition.selectionSet, root, { fragments, variables, ctx });
  const total = sum(fields);
  const [first] = fields.toSorted((one, other) => other.complexity - one.complexity);
  if (first === undefined) return undefined;
  const mostExpensive: MostExpensiveField = { path: [first.name], complexity: first.complexity };
  let [within, times] = [first, first.multiplier];
  for (;;) {
    const next = within.below.find(({ complexity }) => complexity * times > total / 2);
    if (next === undefined) return mostExpensive;
    mostExpensive.path.push(next.name);
    mostExpensive.complexity = next.complexity * times;
    times *= next.multiplier;
    within = next;
  }
}

interface Pricing {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
  ctx: RequestContext;
}

function pricedBelow(set: SelectionSetNode, type: GraphQLNamedType, pricing: Pricing): Priced[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) {
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
      return field === undefined ? [] : [pricedField(selection, field, pricing)];
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : pricing.fragments.get(selection.name.value);
    if (fragment === undefined) return [];
    const condition = fragment.typeCondition?.name.value;
    const narrowed = condition === undefined ? type : schema.getType(condition);
    return narrowed === undefined ? [] : pricedBelow(fragment.selectionSet, narrowed, pricing);
  });
}

function pricedField(node: FieldNode, field: GraphQLField<unknown, unknown>, pricing: Pricing): Priced {
  const { own, multiplier } = weightOf(node, field, pricing);
  const below =
    node.selectionSet === undefined ? [] : pricedBelow(node.selectionSet, getNamedType(field.type), pricing);
  return { name: (node.alias ?? node.name).value, complexity: own + multiplier * sum(below), multiplier, below };
}

/** The arguments of the complexity of a field in Pothos' plugin. */
function weightOf(node: FieldNode, field: GraphQLField<unknown, unknown>, { variables, ctx }: Pricing) {
  const declared: unknown = field.extensions['complexity'];
  const weight: unknown =
    typeof declared === 'function' ? declared(getArgumentValues(field, node, variables), ctx, field) : declared;
  const multiplier = isList(field.type) ? defaultListMultiplier : 1;
  if (typeof weight === 'number') return { own: weight, multiplier };
  const declaration: { field?: unknown; multiplier?: unknown } =
    typeof weight === 'object' && weight !== null ? weight : {};
  return {
    own: typeof declaration.field === 'number' ? declaration.field : 1,
    multiplier: typeof declaration.multiplier === 'number' ? declaration.multiplier : multiplier,
  };
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

function sum(fields: readonly Priced[]): number {
  return fields.reduce((total, { complexity }) => total + complexity, 0);
}
