// The number of statements between the start and end of a transaction, for every mutation of the schema. Authentication
// is not included, because it is cached.
import { beforeAll, describe, expect, it } from 'vitest';
import { cases, inputOf, isOfCaller, prepareCases, settingsOfCases } from '../auth/mutation-cases.js';
import type { Case, CaseGround } from '../auth/mutation-cases.js';
import { createKey, graphql, useApp } from '../harness.js';

const running = useApp(settingsOfCases);
let ground: CaseGround;

beforeAll(async () => {
  ground = await prepareCases(running.app);
});

/** Mutations that send more than four, and how many they send with an Idempotency-Key (decision 94). */
const longer: Record<string, readonly [plain: number, keyed: number]> = {
  acceptImageShare: [5, 7],
  acceptInvitation: [11, 13],
  cancelJobExecution: [5, 7],
  createApiKey: [8, 10],
  createEgressIp: [5, 7],
  createOauthClient: [10, 12],
  createWebhook: [8, 10],
  declineInvitation: [7, 9],
  deleteAccount: [5, 7],
  deleteOauthClient: [9, 11],
  deleteWorkspace: [5, 7],
  inviteMember: [10, 12],
  leaveWorkspace: [15, 17],
  redeliverWebhookDelivery: [10, 12],
  registerImageTag: [5, 7],
  redeliverWebhookDeliveries: [6, 8],
  endAccess: [16, 18],
  removeMember: [15, 17],
  revokeAccessToken: [6, 8],
  revokeApiKey: [11, 13],
  revokeExecutor: [5, 7],
  revokeInvitation: [5, 7],
  revokeOauthClient: [15, 17],
  rotateApiKey: [19, 21],
  runJob: [5, 7],
  // One of them reads the limits before the change, for the thresholds that it reaches in all accounts of a plan.
  setQuotas: [6, 8],
  rotateOauthClientSecret: [14, 16],
  testWebhook: [7, 9],
  // People, and what they lose everywhere: rare, by an admin of the platform.
  createServiceAccount: [10, 12],
  createUser: [10, 12],
  deleteServiceAccount: [17, 19],
  deleteUser: [17, 19],
  disableServiceAccount: [20, 22],
  disableUser: [20, 22],
  enableServiceAccount: [16, 18],
  enableUser: [16, 18],
  setMember: [9, 11],
  setUserPassword: [19, 21],
  updateServiceAccount: [16, 18],
  updateUser: [16, 18],
  updateMember: [7, 9],
  updateOauthClient: [13, 15],
};

const isEnd = (sql: string) => /\bcommit\b/i.test(sql.slice(0, 30));

async function statementsOf(mutation: string, tried: Case, idempotencyKey?: string): Promise<number> {
  const { app } = running;
  const input = await inputOf(tried, `${mutation.toLowerCase()}-${idempotencyKey ?? 'plain'}`);
  const { tenant, memberId } = ground;
  // The access of a caller is cached for a moment, so another caller changes the new resource.
  const { key } = await createKey(app, tried.needs === undefined ? { ...tenant, principalId: memberId } : tenant);
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { message } } }`;
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { 'idempotency-key': `${mutation} ${idempotencyKey}` };
  app.statements.length = 0;
  const { body } = await graphql(app, key, query, { input }, headers);
  expect(body.data.result).toMatchObject({ __typename: `${type}Payload` });
  return app.statements.filter((sql) => !isOfCaller(sql) && !isEnd(sql) && !/^begin$/i.test(sql)).length;
}

describe('Every change', () => {
  it.each(Object.entries(cases).filter(([mutation]) => longer[mutation] === undefined && mutation !== 'amendUsage'))(
    'by %s sends at most four statements, and two more with a key',
    async (mutation, tried) => {
      const plain = await statementsOf(mutation, tried);
      expect(plain).toBeLessThanOrEqual(4);
      expect(await statementsOf(mutation, tried, 'keyed')).toBeLessThanOrEqual(plain + 2);
    },
  );

  it('by amendUsage sends at most four statements, one less if the process remembers the series, and six with a key', async () => {
    const tried = cases['amendUsage'];
    if (tried === undefined) throw new Error('there is no amendUsage');
    expect([3, 4]).toContain(await statementsOf('amendUsage', tried));
    expect(await statementsOf('amendUsage', tried, 'keyed')).toBe(6);
  });

  it.each(Object.entries(longer))('by %s sends exactly the listed number', async (mutation, listed) => {
    const tried = cases[mutation];
    if (tried === undefined) throw new Error(`there is no ${mutation}`);
    expect([await statementsOf(mutation, tried), await statementsOf(mutation, tried, 'keyed')]).toEqual(listed);
  });
});
