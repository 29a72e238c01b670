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
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.js';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

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
    const fields = types
      .filter((type) => isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
    const bare = fields.filter(({ field }) => {
      const { description } = getNamedType(field.type);
      const isExplainedByType = Boolean(description) && !isSpecifiedScalarType(getNamedType(field.type));
      return !field.description && !isExplainedByType && !explainThemselves.has(field.name);
    });
    expect(bare.map(({ type, field }) => `${type}.${field.name}`)).toEqual([]);
  });

  it('describes every argument that its name does not explain', () => {
    const fields = types
      .filter((type) => isObjectType(type) || isInterfaceType(type))
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
    const bare = fields.flatMap(({ type, field }) =>
      field.args
        .filter((argument) => !argument.description && !explainThemselves.has(argument.name))
        .map((argument) => `${type}.${field.name}(${argument.name})`),
    );
    expect(bare).toEqual([]);
  });

  it('says of each root field that needs a scope which one', () => {
    const root = schema.getQueryType()?.getFields() ?? {};
    expect(root['agents']?.description).toContain('agents:list');
    expect(root['agent']?.description).toContain('agents:get');
  });
});
