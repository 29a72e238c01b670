// Every field of the schema with arguments, with a document that reaches it, and hostile values for each argument and
// each field of each input type.
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { GraphQLArgument, GraphQLField, GraphQLInputType, GraphQLNamedType, GraphQLObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/server/schema.js';

export interface HostileVariables {
  /** The argument or input field, and the problem. */
  what: string;
  variables: Record<string, unknown>;
  /** The name in the error; undefined if the value may be accepted. */
  refusedField: string | undefined;
}

export interface WalkedField {
  /** The type and the field. */
  field: string;
  document: string;
  hostile: HostileVariables[];
}

/** A name that exists in the test, and one that does not. */
export const existingName = 'main';
const unknownName = 'x';

const many = 10_000;
const longText = 'a'.repeat(2 * many);
const wrongItems = Array.from({ length: many }, () => ({ '': 0 }));
const manyEntries = {
  [longText]: 0,
  ...Object.fromEntries(Array.from({ length: many }, (_, index) => [`unknown${index}`, index])),
};

/** Items that a list may have, so each of them is checked by the rules of its type. */
const checkedItems = 1_000;

interface HostileValue {
  what: string;
  value: unknown;
  isRefused: boolean;
}

function hostileValues(type: GraphQLInputType): HostileValue[] {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const broken = Array.from({ length: checkedItems }, () => sampleOf(inner.ofType, '\u0000'));
    return [
      { what: `${many} wrong items`, value: wrongItems, isRefused: true },
      { what: `${checkedItems} items that break rules`, value: broken, isRefused: false },
    ];
  }
  if (isEnumType(inner)) return [{ what: 'a long text that is no value', value: longText, isRefused: true }];
  if (isInputObjectType(inner)) {
    return [{ what: `${many} unknown fields, one with a long name`, value: manyEntries, isRefused: true }];
  }
  const text = { what: 'a long text', value: longText, isRefused: false };
  return inner.name === 'JSON' ? [text, { what: `${many} entries`, value: manyEntries, isRefused: true }] : [text];
}

const samples: Record<string, unknown> = {
  DateTime: '2026-11-20T12:00:00Z',
  Int: 1,
  Float: 1,
  Boolean: true,
  Bytes: 1,
  Decimal: '1',
};

/** A valid value of a type, with required fields only. Mutations are only validated, if they can be. */
function sampleOf(type: GraphQLInputType, text: string): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [sampleOf(inner.ofType, text)];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (!isInputObjectType(inner)) return samples[inner.name] ?? text;
  // Without an id, an object is addressed by its name and those of its parents.
  const id = inner.getFields()['id'];
  const isAddressed = id !== undefined && !isNonNullType(id.type);
  const fields = Object.values(inner.getFields()).filter(
    ({ name, type: fieldType }) =>
      isNonNullType(fieldType) || name === 'validateOnly' || (isAddressed && /^name$|Name$/.test(name)),
  );
  return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field.type, text)]));
}

/** A mutation without validateOnly gets an unknown name, so that it changes nothing. */
function sampleText(root: string, { args }: GraphQLField<unknown, unknown>): string {
  const canValidate = args.some(({ type }) => {
    const input = getNamedType(type);
    return isInputObjectType(input) && input.getFields()['validateOnly'] !== undefined;
  });
  return root === 'mutation' && !canValidate ? unknownName : existingName;
}

type Wrap = (value: unknown) => unknown;

/** Hostile values of an argument, and of the fields of each input type below it that no other argument had. */
function* hostileIn(
  type: GraphQLInputType,
  place: string[],
  wrap: Wrap,
  text: string,
  seen: Set<string>,
): Generator<HostileVariables & { value: unknown }> {
  for (const { what, value, isRefused } of hostileValues(type)) {
    const refusedField = isRefused ? place.at(-1) : undefined;
    yield { what: `${place.join('.')}: ${what}`, value: wrap(value), variables: {}, refusedField };
  }
  const inner = getNamedType(type);
  if (!isInputObjectType(inner) || seen.has(inner.name)) return;
  seen.add(inner.name);
  const base = sampleOf(inner, text);
  const isList = isListType(getNullableType(type));
  for (const field of Object.values(inner.getFields())) {
    const within: Wrap = (value) => {
      const object = { ...(typeof base === 'object' ? base : {}), [field.name]: value };
      return wrap(isList ? [object] : object);
    };
    yield* hostileIn(field.type, [...place, field.name], within, text, seen);
  }
}

/** The selections that lead from a root to a type. */
interface Path {
  root: 'query' | 'mutation' | 'subscription';
  steps: string[];
}

/** Arguments of intermediate fields: one item of a list, and a period. */
function stepOf({ name, args }: GraphQLField<unknown, unknown>): string {
  const values = args.flatMap((arg) => {
    if (arg.name === 'first') return ['first: 1'];
    if (arg.name === 'startTime') return ['startTime: "2026-11-01T00:00:00Z"'];
    return arg.name === 'endTime' ? ['endTime: "2026-11-20T00:00:00Z"'] : [];
  });
  return values.length === 0 ? name : `${name}(${values.join(', ')})`;
}

/** Not a field that finds one thing by its id or name. */
function isPassable({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.every(({ type, name }) => {
    const isLookup = isNonNullType(type) || name === 'id';
    return !isLookup || name === 'startTime' || name === 'endTime';
  });
}

/** A short path to each object type, from Query, through fields of its own type if possible. */
function pathsToTypes(): Map<GraphQLObjectType, Path> {
  const paths = new Map<GraphQLObjectType, Path>();
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  for (const [root, type] of roots) {
    if (type == null) continue;
    paths.set(type, { root, steps: [] });
    for (const takesFragments of [false, true]) addPaths(paths, root, takesFragments);
  }
  return paths;
}

/** Continues from the reached types, breadth first. */
function addPaths(paths: Map<GraphQLObjectType, Path>, root: Path['root'], takesFragments: boolean): void {
  const queue = [...paths.entries()].filter(([, path]) => path.root === root);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [from, { steps }] = next;
    for (const field of Object.values(from.getFields()).filter(isPassable)) {
      for (const to of objectTypes(getNamedType(field.type), takesFragments)) {
        if (paths.has(to)) continue;
        const fragment = to === getNamedType(field.type) ? [] : [`... on ${to.name}`];
        const path = { root, steps: [...steps, stepOf(field), ...fragment] };
        paths.set(to, path);
        queue.push([to, path]);
      }
    }
  }
}

function objectTypes(type: GraphQLNamedType, takesFragments: boolean): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type];
  const isAbstract = isInterfaceType(type) || isUnionType(type);
  return isAbstract && takesFragments ? schema.getPossibleTypes(type) : [];
}

/** Enough of a field's type that its arguments are used. */
function selectionOf(type: GraphQLNamedType): string {
  if (!isCompositeType(type)) return '';
  if (isUnionType(type)) return ' { __typename ... on Error { message } }';
  const fields = Object.values(type.getFields()).filter(({ args }) => args.length === 0);
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const nodes = fields.some(({ name }) => name === 'nodes') ? ['nodes { __typename }'] : [];
  return ` { ${['__typename', ...leaves, ...nodes].join(' ')} }`;
}

function documentOf({ root, steps }: Path, { name, args, type }: GraphQLField<unknown, unknown>): string {
  const variables = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const field = `${name}(${given})${selectionOf(getNamedType(type))}`;
  return `${root} (${variables}) { ${steps.map((step) => `${step} { `).join('')}${field}${' }'.repeat(steps.length)} }`;
}

function requiredVariables(args: readonly GraphQLArgument[], text: string): Record<string, unknown> {
  const required = args.filter(({ type }) => isNonNullType(type));
  return Object.fromEntries(required.map(({ name, type }) => [name, sampleOf(type, text)]));
}

/** @throws for a type with arguments that no document reaches. */
export function walkSchema(): WalkedField[] {
  const paths = pathsToTypes();
  const seen = new Set<string>();
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((type) => {
    const fields = Object.values(type.getFields()).filter(({ args }) => args.length > 0);
    if (type.name.startsWith('__') || fields.length === 0) return [];
    const path = paths.get(type);
    if (path === undefined) throw new Error(`No document reaches ${type.name}`);
    return fields.map((field) => {
      const text = sampleText(path.root, field);
      const usual = requiredVariables(field.args, text);
      const hostile = field.args.flatMap((arg) =>
        [...hostileIn(arg.type, [arg.name], (value) => value, text, seen)].map(({ value, ...each }) => ({
          ...each,
          variables: { ...usual, [arg.name]: value },
        })),
      );
      return { field: `${type.name}.${field.name}`, document: documentOf(path, field), hostile };
    });
  });
}
