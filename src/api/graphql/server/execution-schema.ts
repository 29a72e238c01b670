// The schema of compiled queries. A compiled query checks each leaf value by a call, which is the largest part of the
// time of a large response. Values that are typed in TypeScript and serialized unchanged need no check. Arguments and
// variables are coerced by graphql-js.
import {
  getArgumentValues,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { GraphQLEnumType, GraphQLField, GraphQLFieldResolver, GraphQLOutputType } from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { asItIs } from '../scalars.js';

/** The type of all variables of a compiled query: graphql-js has coerced them before. */
export const coercedVariable = new GraphQLScalarType({ name: 'CoercedVariable', parseValue: asItIs });

/**
 * The same schema for graphql-jit's `disableLeafSerialization`, which writes built-in scalars unchanged and would write
 * the values of enums instead of their names. Enums with different values are therefore scalars here. The schema does
 * not support introspection, and its fields have no arguments: their resolvers compute them.
 */
export function executionSchema(schema: GraphQLSchema): GraphQLSchema {
  const scalars = new Map<string, GraphQLScalarType>();

  function nameOf(type: GraphQLEnumType): GraphQLScalarType {
    const serialize = (value: unknown) => type.serialize(value);
    const known = scalars.get(type.name) ?? new GraphQLScalarType({ name: `${type.name}Name`, serialize });
    scalars.set(type.name, known);
    return known;
  }

  /** Numbers are checked: a value of TypeScript's `number` can exceed the range of Int, or be no number. */
  function numberOf(type: GraphQLScalarType): GraphQLScalarType {
    const known = scalars.get(type.name) ?? new GraphQLScalarType({ ...type.toConfig(), name: `Checked${type.name}` });
    scalars.set(type.name, known);
    return known;
  }

  function outputType(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(outputType(type.ofType));
    if (isListType(type)) return new GraphQLList(outputType(type.ofType));
    if (isEnumType(type) && !hasOwnNames(type)) return nameOf(type);
    if (type === GraphQLInt || type === GraphQLFloat) return numberOf(type);
    return isEnumType(type) || (isScalarType(type) && type.serialize === asItIs) ? GraphQLString : type;
  }

  const mapped = mapSchema(schema, {
    [MapperKind.COMPOSITE_FIELD]: ({ resolve, ...config }, name, typeName) => {
      const type = schema.getType(typeName);
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      // A property of the parent is read directly. A resolver would be called with its own error handling.
      const isResolved = resolve !== undefined && field !== undefined && !isOfConnection(typeName, name);
      return {
        ...config,
        args: {},
        type: outputType(config.type),
        ...(isResolved ? { resolve: withArguments(field, resolve) } : {}),
      };
    },
  });
  const { types, ...rest } = mapped.toConfig();
  return new GraphQLSchema({ ...rest, types: [...types, coercedVariable], assumeValid: true });
}

/** Computes the arguments of a field by graphql-js, once for each of its places in a query and set of variables. */
function withArguments(
  field: GraphQLField<unknown, unknown>,
  resolve: GraphQLFieldResolver<unknown, unknown>,
): GraphQLFieldResolver<unknown, unknown> {
  if (field.args.length === 0) return resolve;
  return (source, _none, ctx, info) => {
    const [node] = info.fieldNodes;
    if (node === undefined) throw new Error(`The field ${field.name} has no node.`);
    return resolve(source, getArgumentValues(field, node, info.variableValues), ctx, info);
  };
}
/** Whether each name of the enum equals its value. */
function hasOwnNames(type: GraphQLEnumType): boolean {
  return type.getValues().every(({ name, value }) => value === name);
}

/** Whether a field of a connection, or of an edge, is there under its own name. */
function isOfConnection(typeName: string, name: string): boolean {
  if (typeName.endsWith('Connection')) return name === 'edges' || name === 'pageInfo';
  return typeName.endsWith('Edge') && name === 'node';
}
