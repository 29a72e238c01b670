// A dry run returns what the change returns: every mutation of the schema, with all fields of its payload. Only random ids,
// times and secrets differ.
import { beforeAll, describe, expect, it } from 'vitest';
import { getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { schema } from '../../src/api/graphql/server/schema.js';
import { createKey, graphql, useApp } from '../harness.js';
import { takes, typePrefix } from './generic-cases.js';
import { cases, inputOf, prepareCases, settingsOfCases } from './mutation-cases.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
const inputs = new Map<string, object>();

/** Keys of the least role that a mutation needs. */
const keys = { owner: '', member: '' };

/** How deep the payloads are selected: an account in a workspace in a resource. */
const depthMax = 4;

beforeAll(async () => {
  const { tenant, memberId } = await prepareCases(running.app);
  // Before any request: what a caller can access is cached briefly.
  for (const [index, [mutation, each]] of Object.entries(cases).entries())
    inputs.set(mutation, await inputOf(each, `dry${index}`));
  keys.owner = (await createKey(running.app, tenant)).key;
  keys.member = (await createKey(running.app, { accountId: tenant.accountId, principalId: memberId })).key;
});

function selectionOf(type: GraphQLObjectType, depth: number): string {
  const selected = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const of = getNamedType(field.type);
    if (isLeafType(of)) return [field.name];
    return isObjectType(of) && depth > 1 && isSelected(field, of)
      ? [`${field.name} { ${selectionOf(of, depth - 1)} }`]
      : [];
  });
  return ['__typename', ...selected].join(' ');
}

/** Lists and counts of other resources are those of the database, also after a dry run. */
function isSelected({ name }: GraphQLField<unknown, unknown>, of: GraphQLObjectType): boolean {
  return !of.name.endsWith('Connection') && name !== 'executionCounts';
}

function documentOf(mutation: string): string {
  const name = typePrefix(mutation);
  const payload = schema.getType(`${name}Payload`);
  if (!isObjectType(payload)) throw new Error(`${mutation} has no payload`);
  return `mutation ($input: ${name}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code message } ... on ${name}Payload { ${selectionOf(payload, depthMax)} } } }`;
}

const random = /^(?:.*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}.*|\d{4}-\d\d-\d\dT[\d:.]+Z|wc\w+)$/;

/** A form of the value in which random texts of the same kind are equal. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, name === 'secret' ? typeof each : plain(each)]),
    );
  if (typeof value !== 'string') return value;
  const decoded = Buffer.from(value, 'base64url').toString();
  return random.test(value) || random.test(decoded) ? 'random' : value;
}

const tried = Object.entries(cases).filter(([mutation]) => takes(mutation, 'validateOnly'));

describe.each(tried)('%s', (mutation, { needs }) => {
  it('returns in a dry run what it then returns', async () => {
    const input = inputs.get(mutation);
    const document = documentOf(mutation);
    const key = keys[needs === undefined ? 'member' : 'owner'];
    const dry = await graphql(running.app, key, document, { input: { ...input, validateOnly: true } });
    const made = await graphql(running.app, key, document, { input });
    expect(made.body.data.result).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
    expect(plain(dry.body)).toEqual(plain(made.body));
  });
});
