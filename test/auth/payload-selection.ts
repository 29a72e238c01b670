// GraphQL documents that select all fields of what a mutation returns, and the comparison of two results.
import { getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import type { GraphQLObjectType } from 'graphql';
import { schema } from '../../src/api/graphql/server/schema.js';
import { typePrefix } from './generic-cases.js';

/** How deep the payloads are selected: an account in a workspace in a resource. */
const depthMax = 4;

/**
 * Selects all fields of a type, and of the objects in it. Lists and counts of other resources are left out: they are those of
 * the database, also after a dry run.
 */
function selectionOf(type: GraphQLObjectType, depth: number): string {
  const selected = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const of = getNamedType(field.type);
    if (isLeafType(of)) return [field.name];
    const isOfOthers = of.name.endsWith('Connection') || field.name === 'executionCounts';
    return isObjectType(of) && depth > 1 && !isOfOthers ? [`${field.name} { ${selectionOf(of, depth - 1)} }`] : [];
  });
  return ['__typename', ...selected].join(' ');
}

function payloadOf(mutation: string): GraphQLObjectType {
  const payload = schema.getType(`${typePrefix(mutation)}Payload`);
  if (!isObjectType(payload)) throw new Error(`${mutation} has no payload`);
  return payload;
}

/** A mutation that selects all fields of its payload as `result`. */
export function documentOf(mutation: string): string {
  const name = typePrefix(mutation);
  return `mutation ($input: ${name}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code message } ... on InvalidInputError { problems { path code message limit actual } }
    ... on ${name}Payload { ${selectionOf(payloadOf(mutation), depthMax)} } } }`;
}

/** A query that selects all fields that the payload of a mutation has of the resource in one of its fields, by its id. */
export function nodeDocumentOf(mutation: string, field: string): string {
  const type = getNamedType(payloadOf(mutation).getFields()[field]?.type);
  if (!isObjectType(type)) throw new Error(`${mutation} returns no object ${field}`);
  return `query ($id: ID!) { node(id: $id) { ... on ${type.name} { ${selectionOf(type, depthMax - 1)} } } }`;
}

/** The field of a payload that has the deleted resource, if it has a global id. */
export function deletedField(mutation: string): string | undefined {
  const name = `${mutation.charAt('delete'.length).toLowerCase()}${mutation.slice('delete'.length + 1)}`;
  const type = getNamedType(payloadOf(mutation).getFields()[name]?.type);
  return isObjectType(type) && type.getInterfaces().some((each) => each.name === 'Node') ? name : undefined;
}

const random = /^(?:.*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}.*|\d{4}-\d\d-\d\dT[\d:.]+Z|wc\w+)$/;
const secrets = ['secret', 'callbackSecret'];

/** A form of the value in which random ids, times and secrets of the same kind are equal. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, secrets.includes(name) ? typeof each : plain(each)]),
    );
  if (typeof value !== 'string') return value;
  const decoded = Buffer.from(value, 'base64url').toString();
  return random.test(value) || random.test(decoded) ? 'random' : value;
}
