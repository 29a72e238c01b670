// Rules that the whole schema keeps. Names and nullability cannot change after the first release.
import { describe, expect, it } from 'vitest';
import { getNamedType, isInterfaceType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLInterfaceType, GraphQLObjectType } from 'graphql';
import { requiredScopesOf } from '../../../src/api/graphql/required-scopes.js';
import { schema } from '../../../src/api/graphql/server/schema.js';

interface OutputField {
  type: GraphQLInterfaceType | GraphQLObjectType;
  field: GraphQLField<unknown, unknown>;
  /** The type and the field, as in Agent.name. */
  path: string;
}

const roots = new Set(['Query', 'Mutation', 'Subscription']);

const outputFields: OutputField[] = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) || isInterfaceType(type))
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ type, field, path: `${type.name}.${field.name}` })),
  );

const ownFields = outputFields.filter(({ type }) => !roots.has(type.name));

describe('One name', () => {
  /** Fields that are objects. Their names as text end in `Name`. */
  const objects = ['account', 'actor', 'creator', 'job', 'sandbox', 'sourceWorkspace', 'updater', 'vpc', 'workspace'];

  it.each(objects)('%s is an object in every output type', (name) => {
    const found = outputFields.filter(({ field }) => field.name === name);
    const types = new Set(found.map(({ field }) => getNamedType(field.type)));
    expect(types.size).toBeLessThan(2);
    for (const type of types) expect(isObjectType(type)).toBe(true);
  });

  it('reads the name of every object that has one', () => {
    const isNamed = (type: OutputField['type']) => type.getInterfaces().some(({ name }) => name === 'Named');
    // Parts of a resource, of the configuration or of a result, which are no objects of their own.
    const parts =
      /(?:Metadata|^Attachment|^EndAccessPayload|^Env|^VolumeAttachment|^Continent|^Country|^PrivateLocation|^Region|^Named|^ResourceUser)$/;
    const named = outputFields.filter(
      ({ type, field }) => field.name === 'name' && String(field.type) === 'String!' && !parts.test(type.name),
    );
    expect(named.filter(({ type }) => !isNamed(type)).map(({ path }) => path)).toEqual([]);
    // A change, a share, an execution, an assignment, a desired resource and a set of quotas have no name of their own.
    const unnamed = ['Assignment', 'Change', 'DesiredResource', 'Eventful', 'ImageShare', 'JobExecution', 'QuotaSet'];
    const versioned = outputFields.filter(({ field }) => field.name === 'version');
    const versionedTypes = versioned.map(({ type }) => type).filter(({ name }) => !unnamed.includes(name));
    expect(versionedTypes.filter((type) => !isNamed(type)).map(({ name }) => name)).toEqual([]);
  });
});

describe('A field that can be null', () => {
  it('has the reason in its description, or requires a scope', () => {
    const nullable = ownFields.filter(({ field }) => !isNonNullType(field.type));
    const reason = /\bnull\b|\bonly if\b|\bNeeds the scope\b/i;
    const unexplained = nullable.filter(
      ({ field }) => requiredScopesOf(field) === undefined && !reason.test(field.description ?? ''),
    );
    expect(unexplained.map(({ path }) => path)).toEqual([]);
  });

  it('is every root query but the caller, so that one that fails leaves the others', () => {
    const required = outputFields.filter(({ type, field }) => type.name === 'Query' && isNonNullType(field.type));
    expect(required.map(({ field }) => field.name).toSorted()).toEqual(['viewer']);
  });

  it('is every field that requires a scope, so that a missing scope does not remove its object', () => {
    const required = ownFields.filter(
      ({ field }) => isNonNullType(field.type) && requiredScopesOf(field) !== undefined,
    );
    // Reading their object requires the same scope.
    expect(required.map(({ path }) => path).toSorted()).toEqual([
      'EgressGateway.ips',
      'ImageSpec.tags',
      'Vpc.egressGateways',
    ]);
  });

  it('is never the time of creation or of the last update, or the workspace of a resource', () => {
    const nullable = ownFields.filter(({ field }) => !isNonNullType(field.type));
    const times = nullable.filter(({ field }) => ['createdAt', 'updatedAt'].includes(field.name));
    // Executors report the tasks of an execution. A conflict has the time of the resource.
    expect(
      times.filter(({ type }) => !['ConflictError', 'JobTaskMetadata'].includes(type.name)).map(({ path }) => path),
    ).toEqual([]);
    const workspaces = nullable.filter(({ field }) => ['workspace', 'workspaceName'].includes(field.name));
    const isOfResource = (type: OutputField['type']) =>
      type.name.endsWith('Metadata') || type.getInterfaces().some(({ name }) => name === 'Eventful');
    expect(workspaces.filter(({ type }) => isOfResource(type)).map(({ path }) => path)).toEqual([]);
  });
});
