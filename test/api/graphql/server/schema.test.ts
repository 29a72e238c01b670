import { readFileSync } from 'node:fs';
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import type { GraphQLInputType, GraphQLOutputType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { printPricedSchema } from '../../../../src/api/graphql/cost-directives.js';
import { errorCodes, problemCodes } from '../../../../src/error-codes.js';
import { printErrorsPage } from '../../../../src/api/graphql/server/errors-page.js';
import { scopesText } from '../../../../src/api/graphql/required-scopes.js';
import { schema } from '../../../../src/api/graphql/server/schema.js';

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

describe('The schema', () => {
  it('equals schema.graphql', () => {
    const file = readFileSync(new URL('../../../../schema.graphql', import.meta.url), 'utf8');
    expect(printPricedSchema(schema)).toBe(file);
  });

  it('contains the error codes that docs/errors.md describes', () => {
    const file = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
    expect(printErrorsPage()).toBe(file);
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

  it('describes every field', () => {
    expect(fields.filter(({ field }) => !field.description).map(({ name }) => name)).toEqual([]);
  });

  it('describes every argument, including those of directives', () => {
    const withArguments = types
      .filter((type) => isObjectType(type) || isInterfaceType(type))
      .flatMap((type) =>
        Object.values(type.getFields()).map(({ name, args }) => ({ name: `${type.name}.${name}`, args })),
      );
    const all = [...withArguments, ...schema.getDirectives().map(({ name, args }) => ({ name: `@${name}`, args }))];
    const bare = all.flatMap(({ name, args }) =>
      args.filter((arg) => !arg.description).map((arg) => `${name}(${arg.name})`),
    );
    expect(bare).toEqual([]);
  });

  it('names the specification of every custom scalar', () => {
    const scalars = types.filter(isScalarType);
    expect(scalars.map(({ name }) => name)).toEqual(expect.arrayContaining(['DateTime', 'Decimal', 'JSON']));
    expect(scalars.filter(({ specifiedByURL }) => !URL.canParse(specifiedByURL ?? '')).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it('contains every error code as a value of an enum, spelled identically', () => {
    const valuesOf = (name: string) => {
      const type = schema.getType(name);
      return isEnumType(type) ? type.getValues().map((value) => value.name) : [];
    };
    expect(valuesOf('ErrorCode').toSorted()).toEqual(Object.keys(errorCodes).toSorted());
    expect(valuesOf('ProblemCode')).toEqual(
      expect.arrayContaining([...Object.keys(errorCodes), ...Object.keys(problemCodes)]),
    );
  });

  it('states the cost of each field as the query cost counts it', () => {
    const text = printPricedSchema(schema);
    const sized = '@cost(weight: "5") @listSize(assumedSize: 50, slicingArguments: ["first", "last"])';
    expect(text).toContain(`): VpcConnection ${sized}`);
    expect(text).toContain('timeseries: [CostBucket!]! @cost(weight: "5") @listSize(assumedSize: 10)');
    expect(text).toContain('directive @cost(');
  });

  it('has the scopes of a field as a directive, and introspection has them in the description', () => {
    const text = printPricedSchema(schema);
    expect(text).toContain('): Agent @requiresScopes(scopes: [["agents:get"]])');
    expect(text).toContain('@requiresScopes(scopes: [["agents:get", "sandboxes:get"]])');
    expect(text).toContain('directive @requiresScopes(');
    expect(text).not.toContain('Required scopes');
    const root = schema.getQueryType()?.getFields() ?? {};
    expect(root['agents']?.description).toMatch(/\.\n\nRequired scopes: `agents:list`\.$/);
    expect(root['viewer']?.description).not.toContain('scope:');
    expect(scopesText([['agents:get', 'sandboxes:get'], ['jobs:get']])).toBe(
      'Required scopes: `agents:get` and `sandboxes:get`, or `jobs:get`.',
    );
  });
});
