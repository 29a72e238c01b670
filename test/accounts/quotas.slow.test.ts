// Limits of accounts, workspaces, regions and plans: what they refuse, and how their use is reported.
import { beforeAll, describe, expect, it } from 'vitest';
import { quotaResourceNames } from '../../src/accounts/quota.js';
import { recordQuotaCrossings } from '../../src/accounts/record-quota-crossings.js';
import { resourceKinds } from '../../src/resource-kinds.js';
import { insertAgents } from '../../src/demo/rows/agent-input.js';
import { isEmbedded } from '../database-kind.js';
import { createKey, createTenant, graphql, rest, startOn, useApp } from '../harness.js';
import type { Tenant, TestApp } from '../harness.js';
import { usageEvent } from '../metering/usage-samples.js';
import { addRegions, historyOf, keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
let platformKey: string;

beforeAll(async () => {
  const { app } = running;
  const platform = await createTenant(app, { account: 'platform', workspaces: ['platform-main'] });
  ({ key: platformKey } = await createKey(app, platform));
  await addRegions(app);
});

interface Ground {
  tenant: Tenant;
  key: string;
  name: string;
}

let grounds = 0;

/** A new account with the workspaces `<name>-main` and `<name>-side`. */
async function newAccount(): Promise<Ground> {
  const name = `tenant-${++grounds}`;
  const tenant = await createTenant(running.app, { account: name, workspaces: [`${name}-main`, `${name}-side`] });
  const { key } = await createKey(running.app, tenant);
  return { tenant, key, name };
}

type Limits = Record<string, number | null>;

/** Sets limits as an admin of the platform. */
async function set(which: object, limits: Limits, more: object = {}) {
  const list = Object.entries(limits).map(([resource, limit]) => ({ resource, limit }));
  const fields =
    'quotaSet { version accountName workspaceName region planName quotas { resource limit used isDefault } }';
  return mutate(running.app, platformKey, 'setQuotas', fields, { ...which, limits: list, ...more });
}

const make = ({ key, name }: Ground, mutation: string, input: object) =>
  mutate(running.app, key, mutation, '__typename', { workspace: `${name}-main`, ...input });

/** Like a client that repeats a change after 503, which a busy machine may answer when many callers come at once. */
async function insist(app: TestApp, ground: Ground, mutation: string, input: object) {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { code message } } }`;
  for (;;) {
    const { body } = await graphql(app, ground.key, query, { input: { workspace: `${ground.name}-main`, ...input } });
    if (body.errors?.[0].extensions.code === 'unavailable') continue;
    expect(body.errors).toBeUndefined();
    return body.data.result;
  }
}

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });

/** The quotas of an account and of its first workspace. */
async function quotasOf({ key, name }: Ground) {
  const query = `query ($workspace: String!) {
    viewer { accounts { quotas { resource limit used isDefault } regionQuotas { region resource limit used } } }
    workspace(name: $workspace) { quotas { resource limit used } } }`;
  const { body } = await graphql(running.app, key, query, { workspace: `${name}-main` });
  expect(body.errors).toBeUndefined();
  const [account] = body.data.viewer.accounts;
  return { account: account.quotas, regions: account.regionQuotas, workspace: body.data.workspace.quotas };
}

const runtime = (memory: number, more: object = {}) => ({ runtime: { memory, ...more } });

describe('A limit on the number of a kind', () => {
  /** Creates one resource of a kind, after what it needs. */
  const creations: Record<string, (ground: Ground, name: string) => Promise<unknown>> = {
    AGENT: (ground, name) => make(ground, 'createAgent', named(name)),
    SANDBOX: (ground, name) => make(ground, 'createSandbox', named(name)),
    JOB: (ground, name) => make(ground, 'createJob', named(name)),
    VOLUME: (ground, name) => make(ground, 'createVolume', named(name, { region: 'eu-open', sizeMb: 10 })),
    VPC: (ground, name) => make(ground, 'createVpc', named(name)),
    SANDBOX_PREVIEW: async (ground, name) => {
      await make(ground, 'createSandbox', named('box'));
      return make(ground, 'createSandboxPreview', { sandboxName: 'box', ...named(name, { port: 80 }) });
    },
    EGRESS_GATEWAY: async (ground, name) => {
      await make(ground, 'createVpc', named('net'));
      return make(ground, 'createEgressGateway', { vpcName: 'net', ...named(name, { region: 'eu-egress' }) });
    },
    EGRESS_IP: async (ground, name) => {
      await make(ground, 'createVpc', named('net'));
      await make(ground, 'createEgressGateway', { vpcName: 'net', ...named('gate', { region: 'eu-egress' }) });
      return make(ground, 'createEgressIp', { vpcName: 'net', gatewayName: 'gate', ...named(name) });
    },
    IMAGE: (ground, name) => tagOf(ground, name, 'v1'),
    IMAGE_TAG: (ground, name) => tagOf(ground, 'image', name),
    IMAGE_SHARE: async (ground, name) => {
      await tagOf(ground, name, 'v1');
      const share = { resourceType: 'JOBS', name, targetWorkspace: `${ground.name}-side` };
      return make(ground, 'shareImage', share);
    },
    JOB_EXECUTION: async (ground) => {
      await make(ground, 'createJob', named('job'));
      return make(ground, 'runJob', { name: 'job' });
    },
    CONCURRENT_EXECUTIONS: async (ground) => {
      await make(ground, 'createJob', named('job'));
      return make(ground, 'runJob', { name: 'job' });
    },
  };

  const tagOf = (ground: Ground, imageName: string, name: string) =>
    make(ground, 'registerImageTag', { resourceType: 'JOBS', imageName, tag: { name, size: 1 } });

  it('has a case here for every kind', () => {
    expect(Object.keys(creations)).toEqual(expect.arrayContaining(Object.keys(resourceKinds)));
    const others = ['INSTANCES', 'MEMORY', 'USAGE_EVENTS'];
    expect([...Object.keys(creations), ...others].toSorted()).toEqual(quotaResourceNames.toSorted());
  });

  it.each(Object.entries(creations))(
    'refuses one more %s, and names the limit, the use and the remedy',
    async (kind, create) => {
      const ground = await newAccount();
      await set({ account: ground.name }, { [kind]: 2 });
      expect(await create(ground, 'one')).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
      expect(await create(ground, 'two')).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
      const refused = await create(ground, 'three');
      expect(refused).toMatchObject({ __typename: 'ConflictError', code: 'quota_exceeded', limit: 2, actual: 3 });
      expect(refused).toMatchObject({
        message: expect.stringContaining(`Ask the platform's administrators to raise its quota ${kind}.`),
      });
      expect((await quotasOf(ground)).account).toEqual([{ resource: kind, limit: 2, used: 2, isDefault: false }]);
    },
  );

  it('is free again after a deletion', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 1 });
    await make(ground, 'createAgent', named('one'));
    expect(await make(ground, 'createAgent', named('two'))).toMatchObject({ code: 'quota_exceeded' });
    await make(ground, 'deleteAgent', { name: 'one' });
    expect(await make(ground, 'createAgent', named('two'))).toMatchObject({ __typename: 'CreateAgentPayload' });
  });

  it('counts all workspaces of the account, and nothing of another account', async () => {
    const [ground, other] = [await newAccount(), await newAccount()];
    await set({ account: ground.name }, { AGENT: 2 });
    for (const name of ['one', 'two', 'three']) {
      expect(await make(other, 'createAgent', named(name))).toMatchObject({ __typename: 'CreateAgentPayload' });
    }
    await make(ground, 'createAgent', named('one'));
    const side = { workspace: `${ground.name}-side` };
    expect(await make(ground, 'createAgent', { ...named('one'), ...side })).toMatchObject({
      __typename: 'CreateAgentPayload',
    });
    expect(await make(ground, 'createAgent', { ...named('two'), ...side })).toMatchObject({ limit: 2, actual: 3 });
    expect((await quotasOf(other)).account).toEqual([]);
  });

  it('refuses a dry run, too, and frees an idempotency key', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 0 });
    expect(await make(ground, 'createAgent', { ...named('one'), validateOnly: true })).toMatchObject({
      code: 'quota_exceeded',
    });
    const query = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) { __typename } }`;
    const input = { workspace: `${ground.name}-main`, ...named('one') };
    const keyed = () => graphql(running.app, ground.key, query, { input }, { 'idempotency-key': 'one' });
    expect((await keyed()).body.data.createAgent).toEqual({ __typename: 'ConflictError' });
    await set({ account: ground.name }, { AGENT: 1 });
    expect((await keyed()).body.data.createAgent).toEqual({ __typename: 'CreateAgentPayload' });
    expect((await keyed()).body.data.createAgent).toEqual({ __typename: 'CreateAgentPayload' });
  });

  it('also limits what is imported past the API', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 1 });
    const { db, encryption } = running.app.services;
    const metadata = { createdAt: '2026-11-20T12:00:00.000Z', updatedAt: '2026-11-20T12:00:00.000Z' };
    const agents = ['a', 'b'].map((name) => ({ metadata: { name, ...metadata }, spec: {} }));
    const { workspaces } = ground.tenant;
    const importing = db.$begin((tx) => insertAgents(tx, encryption, workspaces[`${ground.name}-main`] ?? '', agents));
    await expect(importing).rejects.toMatchObject({ error: 'quota_exceeded', exceeded: { limit: 1, actual: 2 } });
    expect((await quotasOf(ground)).account).toMatchObject([{ used: 0 }]);
  });
});

describe('A limit on instances and memory', () => {
  it('counts the memory of enabled agents, sandboxes and jobs, times their instances', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { MEMORY: 100_000, INSTANCES: 100 });
    await make(ground, 'createAgent', named('a', runtime(1_024, { minScale: 1, maxScale: 3 })));
    await make(ground, 'createAgent', named('b', runtime(1_024, { minScale: 2 })));
    await make(ground, 'createAgent', named('off', { enabled: false, ...runtime(1_024, { maxScale: 9 }) }));
    await make(ground, 'createSandbox', named('s', runtime(2_048)));
    await make(ground, 'createJob', named('j', { ...runtime(512), parallelism: 4 }));
    expect((await quotasOf(ground)).account).toEqual([
      { resource: 'INSTANCES', limit: 100, used: 3 + 2 + 1 + 4, isDefault: false },
      { resource: 'MEMORY', limit: 100_000, used: 3_072 + 2_048 + 2_048 + 2_048, isDefault: false },
    ]);
  });

  it('refuses to create, to scale up, to add memory and to enable above it', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { MEMORY: 4_096, INSTANCES: 4 });
    await make(ground, 'createAgent', named('a', runtime(1_024, { maxScale: 2 })));
    await make(ground, 'createAgent', named('off', { enabled: false, ...runtime(1_024, { maxScale: 3 }) }));
    const update = (name: string, spec: object) => make(ground, 'updateAgent', { name, spec });
    expect(await make(ground, 'createSandbox', named('s', runtime(4_096)))).toMatchObject({
      limit: 4_096,
      actual: 6_144,
    });
    expect(await update('a', { runtime: { maxScale: 5 } })).toMatchObject({
      code: 'quota_exceeded',
      limit: 4,
      actual: 5,
    });
    expect(await update('a', { runtime: { memory: 3_072 } })).toMatchObject({ limit: 4_096, actual: 6_144 });
    expect(await update('off', { enabled: true })).toMatchObject({ limit: 4, actual: 5 });
    expect(await update('a', { runtime: { maxScale: 4 } })).toMatchObject({ __typename: 'UpdateAgentPayload' });
  });

  it('lets what exists be changed and made smaller after it was lowered', async () => {
    const ground = await newAccount();
    await make(ground, 'createAgent', named('a', runtime(1_024, { maxScale: 4 })));
    expect((await set({ account: ground.name }, { MEMORY: 1_024, AGENT: 0 })).quotaSet.quotas).toMatchObject([
      { resource: 'AGENT', limit: 0, used: 1 },
      { resource: 'MEMORY', limit: 1_024, used: 4_096 },
    ]);
    const update = (input: object) => make(ground, 'updateAgent', { name: 'a', ...input });
    expect(await update({ metadata: { displayName: 'A' } })).toMatchObject({ __typename: 'UpdateAgentPayload' });
    expect(await update({ spec: { runtime: { maxScale: 3 } } })).toMatchObject({ __typename: 'UpdateAgentPayload' });
    expect(await update({ spec: { runtime: { maxScale: 4 } } })).toMatchObject({ limit: 1_024, actual: 4_096 });
  });
});

describe('Limits of a workspace and of a region', () => {
  it('apply beside that of the account', async () => {
    const ground = await newAccount();
    await set({ workspace: `${ground.name}-main` }, { AGENT: 1 });
    await set({ account: ground.name, region: 'eu-open' }, { AGENT: 1, MEMORY: 1_000 });
    const side = { workspace: `${ground.name}-side` };
    await make(ground, 'createAgent', named('one', { region: 'eu-open', ...runtime(600) }));
    expect(await make(ground, 'createAgent', named('two'))).toMatchObject({
      limit: 1,
      actual: 2,
      message: expect.stringContaining(`The workspace ${ground.name}-main may have at most 1 agents`),
    });
    expect(await make(ground, 'createAgent', { ...named('two', { region: 'eu-open' }), ...side })).toMatchObject({
      limit: 1,
      actual: 2,
      message: expect.stringContaining('in the region eu-open'),
    });
    expect(await make(ground, 'createSandbox', named('s', { region: 'eu-open', ...runtime(600) }))).toMatchObject({
      limit: 1_000,
      actual: 1_200,
    });
    expect(await make(ground, 'createAgent', { ...named('two'), ...side })).toMatchObject({
      __typename: 'CreateAgentPayload',
    });
    // A move into the region grows it.
    expect(await make(ground, 'updateAgent', { ...side, name: 'two', spec: { region: 'eu-open' } })).toMatchObject({
      code: 'quota_exceeded',
    });
    expect(await quotasOf(ground)).toEqual({
      account: [],
      regions: [
        { region: 'eu-open', resource: 'AGENT', limit: 1, used: 1 },
        { region: 'eu-open', resource: 'MEMORY', limit: 1_000, used: 600 },
      ],
      workspace: [{ resource: 'AGENT', limit: 1, used: 1 }],
    });
  });

  it('count resources whose region is that of their parent', async () => {
    const ground = await newAccount();
    const region = { account: ground.name, region: 'eu-open' };
    await set(region, { SANDBOX_PREVIEW: 1, CONCURRENT_EXECUTIONS: 1 });
    await make(ground, 'createSandbox', named('box', { region: 'eu-open' }));
    await make(ground, 'createJob', named('job', { region: 'eu-open' }));
    await make(ground, 'runJob', { name: 'job' });
    const preview = (name: string) =>
      make(ground, 'createSandboxPreview', { sandboxName: 'box', ...named(name, { port: 80 }) });
    await preview('one');
    expect(await preview('two')).toMatchObject({ limit: 1, actual: 2 });
    expect(await make(ground, 'runJob', { name: 'job' })).toMatchObject({ limit: 1, actual: 2 });
  });
});

describe('A parent that moves to another region', () => {
  const into = (ground: Ground, limits: Limits) => set({ account: ground.name, region: 'eu-egress' }, limits);
  const regionsOf = async (ground: Ground) => (await quotasOf(ground)).regions;

  it('takes its previews past no limit of that region, except those with a region of their own', async () => {
    const ground = await newAccount();
    await set({ account: ground.name, region: 'eu-open' }, { SANDBOX_PREVIEW: 9 });
    await make(ground, 'createSandbox', named('box', { region: 'eu-open' }));
    const preview = (name: string, spec: object = {}) =>
      make(ground, 'createSandboxPreview', { sandboxName: 'box', ...named(name, { port: 80, ...spec }) });
    for (const name of ['one', 'two', 'three']) await preview(name);
    await preview('own', { region: 'eu-open' });
    const move = () => make(ground, 'updateSandbox', { name: 'box', spec: { region: 'eu-egress' } });
    await into(ground, { SANDBOX_PREVIEW: 2 });
    expect(await move()).toMatchObject({ code: 'quota_exceeded', limit: 2, actual: 3 });
    await into(ground, { SANDBOX_PREVIEW: 3 });
    expect(await move()).toMatchObject({ __typename: 'UpdateSandboxPayload' });
    expect(await regionsOf(ground)).toMatchObject([
      { region: 'eu-egress', used: 3 },
      { region: 'eu-open', used: 1 },
    ]);
    await make(ground, 'deleteSandbox', { name: 'box' });
    expect((await regionsOf(ground)).map(({ used }: { used: number }) => used)).toEqual([0, 0]);
  });

  it('takes its executions past no limit of that region', async () => {
    const ground = await newAccount();
    await make(ground, 'createJob', named('job', { region: 'eu-open' }));
    for (let run = 0; run < 3; run++) await make(ground, 'runJob', { name: 'job' });
    const move = () => make(ground, 'updateJob', { name: 'job', spec: { region: 'eu-egress' } });
    await into(ground, { CONCURRENT_EXECUTIONS: 2 });
    expect(await move()).toMatchObject({ code: 'quota_exceeded', limit: 2, actual: 3 });
    await into(ground, { CONCURRENT_EXECUTIONS: 3, JOB_EXECUTION: 2 });
    expect(await move()).toMatchObject({ code: 'quota_exceeded', limit: 2, actual: 3 });
    await into(ground, { JOB_EXECUTION: 3 });
    expect(await move()).toMatchObject({ __typename: 'UpdateJobPayload' });
    expect(await regionsOf(ground)).toMatchObject([
      { resource: 'CONCURRENT_EXECUTIONS', used: 3 },
      { resource: 'JOB_EXECUTION', used: 3 },
    ]);
  });
});

describe('A plan', () => {
  it('has the default limits of its accounts, which their own replace', async () => {
    const ground = await newAccount();
    const { db } = running.app.services;
    const plan = `plan-${ground.name}`;
    await db.account.update({ where: { id: ground.tenant.accountId }, data: { plan } });
    expect((await set({ plan }, { AGENT: 1, JOB: 1 })).quotaSet).toMatchObject({
      planName: plan,
      accountName: null,
      version: 1,
      quotas: [
        { resource: 'AGENT', limit: 1, used: null },
        { resource: 'JOB', limit: 1, used: null },
      ],
    });
    await make(ground, 'createAgent', named('one'));
    expect(await make(ground, 'createAgent', named('two'))).toMatchObject({ code: 'quota_exceeded', limit: 1 });
    await set({ account: ground.name }, { AGENT: 2 });
    expect(await make(ground, 'createAgent', named('two'))).toMatchObject({ __typename: 'CreateAgentPayload' });
    const query = `{ viewer { accounts { quotas { resource limit used isDefault } } } }`;
    const { body } = await graphql(running.app, (await createKey(running.app, ground.tenant)).key, query);
    expect(body.data.viewer.accounts[0].quotas).toEqual([
      { resource: 'AGENT', limit: 2, used: 2, isDefault: false },
      { resource: 'JOB', limit: 1, used: 0, isDefault: true },
    ]);
    await set({ account: ground.name }, { AGENT: null });
    expect(await make(ground, 'createAgent', named('three'))).toMatchObject({ limit: 1, actual: 3 });
  });
});

describe('A limit on usage events per minute', () => {
  const event = (ground: Ground, id: string) =>
    usageEvent(1, { id, account: ground.tenant.accountId, workspace: `${ground.name}-main` });
  const send = async (ground: Ground, ids: string[]) => {
    const body = JSON.stringify(ids.map((id) => event(ground, id)));
    const headers = { authorization: `Bearer ${ground.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${running.app.origin}/v0/usage/events`, { method: 'POST', headers, body });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  };

  it('refuses more with 429 in the form of REST, and records nothing of it', async () => {
    const [ground, other] = [await newAccount(), await newAccount()];
    await set({ account: ground.name }, { USAGE_EVENTS: 3 });
    expect((await send(ground, ['1', '2'])).status).toBe(200);
    const refused = await send(ground, ['3', '4']);
    expect(refused).toMatchObject({ status: 429, body: { code: 429, error: 'too_many_requests' } });
    expect(refused.body.message).toContain("may send at most 3 usage events per minute (got 4). Ask the platform's");
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect((await send(ground, ['3'])).status).toBe(200);
    expect((await send(other, ['1', '2', '3', '4', '5'])).status).toBe(200);
    const query = `mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { __typename } }`;
    const { body } = await graphql(running.app, ground.key, query, { input: { events: [event(ground, '9')] } });
    expect(body.errors[0].extensions).toMatchObject({ code: 'too_many_requests', limit: 3, actual: 4 });
    // The next minute begins at zero.
    const { db } = running.app.services;
    const { accountId } = ground.tenant;
    await db.quotaMinute.updateMany({ where: { accountId }, data: { minute: { decrement: 1 } } });
    expect((await send(ground, ['5', '6', '7'])).status).toBe(200);
  });

  it('refuses a request that fits into no minute for good, without Retry-After', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { USAGE_EVENTS: 3 });
    const refused = await send(ground, ['1', '2', '3', '4']);
    expect(refused).toMatchObject({ status: 409, retryAfter: null, body: { error: 'quota_exceeded' } });
    expect(refused.body.message).toContain(
      'at most 3 usage events per minute, and this request has 4. Send at most 3 events',
    );
    // It does not count.
    expect((await send(ground, ['1', '2', '3'])).status).toBe(200);
    await set({ account: ground.name }, { USAGE_EVENTS: 0 });
    expect(await send(ground, ['5'])).toMatchObject({ status: 409, retryAfter: null });
  });

  it('refuses a request of several chunks that fits into no minute for good', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { USAGE_EVENTS: 3_000 });
    const ids = Array.from({ length: 5_001 }, (_, index) => `c${index}`);
    const refused = await send(ground, ids);
    expect(refused).toMatchObject({ status: 409, retryAfter: null });
    expect(refused.body.message).toContain('and this request has 5001');
    expect((await send(ground, ids.slice(0, 3_000))).body).toMatchObject({ accepted: 3_000 });
  });

  it('cuts a stream to what fits, so that a client that obeys Retry-After comes to its end', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { USAGE_EVENTS: 4 });
    const { db } = running.app.services;
    const { accountId } = ground.tenant;
    const nextMinute = () => db.quotaMinute.updateMany({ where: { accountId }, data: { minute: { decrement: 1 } } });
    const stream = async (ids: string[]) => {
      const headers = { authorization: `Bearer ${ground.key}`, 'content-type': 'application/x-ndjson' };
      const body = ids.map((id) => JSON.stringify(event(ground, id))).join('\n');
      const response = await fetch(`${running.app.origin}/v0/usage/events`, { method: 'POST', headers, body });
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
    };
    const ids = Array.from({ length: 10 }, (_, index) => `l${index}`);
    const first = await stream(ids);
    expect(first).toMatchObject({ status: 429, retryAfter: expect.any(String) });
    expect(first.body.message).toContain('Lines 1 to 4 were read: 4 accepted, 0 duplicate');
    expect((await stream(ids.slice(4))).body.message).toContain('Nothing was recorded.');
    await nextMinute();
    expect((await stream(ids.slice(4))).body.message).toContain('Lines 1 to 4 were read: 4 accepted, 0 duplicate');
    await nextMinute();
    expect(await stream(ids.slice(8))).toMatchObject({ status: 200, body: { accepted: 2 } });
    await set({ account: ground.name }, { USAGE_EVENTS: null });
    expect(await stream(ids)).toMatchObject({ status: 200, body: { accepted: 0, duplicate: 10 } });
    await set({ account: ground.name }, { USAGE_EVENTS: 0 });
    expect(await stream(['x'])).toMatchObject({ status: 409, retryAfter: null });
  });

  it('is not available for a workspace', async () => {
    const ground = await newAccount();
    expect(await set({ workspace: `${ground.name}-main` }, { USAGE_EVENTS: 3 })).toMatchObject({
      problems: [{ path: ['limits', '0', 'resource'], code: 'not_available' }],
    });
  });

  it('reports a steady use once, not each minute', async () => {
    const ground = await newAccount();
    const { db } = running.app.services;
    const { accountId } = ground.tenant;
    await set({ account: ground.name }, { USAGE_EVENTS: 10 });
    const nextMinute = (by = 1) =>
      db.quotaMinute.updateMany({ where: { accountId }, data: { minute: { decrement: by } } });
    let id = 0;
    const spend = (count: number) =>
      send(
        ground,
        Array.from({ length: count }, () => `s${id++}`),
      );
    for (let minute = 0; minute < 3; minute++) {
      await spend(8);
      await nextMinute();
    }
    expect(await crossingsOf(ground)).toEqual(['USAGE_EVENTS 80']);
    // A whole minute below the threshold.
    await spend(1);
    await nextMinute();
    await spend(8);
    expect(await crossingsOf(ground)).toEqual(['USAGE_EVENTS 80', 'USAGE_EVENTS 80']);
  });
});

/** The recorded crossings of an account. */
async function crossingsOf(ground: Ground): Promise<string[]> {
  await recordQuotaCrossings(running.app.services.db);
  const changes = await historyOf(running.app, ground.tenant);
  return changes.flatMap(({ kind, verb, after }) => {
    if (kind !== 'QUOTA' || verb !== 'threshold_reached') return [];
    const { resource, percent } = Object(after);
    return [`${resource} ${percent}`];
  });
}

describe('The change log', () => {
  it('has 80 and 100 % once each, again after the use fell below', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 5 });
    const create = (name: string) => make(ground, 'createAgent', named(name));
    const remove = (name: string) => make(ground, 'deleteAgent', { name });
    for (const name of ['a', 'b', 'c']) await create(name);
    expect(await crossingsOf(ground)).toEqual([]);
    await create('d');
    await create('e');
    await create('f');
    expect(await crossingsOf(ground)).toEqual(['AGENT 80', 'AGENT 100']);
    await remove('e');
    await create('e');
    expect(await crossingsOf(ground)).toEqual(['AGENT 80', 'AGENT 100', 'AGENT 100']);
    for (const name of ['e', 'd']) await remove(name);
    await create('d');
    expect(await crossingsOf(ground)).toEqual(['AGENT 80', 'AGENT 100', 'AGENT 100', 'AGENT 80']);
    expect(await crossingsOf(ground)).toHaveLength(4);
    const last = (await historyOf(running.app, ground.tenant)).at(-1);
    expect(last).toMatchObject({
      kind: 'QUOTA',
      verb: 'threshold_reached',
      actorKind: 'system',
      name: ground.name,
      after: { resource: 'AGENT', percent: 80, used: 4, limit: 5 },
    });
  });

  it('has them as soon as a limit is set or lowered, and not after a dry run', async () => {
    const ground = await newAccount();
    for (const name of ['a', 'b', 'c', 'd']) await make(ground, 'createAgent', named(name));
    await set({ account: ground.name }, { AGENT: 5 }, { validateOnly: true });
    expect(await crossingsOf(ground)).toEqual([]);
    await set({ account: ground.name }, { AGENT: 5 });
    expect(await crossingsOf(ground)).toEqual(['AGENT 80']);
    await set({ account: ground.name }, { AGENT: 3 });
    expect(await crossingsOf(ground)).toEqual(['AGENT 80', 'AGENT 100']);
    await set({ account: ground.name }, { AGENT: 100 });
    await set({ account: ground.name }, { AGENT: 5 });
    expect(await crossingsOf(ground)).toEqual(['AGENT 80', 'AGENT 100', 'AGENT 80']);
  });

  it('has them in the workspace of the limit', async () => {
    const ground = await newAccount();
    await set({ workspace: `${ground.name}-main` }, { JOB: 1 });
    await make(ground, 'createJob', named('a'));
    expect(await crossingsOf(ground)).toEqual(['JOB 80', 'JOB 100']);
    const last = (await historyOf(running.app, ground.tenant)).at(-1);
    expect(last?.workspaceId).toBe(ground.tenant.workspaces[`${ground.name}-main`]);
  });

  it('has each change of limits, by its author but without their address', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 5 });
    await set({ account: ground.name }, { AGENT: 6, JOB: 1 });
    const changes = (await historyOf(running.app, ground.tenant)).filter(({ kind }) => kind === 'QUOTA');
    expect(changes).toMatchObject([
      { verb: 'created', version: 1, after: { subject: 'account', limits: { AGENT: 5 } } },
      { verb: 'updated', version: 2, fields: ['limits.AGENT', 'limits.JOB'], actorName: 'owner@platform.example.com' },
    ]);
    expect(changes.map(({ address }) => address)).toEqual([null, null]);
  });
});

describe('Setting limits', () => {
  it('checks the version, and does nothing in a dry run', async () => {
    const ground = await newAccount();
    const account = { account: ground.name };
    expect((await set(account, { AGENT: 5 }, { validateOnly: true })).quotaSet).toMatchObject({ version: 1 });
    expect((await quotasOf(ground)).account).toEqual([]);
    expect((await set(account, { AGENT: 5 }, { ifVersion: 0 })).quotaSet).toMatchObject({ version: 1 });
    expect(await set(account, { AGENT: 6 }, { ifVersion: 0 })).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 1,
      updatedBy: 'owner@platform.example.com',
      changedFields: ['limits.AGENT'],
    });
    expect((await set(account, { AGENT: 5 })).quotaSet).toMatchObject({ version: 1 });
    const query = 'query ($account: String) { quotas(account: $account) { version quotas { resource limit } } }';
    const { body } = await graphql(running.app, platformKey, query, account);
    expect(body.data.quotas).toEqual({
      version: 1,
      quotas: [{ resource: 'AGENT', limit: 5 }],
    });
  });

  it('can be those of a plan whose name has as many characters as a plan of an account can have', async () => {
    const which = { plan: '🚀'.repeat(63), limits: [{ resource: 'AGENT', limit: 1 }] };
    const result = await mutate(running.app, platformKey, 'setQuotas', 'quotaSet { planName }', which);
    expect(result).toMatchObject({ quotaSet: { planName: which.plan } });
  });

  it('refuses limits that are none, with all problems', async () => {
    const ground = await newAccount();
    const limits = [
      { resource: 'AGENT', limit: -1 },
      { resource: 'JOB', limit: 1.5 },
      { resource: 'AGENT', limit: 1 },
      { resource: 'IMAGE', limit: 1 },
    ];
    const input = { account: ground.name, region: 'eu-open', limits };
    const result = await mutate(running.app, platformKey, 'setQuotas', '__typename', input);
    expect(
      result.problems.map(({ path, code }: { path: string[]; code: string }) => `${path.join('.')} ${code}`),
    ).toEqual([
      'limits.0.limit too_small',
      'limits.1.limit invalid_type',
      'limits.2.resource duplicate',
      'limits.3.resource not_available',
    ]);
  });

  it('refuses unknown accounts, workspaces and regions, and several subjects', async () => {
    expect(await set({ account: 'nobody' }, { AGENT: 1 })).toMatchObject({ code: 'not_found' });
    expect(await set({ workspace: 'nowhere' }, { AGENT: 1 })).toMatchObject({ code: 'not_found' });
    expect(await set({ account: 'platform', region: 'mars' }, { AGENT: 1 })).toMatchObject({ code: 'not_found' });
    expect(await set({ account: 'platform', plan: 'free' }, { AGENT: 1 })).toMatchObject({ code: 'invalid_parameter' });
    expect(await set({}, { AGENT: 1 })).toMatchObject({ code: 'invalid_request' });
    expect(await set({ account: '\0' }, { AGENT: 1 })).toMatchObject({ code: 'invalid_parameter' });
  });

  it('is for admins of the platform, and for admins of an account in its workspaces, up to its limits', async () => {
    const [ground, other] = [await newAccount(), await newAccount()];
    await set({ account: ground.name }, { AGENT: 5 });
    const tryAs = (key: string, which: object, limit = 3) =>
      mutate(running.app, key, 'setQuotas', 'quotaSet { version }', {
        ...which,
        limits: [{ resource: 'AGENT', limit }],
      });
    const main = { workspace: `${ground.name}-main` };
    expect(await tryAs(ground.key, { account: ground.name })).toMatchObject({ code: 'forbidden' });
    expect(await tryAs(ground.key, { account: ground.name, region: 'eu-open' })).toMatchObject({ code: 'forbidden' });
    expect(await tryAs(ground.key, { plan: 'enterprise' })).toMatchObject({ code: 'forbidden' });
    expect(await tryAs(other.key, main)).toMatchObject({ code: 'forbidden' });
    expect(await tryAs(other.key, { workspace: 'nowhere' })).toMatchObject({ code: 'forbidden' });
    for (const role of ['member', 'viewer'] as const) {
      const key = await keyOfSomebody(running.app, ground.tenant, { account: role });
      expect(await tryAs(key, main)).toMatchObject({ code: 'forbidden' });
    }
    const workspaceAdmin = { account: 'member', workspace: `${ground.name}-main`, role: 'admin' } as const;
    expect(await tryAs(await keyOfSomebody(running.app, ground.tenant, workspaceAdmin), main)).toMatchObject({
      code: 'forbidden',
    });
    expect(await tryAs(ground.key, main, 6)).toMatchObject({ problems: [{ code: 'too_large', limit: 5, actual: 6 }] });
    expect(await tryAs(ground.key, main)).toMatchObject({ quotaSet: { version: 1 } });
  });

  it('lets a viewer read the limits and their use', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 5 });
    const key = await keyOfSomebody(running.app, ground.tenant, { account: 'viewer' });
    expect((await quotasOf({ ...ground, key })).account).toMatchObject([{ resource: 'AGENT', limit: 5, used: 0 }]);
  });

  it('hides the limits of an account from a credential of one workspace', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 5 });
    const workspaceId = ground.tenant.workspaces[`${ground.name}-main`] ?? '';
    const { key } = await createKey(running.app, { ...ground.tenant, workspaceId });
    const { body } = await graphql(running.app, key, '{ viewer { accounts { quotas { limit } } } }');
    expect(body.data.viewer.accounts[0].quotas).toBeNull();
    expect(body.errors[0].extensions.code).toBe('forbidden');
  });

  it('keeps the documents of REST as they are', async () => {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 5 });
    await make(ground, 'createAgent', named('one'));
    const headers = { 'x-service-workspace': `${ground.name}-main` };
    const { body } = await rest(running.app, '/agents', { key: ground.key, headers });
    expect(body).toHaveLength(1);
    expect(Object.keys(body[0]).toSorted()).toEqual(['events', 'metadata', 'spec', 'status']);
  });
});

it.skipIf(isEmbedded)('two processes together never have more than the limit', async () => {
  const { DATABASE_URL = '', SERVICE_SECRETS = [] } = running.app.config;
  const other = await startOn({ DATABASE_URL, SERVICE_SECRETS: SERVICE_SECRETS.join(',') });
  try {
    const ground = await newAccount();
    await set({ account: ground.name }, { AGENT: 9 });
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        insist(index % 2 === 0 ? running.app : other.app, ground, 'createAgent', {
          workspace: `${ground.name}-${index % 3 === 0 ? 'main' : 'side'}`,
          ...named(`a${index}`),
        }),
      ),
    );
    expect(results.filter(({ __typename }) => __typename === 'CreateAgentPayload')).toHaveLength(9);
    // Both processes record crossings at the same time.
    await Promise.all([running.app, other.app].map(({ services }) => recordQuotaCrossings(services.db)));
    expect(await crossingsOf(ground)).toEqual(['AGENT 80', 'AGENT 100']);
  } finally {
    await other.stop();
  }
});

it('a limit that is set while twenty callers create is not exceeded by those that it did not see', async () => {
  const ground = await newAccount();
  const creating = Array.from({ length: 20 }, (_, index) =>
    insist(running.app, ground, 'createAgent', named(`a${index}`)),
  );
  const [{ quotaSet }] = await Promise.all([set({ account: ground.name }, { AGENT: 5 }), ...creating]);
  const { account } = await quotasOf(ground);
  const [atSetting, now] = [quotaSet.quotas[0].used, account[0].used];
  expect(now).toBe(Math.max(5, atSetting));
});

describe('Twenty callers at once', () => {
  it.each([
    { what: 'agents', limits: { AGENT: 7 }, kind: 'createAgent', spec: {} },
    { what: 'memory', limits: { MEMORY: 7_168 }, kind: 'createSandbox', spec: runtime(1_024) },
    { what: 'instances', limits: { INSTANCES: 7 }, kind: 'createJob', spec: {} },
  ])('never have more $what than the limit', async ({ limits, kind, spec }) => {
    const ground = await newAccount();
    await set({ account: ground.name }, limits);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const workspace = `${ground.name}-${index % 2 === 0 ? 'main' : 'side'}`;
        return insist(running.app, ground, kind, { ...named(`r${index}`, spec), workspace });
      }),
    );
    const made = results.filter(({ __typename }) => String(__typename).endsWith('Payload'));
    expect(made).toHaveLength(7);
    expect(results.filter(({ code }) => code === 'quota_exceeded')).toHaveLength(13);
    const [resource] = Object.keys(limits);
    expect(await crossingsOf(ground)).toEqual([`${resource} 80`, `${resource} 100`]);
  });

  it('never run more executions than the limit', async () => {
    const ground = await newAccount();
    await make(ground, 'createJob', named('job'));
    await set({ account: ground.name }, { CONCURRENT_EXECUTIONS: 5 });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => insist(running.app, ground, 'runJob', { name: 'job' })),
    );
    expect(results.filter(({ __typename }) => __typename === 'RunJobPayload')).toHaveLength(5);
  });
});
