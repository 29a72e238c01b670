// A dry run returns what the change returns: every mutation of the schema, with all fields of its payload. Only random ids,
// times and secrets differ.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, graphql, useApp } from '../harness.js';
import { takes } from './generic-cases.js';
import { cases, inputOf, prepareCases, settingsOfCases } from './mutation-cases.js';
import { documentOf } from './payload-selection.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
const inputs = new Map<string, object>();

/** Keys of the least role that a mutation needs. */
const keys = { owner: '', member: '' };

beforeAll(async () => {
  const { tenant, memberId } = await prepareCases(running.app);
  // Before any request: what a caller can access is cached briefly.
  for (const [index, [mutation, each]] of Object.entries(cases).entries())
    inputs.set(mutation, await inputOf(each, `dry${index}`));
  keys.owner = (await createKey(running.app, tenant)).key;
  keys.member = (await createKey(running.app, { accountId: tenant.accountId, principalId: memberId })).key;
});

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
