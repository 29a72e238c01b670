// How often a change goes to the database and back. A statement is one way, and so is the beginning of a transaction, which
// is not told of.
import { beforeAll, describe, expect, it } from 'vitest';
import { graphql, useApp } from '../harness.js';
import { killedChanges, prepareGround } from './changes-to-kill.js';
import type { Ground, KilledChange } from './changes-to-kill.js';

const running = useApp();
let ground: Ground;

beforeAll(async () => {
  ground = await prepareGround(running.app);
});

/** What it takes to make a change, but for finding out who is calling. */
async function roundTripsOf(change: KilledChange, idempotencyKey?: string): Promise<number> {
  const { mutation, fields } = change;
  const input = await change.input(ground, `${mutation.toLowerCase()}-${idempotencyKey ?? 'plain'}`);
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { message } ... on ${type}Payload { ${fields} } } }`;
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { 'idempotency-key': `${mutation} ${idempotencyKey}` };
  const { app, key } = ground;
  app.statements.length = 0;
  const { body } = await graphql(app, key, query, { input }, headers);
  expect(body.data.result).toMatchObject({ __typename: `${type}Payload` });
  const sent = app.statements.filter((sql) => !sql.includes('api_key') && !/^(begin|commit)$/i.test(sql));
  return sent.length + (app.statements.some((sql) => /^commit$/i.test(sql)) ? 2 : 0);
}

const ofOthers = /Image|Workspace|ApiKey/;
const ofResources = killedChanges.filter(({ mutation }) => !ofOthers.test(mutation));

describe('A change of a resource', () => {
  it.each(ofResources)(
    'by $mutation goes to the database four times at most, with a key and without',
    async (change) => {
      const plain = await roundTripsOf(change);
      expect(plain).toBeLessThanOrEqual(4);
      const underKey = await roundTripsOf(change, 'keyed');
      expect(underKey).toBeLessThanOrEqual(change.mutation === 'runJob' ? plain + 1 : plain);
    },
  );

  it('that is made by one statement is made by one under a key, too', async () => {
    for (const change of ofResources.filter(({ mutation }) => /^create(Agent|Volume)$/.test(mutation))) {
      expect(await roundTripsOf(change, 'again')).toBe(1);
    }
  });
});

describe('A change of something else', () => {
  it.each(killedChanges.filter((change) => !ofResources.includes(change)))(
    'by $mutation takes two statements more under a key at most',
    async (change) => {
      expect(await roundTripsOf(change, 'keyed')).toBeLessThanOrEqual((await roundTripsOf(change)) + 2);
    },
  );
});
