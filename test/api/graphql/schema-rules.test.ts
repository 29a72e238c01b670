// Rules that the whole schema keeps. Names and nullability cannot change after the first release.
import { describe, expect, it } from 'vitest';
import { getNamedType, isInterfaceType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLInterfaceType, GraphQLObjectType } from 'graphql';
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
    // Parts of a resource or of the configuration, which are no objects of their own.
    const parts =
      /(?:Metadata|^Attachment|^Env|^VolumeAttachment|^Continent|^Country|^PrivateLocation|^Region|^Named)$/;
    const named = outputFields.filter(
      ({ type, field }) => field.name === 'name' && String(field.type) === 'String!' && !parts.test(type.name),
    );
    expect(named.filter(({ type }) => !isNamed(type)).map(({ path }) => path)).toEqual([]);
    // A change, a share, an execution and an assignment have no name of their own.
    const unnamed = ['Assignment', 'Change', 'Eventful', 'ImageShare', 'JobExecution'];
    const versioned = outputFields.filter(({ field }) => field.name === 'version');
    const versionedTypes = versioned.map(({ type }) => type).filter(({ name }) => !unnamed.includes(name));
    expect(versionedTypes.filter((type) => !isNamed(type)).map(({ name }) => name)).toEqual([]);
  });
});

describe('A field that can be null', () => {
  // The values of other errors than the one that they belong to are null.
  const exempt = new Set(['ConflictError.details']);

  it('says why in its description: when it is null, or what it needs', () => {
    const nullable = ownFields.filter(({ field, path }) => !isNonNullType(field.type) && !exempt.has(path));
    const reason = /\bnull\b|\bonly if\b|\bNeeds (?:the|an) /i;
    expect(nullable.filter(({ field }) => !reason.test(field.description ?? '')).map(({ path }) => path)).toEqual([]);
  });

  it('is every root query but the caller, so that one that fails leaves the others', () => {
    const required = outputFields.filter(({ type, field }) => type.name === 'Query' && isNonNullType(field.type));
    expect(required.map(({ field }) => field.name).toSorted()).toEqual(['viewer']);
  });

  it('is every field that needs another scope than its object, so that it does not take the object along', () => {
    const scopesOf = (text: string | null | undefined) =>
      [...(text ?? '').matchAll(/[Nn]eeds? (?:the|an?) [^.]*?scopes? ([\w:]+)/g)].map(([, scope]) => scope);
    // The scopes of the types in these fields are for reading them elsewhere.
    const isPayload = (name: string) => /(?:Payload|Edge|Connection)$/.test(name);
    const losing = ownFields.filter(
      ({ type, field }) =>
        isNonNullType(field.type) &&
        !isPayload(type.name) &&
        field.name !== 'overview' &&
        scopesOf(field.description).some((scope) => !scopesOf(type.description).includes(scope)),
    );
    // The tags of an image are read through its spec.
    expect(losing.map(({ path }) => path)).toEqual(['ImageSpec.tags']);
  });

  it('is never the time of creation or of the last update, or the workspace of a resource', () => {
    const nullable = ownFields.filter(({ field }) => !isNonNullType(field.type));
    const times = nullable.filter(({ field }) => ['createdAt', 'updatedAt'].includes(field.name));
    // Executors report the tasks of an execution.
    expect(times.filter(({ type }) => type.name !== 'JobTaskMetadata').map(({ path }) => path)).toEqual([]);
    const workspaces = nullable.filter(({ field }) => ['workspace', 'workspaceName'].includes(field.name));
    const isOfResource = (type: OutputField['type']) =>
      type.name.endsWith('Metadata') || type.getInterfaces().some(({ name }) => name === 'Eventful');
    expect(workspaces.filter(({ type }) => isOfResource(type)).map(({ path }) => path)).toEqual([]);
  });
});
