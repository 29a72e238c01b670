// Each mutation can be tried (validateOnly), be made to depend on a version (ifVersion), and be repeated safely
// (Idempotency-Key). The exceptions are listed with their reasons. test/auth/mutations.slow.test.ts tries each.
import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { mutate } from '../../resources/mutations.js';

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

const lease = 'the lease of the executor decides, and a repeated request has the same effect';

/** Mutations without `validateOnly`. */
const untried: Record<string, string> = {
  executorClaimAssignments: lease,
  executorReportAssignment: lease,
  executorReleaseAssignment: lease,
  executorReportStatus: 'the generation of the deployment decides, and a repeated report has the same effect',
  recordUsage: 'each event has its own result, and its identity makes a repeated request safe',
};

/** Mutations without `ifVersion` that return something with a version. */
const unversioned: Record<string, string> = {
  executorClaimAssignments: lease,
  registerImageTag: 'it records a push that was already made to the registry',
  runJob: 'it creates an execution',
  shareImage: 'it creates a share',
};

/** Mutations that ignore the header Idempotency-Key. */
const unkeyed = untried;

const inputOf = (mutation: string) => {
  const type = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`);
  return isInputObjectType(type) ? type.getFields() : {};
};

/** Whether the payload of a mutation has an object with a version. */
function returnsVersion(mutation: string): boolean {
  const payload = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`);
  if (!isObjectType(payload)) throw new Error(`${mutation} has no payload`);
  return Object.values(payload.getFields()).some(({ type }) => {
    const returned = getNamedType(type);
    return isObjectType(returned) && Object.hasOwn(returned.getFields(), 'version');
  });
}

describe.each(mutations.map((field) => [field.name, field] as const))('%s', (name, field) => {
  it('takes validateOnly, unless it is an exception', () => {
    expect(Object.hasOwn(inputOf(name), 'validateOnly')).toBe(!Object.hasOwn(untried, name));
  });

  it('takes ifVersion if it changes something with a version, unless it is an exception', () => {
    const isNew = name.startsWith('create') || Object.hasOwn(unversioned, name);
    expect(Object.hasOwn(inputOf(name), 'ifVersion')).toBe(returnsVersion(name) && !isNew);
  });

  it('takes an Idempotency-Key, unless it is an exception', () => {
    expect(field.extensions['isIdempotent'] === true).toBe(Object.hasOwn(unkeyed, name));
  });
});

it('the exceptions are mutations', () => {
  const names = mutations.map(({ name }) => name);
  expect(Object.keys({ ...untried, ...unversioned }).filter((name) => !names.includes(name))).toEqual([]);
});

describe('A dry run', () => {
  const running = useApp();
  let tenant: Tenant;
  let key: string;

  beforeAll(async () => {
    tenant = await createTenant(running.app, { account: 'trial', workspaces: ['main'] });
    ({ key } = await createKey(running.app, tenant));
  });

  const run = (mutation: string, fields: string, input: object) => mutate(running.app, key, mutation, fields, input);
  const hook = { name: 'hook', url: 'https://hooks.example.com/in' };

  it('returns no secret that could be used', async () => {
    const trial = { validateOnly: true };
    const keyInput = { name: 'new', scopes: ['agents:list'] };
    const made = await run('createApiKey', 'apiKey { id }', keyInput);
    const client = { name: 'client', scopes: ['agents:list'] };
    await run('createOauthClient', '__typename', client);
    const { webhook } = await run('createWebhook', 'webhook { id }', hook);
    const tried = [
      await run('createApiKey', 'secret apiKey { prefix }', { ...keyInput, ...trial }),
      await run('rotateApiKey', 'secret', { id: made.apiKey.id, ...trial }),
      await run('createOauthClient', 'secret', { ...client, name: 'other', ...trial }),
      await run('rotateOauthClientSecret', 'secret', { name: 'client', ...trial }),
      await run('createWebhook', 'secret', { ...hook, ...trial }),
      await run('rotateWebhookSecret', 'secret', { id: webhook.id, ...trial }),
    ];
    expect(tried.map(({ secret }) => secret)).toEqual(tried.map(() => '***'));
    const { db } = running.app.services;
    expect(await db.apiKey.count({ where: { prefix: tried[0].apiKey.prefix } })).toBe(0);
    const refused = await graphql(running.app, '***', '{ viewer { name } }');
    expect(refused.status).toBe(401);
  });

  it('sends nothing to a webhook', async () => {
    const { db } = running.app.services;
    const { webhook } = await run('createWebhook', 'webhook { id }', hook);
    const before = await db.webhookDelivery.count();
    const { delivery } = await run('testWebhook', 'delivery { status }', { id: webhook.id, validateOnly: true });
    expect(delivery).toEqual({ status: 'WAITING' });
    expect(await db.webhookDelivery.count()).toBe(before);
  });

  it('takes no Idempotency-Key, so that the change itself can be made with it', async () => {
    const query = `mutation ($input: CreateBudgetInput!) { createBudget(input: $input) { __typename } }`;
    const thresholds = [{ percent: 100, measure: 'ACTUAL' }];
    const budget = { account: tenant.accountId, name: 'one', amount: '1', period: 'MONTHLY', thresholds };
    for (const validateOnly of [true, false]) {
      const input = { ...budget, validateOnly };
      const { body } = await graphql(running.app, key, query, { input }, { 'idempotency-key': 'budget' });
      expect(body).toMatchObject({ data: { createBudget: { __typename: 'CreateBudgetPayload' } } });
    }
    expect(await running.app.services.db.budget.count()).toBe(1);
  });
});
