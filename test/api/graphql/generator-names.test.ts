// Names that code generators cannot use, or only with a configuration. The rules are those of Apollo iOS (its validation of
// names, and its conversion to Swift) and of Apollo Kotlin (its errors UpperCaseField and ReservedEnumValueName).
import { readFileSync } from 'node:fs';
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import type { GraphQLNamedType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/api/graphql/server/schema.js';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** Apollo iOS refuses them. */
const refusedFields = ['__data', 'fragments'];
const refusedArguments = ['self', '_'];

/**
 * Apollo iOS adds a suffix to types of these names. `Error` is the name that interfaces of errors have everywhere, and the
 * others of this list are built-in scalars.
 */
const renamedTypes = [
  'Any',
  'DataDict',
  'DocumentType',
  'Fragments',
  'FragmentContainer',
  'ParentType',
  'Protocol',
  'Schema',
  'Selection',
  'Self',
  'Double',
  'Type',
  '_',
];

/** Apollo iOS: an interface or union of this name is taken for Swift's own. */
const swiftTypes = ['Actor'];

function fieldNames(type: GraphQLNamedType): string[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

function argumentNames(type: GraphQLNamedType): string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return isInputObjectType(type) ? fieldNames(type) : [];
  return Object.values(type.getFields()).flatMap(({ args }) => args.map(({ name }) => name));
}

function enumValues(type: GraphQLNamedType): string[] {
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
}

/** A name as Apollo iOS writes it for a case of an enum. */
function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The names that another name is equal to, once both are converted. */
function collisions(names: string[], convert: (name: string) => string): string[] {
  const converted = names.map(convert);
  return names.filter((_, index) => converted.indexOf(converted[index] ?? '') !== index);
}

describe('Names of the schema, in generated code', () => {
  it('are different for types on a file system that ignores case', () => {
    const names = types.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(300);
    expect(collisions(names, (name) => name.toLowerCase())).toEqual([]);
  });

  it('are not renamed for types', () => {
    const names = types.map(({ name }) => name);
    expect(names.filter((name) => renamedTypes.includes(name) || swiftTypes.includes(name))).toEqual([]);
  });

  it('are accepted for fields and arguments', () => {
    const fields = types.flatMap(fieldNames);
    expect(fields.filter((name) => refusedFields.includes(name) || /^[A-Z_]/.test(name))).toEqual([]);
    expect(types.flatMap(argumentNames).filter((name) => refusedArguments.includes(name))).toEqual([]);
  });

  it('are different for the fields of a type, with capital letters or without', () => {
    const colliding = types.flatMap((type) => collisions(fieldNames(type), (name) => name.toLowerCase()));
    expect(colliding).toEqual([]);
  });

  it('are accepted and different for the values of an enum', () => {
    expect(types.flatMap(enumValues).filter((name) => name === 'type' || /^_|_$|__/.test(name))).toEqual([]);
    expect(types.flatMap((type) => collisions(enumValues(type), camelCase))).toEqual([]);
  });

  it('would be reported', () => {
    expect(collisions(['IN_USE', 'in_use', 'OTHER'], camelCase)).toEqual(['in_use']);
    expect(collisions(['Agent', 'agent'], (name) => name.toLowerCase())).toEqual(['agent']);
  });
});

describe('Custom scalars', () => {
  it('are all in docs/clients.md, with the specification that the schema names', () => {
    const page = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8');
    const listed = Array.from(page.matchAll(/^\| `(\w+)` .*?\]\((\S+)\)/gm), ([, name, url]) => [name, url]);
    const scalars = types.filter((type) => isScalarType(type)).filter((type) => !isSpecifiedScalarType(type));
    expect(listed.toSorted()).toEqual(scalars.map(({ name, specifiedByURL }) => [name, specifiedByURL]).toSorted());
  });
});
