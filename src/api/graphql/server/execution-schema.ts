// The schema that queries are compiled by. A compiled query checks each leaf by a call, with its path made for the error that
// it hardly ever is: the largest part of a large answer. What is typed where it is made, and is written as it is, needs none.
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
 * The same schema for graphql-jit's `disableLeafSerialization`, which writes leaves of the scalars of GraphQL as they are, and
 * would write the values of enums for their names: those that differ are scalars here. It answers no questions about itself.
 */
export function executionSchema(schema: GraphQLSchema): GraphQLSchema {
  const words = new Map<string, GraphQLScalarType>();

  function wordOf(type: GraphQLEnumType): GraphQLScalarType {
    const serialize = (value: unknown) => type.serialize(value);
    const known = words.get(type.name) ?? new GraphQLScalarType({ name: `${type.name}Word`, serialize });
    words.set(type.name, known);
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
      // A field that its parent has is read, where a resolver is called behind a guard of its own.
      const isResolved = resolve !== undefined && !isOfConnection(typeName, name);
      return { ...field, type: outputType(field.type), ...(isResolved ? { resolve } : {}) };
    },
  });
}

/** Whether each of its names stands for itself. */
function hasOwnNames(type: GraphQLEnumType): boolean {
  return type.getValues().every(({ name, value }) => value === name);
}

/** Whether a field of a connection, or of an edge, is there under its own name. */
function isOfConnection(typeName: string, name: string): boolean {
  if (typeName.endsWith('Connection')) return name === 'edges' || name === 'pageInfo';
  return typeName.endsWith('Edge') && name === 'node';
}
