// The schema for compiled queries. A compiled query checks each leaf value by a call, which is the largest part of the
// time of a large response. Values that are typed in TypeScript and serialized unchanged need no check.
import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLString,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { GraphQLEnumType, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { asItIs } from '../scalars.js';

/**
 * The same schema for graphql-jit's `disableLeafSerialization`, which writes built-in scalars unchanged and would write
 * the values of enums instead of their names. Enums with different values are therefore scalars here. The schema does
 * not support introspection.
 */
export function executionSchema(schema: GraphQLSchema): GraphQLSchema {
  const scalars = new Map<string, GraphQLScalarType>();

  function wordOf(type: GraphQLEnumType): GraphQLScalarType {
    const serialize = (value: unknown) => type.serialize(value);
    const known = scalars.get(type.name) ?? new GraphQLScalarType({ name: `${type.name}Word`, serialize });
    scalars.set(type.name, known);
    return known;
  }

  function outputType(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(outputType(type.ofType));
    if (isListType(type)) return new GraphQLList(outputType(type.ofType));
    if (isEnumType(type) && !hasOwnNames(type)) return wordOf(type);
    return isEnumType(type) || (isScalarType(type) && type.serialize === asItIs) ? GraphQLString : type;
  }

  return mapSchema(schema, {
    [MapperKind.COMPOSITE_FIELD]: ({ resolve, ...field }, name, typeName) => {
      // A property of the parent is read directly. A resolver would be called with its own error handling.
      const isResolved = resolve !== undefined && !isOfConnection(typeName, name);
      return { ...field, type: outputType(field.type), ...(isResolved ? { resolve } : {}) };
    },
  });
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
