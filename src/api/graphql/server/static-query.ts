// Rewrites a query to one without fragments, variables in conditions, and repeated fields: the form that the compiler of
// queries is proven for. graphql-js executes every document that has no such form.
import {
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

/** Fields of a query after its fragments are expanded. Compiling takes longer than linear time. */
const fieldsMax = 1_000;

/**
 * The compiler joins the keys of a path with underscores to a name of its own, and writes keys and the names of variables
 * into object literals.
 */
const compilableKey = /^[A-Za-z][A-Za-z0-9]*$/;

/** A query that has no static form, or one that is too large. */
class NotStatic extends Error {}

/**
 * The static form of a query: each object type has each response key once, in the order of graphql-js. `@skip` and
 * `@include` are decided.
 *
 * @param variables the coerced variables.
 * @returns undefined for a query that graphql-js has to execute.
 */
export function staticQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Record<string, unknown>,
): DocumentNode | undefined {
  const root = schema.getQueryType();
  if (root == null) return undefined;
  const names = definition.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  if (!names.every((name) => compilableKey.test(name))) return undefined;
  try {
    const query = new StaticQuery(schema, fragmentsOf(document), variables);
    const selectionSet = query.merge(root, [definition.selectionSet]);
    return { kind: Kind.DOCUMENT, definitions: [{ ...definition, directives: [], selectionSet }] };
  } catch (error) {
    if (error instanceof NotStatic) return undefined;
    throw error;
  }
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  return fragments;
}

class StaticQuery {
  private fields = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly variables: Record<string, unknown>,
  ) {}

  /** Selections of the same value, merged. For an interface or a union, one inline fragment for each object type. */
  merge(type: GraphQLCompositeType, sets: readonly SelectionSetNode[]): SelectionSetNode {
    if (isObjectType(type)) return { kind: Kind.SELECTION_SET, selections: this.mergeFields(type, sets) };
    const selections = this.schema.getPossibleTypes(type).map((possible): SelectionNode => {
      const selectionSet: SelectionSetNode = {
        kind: Kind.SELECTION_SET,
        selections: this.mergeFields(possible, sets),
      };
      const name = { kind: Kind.NAME as const, value: possible.name };
      return { kind: Kind.INLINE_FRAGMENT, typeCondition: { kind: Kind.NAMED_TYPE, name }, selectionSet };
    });
    return { kind: Kind.SELECTION_SET, selections };
  }

  /** The fields of an object type (GraphQL specification, sections 6.3.2 and 6.4.3). */
  private mergeFields(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): FieldNode[] {
    const nodesByKey = new Map<string, FieldNode[]>();
    const visited = new Set<string>();
    for (const set of sets) this.collect(type, set, nodesByKey, visited);
    return Array.from(nodesByKey, ([key, nodes]) => this.mergeField(type, key, nodes));
  }

  private collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    nodesByKey: Map<string, FieldNode[]>,
    visited: Set<string>,
  ): void {
    for (const selection of selections) {
      if (!this.isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = nodesByKey.get(key);
        if (nodes === undefined) nodesByKey.set(key, [selection]);
        else nodes.push(selection);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue;
        visited.add(selection.name.value);
      }
      const within = selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(selection.name.value) : selection;
      if (within !== undefined && this.applies(within.typeCondition?.name.value, type))
        this.collect(type, within.selectionSet, nodesByKey, visited);
    }
  }

  private mergeField(type: GraphQLObjectType, key: string, nodes: FieldNode[]): FieldNode {
    const [first] = nodes;
    const name = first?.name.value ?? '';
    const field = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : type.getFields()[name];
    const isCompilable = compilableKey.test(key) || key === TypeNameMetaFieldDef.name;
    this.fields += 1;
    if (first === undefined || field === undefined || !isCompilable || this.fields > fieldsMax) throw new NotStatic();
    const below = getNamedType(field.type);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    // A new node for each place: the compiler writes on the nodes.
    return {
      ...first,
      directives: [],
      ...(isCompositeType(below) ? { selectionSet: this.merge(below, sets) } : {}),
    };
  }

  private applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const named = this.schema.getType(condition);
    return isAbstractType(named) && this.schema.isSubType(named, type);
  }

  /** @throws {NotStatic} for a condition that is an error with these variables. */
  private isIncluded(node: SelectionNode): boolean {
    if (node.directives === undefined || node.directives.length === 0) return true;
    const skip = this.condition(GraphQLSkipDirective, node);
    return skip !== true && this.condition(GraphQLIncludeDirective, node) !== false;
  }

  private condition(directive: typeof GraphQLSkipDirective, node: SelectionNode): unknown {
    try {
      return getDirectiveValues(directive, node, this.variables)?.['if'];
    } catch {
      throw new NotStatic();
    }
  }
}

/** The variables in the conditions of a document's operations and fragments. */
export function conditionVariables(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: given = [] }) => {
      if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name) return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return names;
}
