// How often a change goes to the database and back, for every mutation of the schema. A statement is one way, and so are the
// beginning and the end of a transaction. Finding out who is calling is no part of it: that is remembered.
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api/graphql/server/schema.js';
import { cases, inputOf, isOfCaller, ofExecutors, prepareCases, settingsOfCases } from '../auth/mutation-cases.js';
import type { Case, CaseGround } from '../auth/mutation-cases.js';
import { createKey, graphql, useApp } from '../harness.js';

const running = useApp(settingsOfCases);
let ground: CaseGround;

beforeAll(async () => {
  ground = await prepareCases(running.app);
});

/** Those that go more often, without an Idempotency-Key and with one (decision 94). */
const dearer: Record<string, readonly [plain: number, keyed: number]> = {
  acceptInvitation: [14, 16],
  amendUsage: [4, 7],
  createApiKey: [9, 11],
  createOauthClient: [8, 10],
  createWebhook: [9, 11],
  declineInvitation: [9, 11],
  deleteOauthClient: [10, 12],
  endSessions: [4, 6],
  inviteMember: [12, 14],
  leave: [16, 18],
  redeliver: [12, 14],
  redeliverWebhookDeliveries: [8, 10],
  removeMember: [16, 18],
  revokeApiKey: [12, 14],
  revokeAuthorization: [6, 8],
  revokeInvitation: [7, 9],
  revokeOauthClient: [16, 18],
  rotateApiKey: [19, 21],
  rotateOauthClientSecret: [14, 16],
  testWebhook: [9, 11],
  updateMember: [11, 13],
  updateOauthClient: [14, 16],
  voidUsage: [4, 6],
};

const isEnd = (sql: string) => /\bcommit\b/i.test(sql.slice(0, 30));

async function roundTripsOf(mutation: string, tried: Case, idempotencyKey?: string): Promise<number> {
  const { app } = running;
  const input = await inputOf(tried, `${mutation.toLowerCase()}-${idempotencyKey ?? 'plain'}`);
  const { tenant, memberId } = ground;
  // What somebody reaches is known for a moment: whoever changes what was just made is somebody else.
  const { key } = await createKey(app, tried.needs === undefined ? { ...tenant, principalId: memberId } : tenant);
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { message } } }`;
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { 'idempotency-key': `${mutation} ${idempotencyKey}` };
  app.statements.length = 0;
  const { body } = await graphql(app, key, query, { input }, headers);
  expect(body.data.result).toMatchObject({ __typename: `${type}Payload` });
  const sent = app.statements.filter((sql) => !isOfCaller(sql) && !isEnd(sql) && !/^begin$/i.test(sql));
  // An embedded database does not tell of the beginning of a transaction.
  return sent.length + (app.statements.some(isEnd) ? 2 : 0);
}

describe('Every change', () => {
  it('is one of those that are counted here, or of executors', () => {
    const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
    expect([...Object.keys(cases), ...ofExecutors].toSorted()).toEqual(mutations.toSorted());
  });

  it.each(Object.entries(cases).filter(([mutation]) => dearer[mutation] === undefined))(
    'by %s goes to the database four times at most, with a key and without',
    async (mutation, tried) => {
      const counted = [await roundTripsOf(mutation, tried), await roundTripsOf(mutation, tried, 'keyed')];
      expect(Math.max(...counted), `${mutation} ${counted.join(' ')}`).toBeLessThanOrEqual(4);
    },
  );

  it.each(Object.entries(dearer))('by %s goes as often as is told', async (mutation, told) => {
    const tried = cases[mutation];
    if (tried === undefined) throw new Error(`there is no ${mutation}`);
    expect([await roundTripsOf(mutation, tried), await roundTripsOf(mutation, tried, 'keyed')]).toEqual(told);
  });

  it.each(['createAgent', 'createVolume', 'createWorkspace'])(
    'by %s is one statement, also under a key',
    async (mutation) => {
      const tried = cases[mutation];
      if (tried === undefined) throw new Error(`there is no ${mutation}`);
      expect(await roundTripsOf(mutation, tried, 'again')).toBe(1);
    },
  );
});
