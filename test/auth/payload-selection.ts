// GraphQL documents that select all fields of what a mutation returns.
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
    __typename ... on Error { code message } ... on ${name}Payload { ${selectionOf(payloadOf(mutation), depthMax)} } } }`;
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
