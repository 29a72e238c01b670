// Variables of recursive input types, such as filters. graphql-jit compiles the parser of a variable by its type, which
// never ends for such types. Therefore it gets these variables already coerced, as JSON.
import {
  coerceInputValue,
  getNamedType,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
  valueFromAST,
  visit,
} from 'graphql';
import type { DocumentNode, GraphQLInputType, OperationDefinitionNode, VariableDefinitionNode } from 'graphql';
import { schema } from './schema.js';

const json = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } };

/** The same document with the type JSON for these variables. */
export function withoutRecursiveVariables(document: DocumentNode): DocumentNode {
  return visit(document, {
    VariableDefinition: ({ kind, variable, type }) =>
      recursiveType({ type }) === undefined ? undefined : { kind, variable, type: json },
  });
}

/** Coerces the variables of such types. @param variables values that fit their types. */
export function recursiveVariableCoercion({
  variableDefinitions = [],
}: OperationDefinitionNode): (variables: Record<string, unknown>) => Record<string, unknown> {
  const recursive = variableDefinitions.flatMap((definition) => {
    const type = recursiveType(definition);
    return type === undefined
      ? []
      : [{ name: definition.variable.name.value, type, defaultValue: definition.defaultValue }];
  });
  if (recursive.length === 0) return (variables) => variables;
  return (variables) => {
    const coerced = { ...variables };
    for (const { name, type, defaultValue } of recursive) {
      const value = variables[name];
      if (value !== undefined) coerced[name] = coerceInputValue(value, type);
      else if (defaultValue !== undefined) coerced[name] = valueFromAST(defaultValue, type);
    }
    return coerced;
  };
}

function recursiveType({ type: node }: Pick<VariableDefinitionNode, 'type'>): GraphQLInputType | undefined {
  const type = typeFromAST(schema, node);
  return isInputType(type) && containsItself(type, new Set()) ? type : undefined;
}

function containsItself(type: GraphQLInputType, outer: ReadonlySet<string>): boolean {
  const inner = getNamedType(type);
  if (!isInputObjectType(inner)) return false;
  if (outer.has(inner.name)) return true;
  const within = new Set([...outer, inner.name]);
  return Object.values(inner.getFields()).some((field) => containsItself(field.type, within));
}
