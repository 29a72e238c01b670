import { readFileSync } from 'node:fs';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import type { GraphQLInputType, GraphQLNamedType, GraphQLOutputType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.js';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

interface Described {
  name: string;
  description: string | null | undefined;
  type: GraphQLInputType | GraphQLOutputType;
}

/** Every field of every type. */
const fields = types.flatMap((type): { name: string; field: Described }[] => {
  const own: Record<string, Described> =
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
  return Object.values(own).map((field) => ({ name: `${type.name}.${field.name}`, field }));
});

/** Fields and arguments whose name says all there is to say. */
const explainThemselves = new Set(['createdAt', 'enabled', 'id', 'ids', 'key', 'name', 'type', 'updatedAt', 'value']);

describe('The schema', () => {
  it('is the one of schema.graphql', () => {
    const file = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(file);
  });

  it('describes every type', () => {
    expect(types.filter((type) => !type.description).map((type) => type.name)).toEqual([]);
  });

  it('describes every value of every enum', () => {
    const values = types.filter(isEnumType).flatMap((type) => type.getValues().map((value) => ({ type, value })));
    expect(values.filter(({ value }) => !value.description).map(({ type, value }) => `${type}.${value.name}`)).toEqual(
      [],
    );
  });

  it('describes every field that neither its name nor its type explains', () => {
    const bare = fields.filter(({ field }) => {
      const type: GraphQLNamedType = getNamedType(field.type);
      const isExplainedByType = Boolean(type.description) && !isSpecifiedScalarType(type);
      return !field.description && !isExplainedByType && !explainThemselves.has(field.name);
    });
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('describes every argument that its name does not explain', () => {
    const withArguments = types
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()).flatMap((field) => field.args.map((arg) => ({ field, arg }))));
    const bare = withArguments.filter(({ arg }) => !arg.description && !explainThemselves.has(arg.name));
    expect(bare.map(({ field, arg }) => `${field.name}(${arg.name})`)).toEqual([]);
  });

  it('says of each root field that needs a scope which one', () => {
    const root = schema.getQueryType()?.getFields() ?? {};
    expect(root['agents']?.description).toContain('agents:list');
    expect(root['agent']?.description).toContain('agents:get');
  });
});
