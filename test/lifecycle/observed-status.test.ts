// Executors report on resources that they deployed before, and list what should run.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { frameContext } from '../../src/cli/operator/operator-context.js';
import { deleteExecutor, revokeExecutor } from '../../src/resources/executors/executor-changes.js';
import { restartFailed } from '../../src/lifecycle/restart-failed.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addRegions, historyOf, keyOfSomebody, mutate } from '../resources/mutations.js';
import { anExecutor, endLeases, silence } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
const made: string[] = [];
let tenant: Tenant;
let key: string;
let other: { tenant: Tenant; key: string };

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
  const second = await createTenant(running.app, { account: 'contoso', workspaces: ['prod'] });
  other = { tenant: second, key: (await createKey(running.app, second)).key };
  await addRegions(running.app);
});

const db = () => running.app.services.db;

async function executor(name: string, more: { regions?: string[]; kinds?: string[] } = {}): Promise<TestExecutor> {
  made.push(name);
  return anExecutor(running.app, name, more);
}

afterEach(async () => {
  for (const name of made.splice(0)) {
    await revokeExecutor(await frameContext(running.app.services), { name });
    await deleteExecutor(await frameContext(running.app.services), { name });
  }
  await db().agent.deleteMany();
  await db().sandbox.deleteMany();
  await db().vpc.deleteMany();
  await db().assignment.deleteMany();
});

const secret = 'a secret that nobody else sees';
const envs = [{ name: 'TOKEN', value: secret, secret: true }];

/** Resources of the same millisecond have no order. */
function passSecond(): void {
  running.app.clock.now = new Date(running.app.clock.now.getTime() + 1_000);
}

async function createAgent(name: string, spec: object = {}, { as = key, workspace = 'main' } = {}): Promise<void> {
  passSecond();
  const input = { workspace, metadata: { name }, spec: { region: 'eu-open', ...spec } };
  expect(await mutate(running.app, as, 'createAgent', '__typename', input)).toMatchObject({
    __typename: 'CreateAgentPayload',
  });
}

const updateAgent = (name: string, spec: object) =>
  mutate(running.app, key, 'updateAgent', 'agent { status version }', { workspace: 'main', name, spec });
const deleteAgent = (name: string) =>
  mutate(running.app, key, 'deleteAgent', 'agent { status }', { workspace: 'main', name });
const redeployAgent = (name: string, more: object = {}, as = key) =>
  mutate(running.app, as, 'redeployAgent', 'agent { status version events { status message } }', {
    workspace: 'main',
    name,
    ...more,
  });
const agentNow = (name: string) => db().agent.findFirst({ where: { name } });

/** Creates an agent and deploys it. @returns its id, and the generation of the deployment. */
async function deployed(one: TestExecutor, name = 'one', spec: object = {}): Promise<{ id: string; fence: number }> {
  await createAgent(name, spec);
  const [claim] = (await one.claim()).assignments;
  await one.report(claim, { state: 'DEPLOYED', revision: 'r1' });
  return { id: claim.resourceId, fence: claim.fence };
}

async function observed(name: string): Promise<unknown> {
  const query = `{ agent(workspace: "main", name: "${name}") {
    status observed { observedAt unknownSince instances restarts restartAt } } }`;
  return (await graphql(running.app, key, query)).body.data.agent;
}

describe('An executor that deployed a resource', () => {
  it('reports that it failed and runs again, once each, with instances', async () => {
    const one = await executor('one');
    const { id, fence } = await deployed(one);
    const before = (await historyOf(running.app, tenant)).length;
    const died = { status: 'FAILED', message: 'The process ended with exit code 137.', instances: 0 };
    for (let times = 0; times < 2; times++) {
      expect(await one.observe(id, fence, died)).toMatchObject({ status: 'FAILED', generation: fence });
    }
    expect(await observed('one')).toMatchObject({ status: 'FAILED', observed: { instances: 0, unknownSince: null } });
    expect(await one.observe(id, fence, { status: 'DEPLOYED', instances: 3 })).toMatchObject({ status: 'DEPLOYED' });
    expect(await observed('one')).toMatchObject({ status: 'DEPLOYED', observed: { instances: 3, restarts: 0 } });
    expect(await one.observe(id, fence, { status: 'DEPLOYED', instances: 2 })).toMatchObject({ generation: fence });
    expect(await observed('one')).toMatchObject({ observed: { instances: 2 } });
    const history = (await historyOf(running.app, tenant)).slice(before);
    expect(history.map(({ verb, status, message, actorName }) => [verb, status, message, actorName])).toEqual([
      ['status', 'FAILED', 'The process ended with exit code 137.', 'one'],
      ['status', 'DEPLOYED', 'DEPLOYED by one', 'one'],
    ]);
    expect(await agentNow('one')).toMatchObject({ version: 1 });
  });

  it('cannot overwrite a newer state: while an update waits, is in progress and is deployed', async () => {
    const one = await executor('one');
    const { id, fence } = await deployed(one);
    await updateAgent('one', { policies: ['new'] });
    const stale = { __typename: 'ConflictError', code: 'stale_generation' };
    expect(await one.observe(id, fence)).toMatchObject(stale);
    const [second] = (await one.claim()).assignments;
    expect(await one.observe(id, fence)).toMatchObject(stale);
    expect(await one.observe(id, second.fence)).toMatchObject({ code: 'conflict' });
    await endLeases(running.app);
    expect(await one.observe(id, second.fence)).toMatchObject(stale);
    const [third] = (await one.claim()).assignments;
    await one.report(third, { state: 'DEPLOYED' });
    expect(await one.observe(id, fence)).toMatchObject(stale);
    expect(await one.observe(id, second.fence, { status: 'DEPLOYED' })).toMatchObject(stale);
    expect(await agentNow('one')).toMatchObject({ status: 'DEPLOYED' });
    expect(await one.observe(id, third.fence)).toMatchObject({ status: 'FAILED' });
  });

  it('cannot report on a resource that is switched off, being deleted or deleted', async () => {
    const one = await executor('one');
    const { id, fence } = await deployed(one);
    await updateAgent('one', { enabled: false });
    expect(await one.observe(id, fence)).toMatchObject({ code: 'stale_generation' });
    const [off] = (await one.claim()).assignments;
    await one.report(off, { state: 'DEACTIVATED' });
    expect(await one.observe(id, off.fence)).toMatchObject({ code: 'stale_generation' });
    await deleteAgent('one');
    expect(await one.observe(id, off.fence)).toMatchObject({ code: 'stale_generation' });
    const [down] = (await one.claim()).assignments;
    await one.report(down, { state: 'TERMINATED' });
    for (const generation of [fence, off.fence, down.fence, 0]) {
      expect(await one.observe(id, generation)).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' });
    }
  });

  it('keeps the address of a preview up to date', async () => {
    const one = await executor('one', { kinds: ['SANDBOX_PREVIEW'] });
    await mutate(running.app, key, 'createSandbox', '__typename', { workspace: 'main', metadata: { name: 'box' } });
    const preview = { workspace: 'main', sandboxName: 'box', metadata: { name: 'look' }, spec: { port: 80 } };
    await mutate(running.app, key, 'createSandboxPreview', '__typename', preview);
    const [claim] = (await one.claim()).assignments;
    await one.report(claim, { state: 'DEPLOYED', address: 'https://a.example.com' });
    const kind = 'SANDBOX_PREVIEW';
    const moved = { kind, status: 'DEPLOYED', address: 'https://b.example.com' };
    expect(await one.observe(claim.resourceId, claim.fence, moved)).toMatchObject({ status: 'DEPLOYED' });
    expect((await db().sandboxPreview.findFirst())?.spec).toMatchObject({ url: 'https://b.example.com' });
    const broken = { ...moved, address: 'javascript:alert(1)' };
    expect(await one.observe(claim.resourceId, claim.fence, broken)).toMatchObject({ code: 'invalid_input' });
  });

  it.each([
    ['resourceId', { resourceId: 'x' }],
    ['generation', { generation: 0.5 }],
    ['generation', { generation: -1 }],
    ['message', { message: 'x'.repeat(1_025) }],
    ['instances', { instances: -1 }],
    ['instances', { instances: 1_000_001 }],
    ['logsUrl', { logsUrl: 'javascript:alert(1)' }],
  ])('gets an error about %s for %j', async (field, input) => {
    const one = await executor('one');
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await one.observe(id, 1, input)).toMatchObject({ code: 'invalid_input', problems: [{ path: [field] }] });
  });
});

describe('An executor of other regions, kinds or deployments', () => {
  it('does not learn whether a resource exists', async () => {
    const one = await executor('one');
    const { id, fence } = await deployed(one);
    const elsewhere = await executor('elsewhere', { regions: ['eu-egress'] });
    const volumes = await executor('of-volumes', { kinds: ['VOLUME'] });
    const unknown = await one.observe('00000000-0000-4000-8000-000000000000', fence);
    expect(unknown).toMatchObject({ code: 'not_found' });
    for (const each of [elsewhere, volumes]) {
      const answer = await each.observe(id, fence);
      expect({ ...answer, message: '' }).toEqual({ ...unknown, message: '' });
    }
    expect(await elsewhere.desired()).toMatchObject({ nodes: [], totalCount: 0 });
    expect(await volumes.desired()).toMatchObject({ nodes: [], totalCount: 0 });
    expect(await agentNow('one')).toMatchObject({ status: 'DEPLOYED' });
  });

  it('cannot take the resource of an executor that sends requests, and adopts it when that falls silent', async () => {
    const one = await executor('one');
    const two = await executor('two');
    const { id, fence } = await deployed(one);
    expect(await two.observe(id, fence, { status: 'DEPLOYED' })).toMatchObject({ code: 'stale_generation' });
    expect((await two.desired()).nodes).toMatchObject([{ isOwn: false, isHeldByOther: true }]);
    await silence(running.app, one);
    expect((await two.desired()).nodes).toMatchObject([{ isOwn: false, isHeldByOther: false, generation: fence }]);
    const { generation } = await two.observe(id, fence, { status: 'DEPLOYED' });
    expect(generation).toBeGreaterThan(fence);
    expect(await observed('one')).toMatchObject({ observed: { unknownSince: null } });
    // The first one returns.
    expect(await one.observe(id, fence)).toMatchObject({ code: 'stale_generation' });
    expect((await one.desired()).nodes).toMatchObject([{ isOwn: false, isHeldByOther: true }]);
    expect(await agentNow('one')).toMatchObject({ status: 'DEPLOYED' });
    expect(await two.observe(id, generation)).toMatchObject({ status: 'FAILED' });
  });

  it('is one of two that adopt the same resource at the same time', async () => {
    await createAgent('one');
    const both = [await executor('one'), await executor('two')];
    const [found] = (await both[0]?.desired())?.nodes ?? [];
    const answers = await Promise.all(both.map((each) => each.observe(found.resourceId, 0, { status: 'DEPLOYED' })));
    expect(answers.map(({ code }) => code ?? 'adopted').toSorted()).toEqual(['adopted', 'stale_generation']);
  });

  it('gets 403 without the key of an executor', async () => {
    for (const role of ['admin', 'member'] as const) {
      const somebody = await keyOfSomebody(running.app, tenant, { account: role });
      const input = { kind: 'AGENT', resourceId: crypto.randomUUID(), generation: 0, status: 'FAILED' };
      expect(await mutate(running.app, somebody, 'executorReportStatus', '__typename', input)).toMatchObject({
        code: 'forbidden',
      });
      const { body } = await graphql(running.app, somebody, '{ executorAssignments { totalCount } }');
      expect(body.errors[0].extensions.code).toBe('forbidden');
    }
  });
});

describe('The desired resources of an executor', () => {
  it('are those of all tenants in its regions, also from before it was created, with secrets if they are to run', async () => {
    await createAgent('one', { runtime: { envs } });
    await createAgent('off', { enabled: false, runtime: { envs } });
    await createAgent('theirs', {}, { as: other.key, workspace: 'prod' });
    await createAgent('far', { region: 'eu-egress' });
    await createAgent('nowhere', { region: null });
    const one = await executor('one', { regions: ['eu-open'] });
    const { nodes, totalCount } = await one.desired();
    expect(totalCount).toBe(3);
    expect(nodes).toMatchObject([
      {
        kind: 'AGENT',
        generation: 0,
        isOwn: false,
        action: 'DEPLOY',
        status: 'DEPLOYED',
        workspaceName: 'main',
        region: 'eu-open',
        version: 1,
        desired: { metadata: { name: 'one', workspace: 'main' }, spec: { runtime: { envs } } },
        replaces: null,
      },
      { action: 'DEACTIVATE', status: 'DEACTIVATED', desired: { metadata: { name: 'off' } } },
      { workspaceName: 'prod', desired: { metadata: { name: 'theirs' } } },
    ]);
    expect(JSON.stringify(nodes[1])).not.toContain(secret);
    const everywhere = await executor('everywhere', { kinds: ['AGENT'] });
    expect((await everywhere.desired()).totalCount).toBe(5);
  });

  it('are adopted with a report, from then on updates wait for the executor', async () => {
    await createAgent('one');
    await createAgent('off', { enabled: false });
    const one = await executor('one');
    const { nodes } = await one.desired();
    const before = (await historyOf(running.app, tenant)).length;
    const { generation } = await one.observe(nodes[0].resourceId, 0, { status: 'DEPLOYED', instances: 1 });
    expect(generation).toBeGreaterThan(0);
    expect((await historyOf(running.app, tenant)).length).toBe(before);
    expect((await one.desired()).nodes[0]).toMatchObject({ isOwn: true, generation, replaces: { version: 1 } });
    expect(await one.observe(nodes[0].resourceId, 0)).toMatchObject({ code: 'stale_generation' });
    expect(await one.observe(nodes[1].resourceId, 0)).toMatchObject({ code: 'conflict' });
    await updateAgent('one', { policies: ['new'] });
    expect((await one.claim()).assignments).toMatchObject([{ version: 2, replaces: { version: 1 } }]);
  });

  it('come in pages that neither repeat nor skip, in both directions, of several kinds', async () => {
    for (const name of ['a', 'b', 'c']) {
      await createAgent(name);
      passSecond();
      await mutate(running.app, key, 'createVpc', '__typename', { workspace: 'main', metadata: { name } });
    }
    const one = await executor('one');
    const all = (await one.desired()).nodes.map(({ resourceId }: { resourceId: string }) => resourceId);
    expect(new Set(all).size).toBe(6);
    const forward: string[] = [];
    let after = '';
    for (;;) {
      const page = await one.desired(`(first: 2${after})`);
      forward.push(...page.nodes.map(({ resourceId }: { resourceId: string }) => resourceId));
      // Created meanwhile: it is at the end.
      if (forward.length === 2) await createAgent('late');
      if (!page.pageInfo.hasNextPage) break;
      after = `, after: "${page.pageInfo.endCursor}"`;
    }
    expect(forward.slice(0, 6)).toEqual(all);
    expect(forward).toHaveLength(7);
    const last = await one.desired('(last: 4)');
    const before = await one.desired(`(last: 4, before: "${last.pageInfo.startCursor}")`);
    const ids = [...before.nodes, ...last.nodes].map(({ resourceId }) => resourceId);
    expect(ids).toEqual(forward);
    const two = await executor('two');
    expect(await two.desired(`(last: 4, before: "${last.pageInfo.startCursor}")`)).toMatchObject({
      code: 'cursor_mismatch',
    });
  });
});

describe('A resource of a silent executor', () => {
  it('is unknown from the last request of the executor until it sends another one', async () => {
    const one = await executor('one');
    await deployed(one);
    expect(await observed('one')).toMatchObject({ observed: { unknownSince: null, observedAt: expect.any(String) } });
    await silence(running.app, one, 5);
    const { lastSeenAt } = await db().executor.findUniqueOrThrow({ where: { id: one.id } });
    expect(await observed('one')).toMatchObject({
      status: 'DEPLOYED',
      observed: { unknownSince: lastSeenAt?.toISOString(), observedAt: lastSeenAt?.toISOString() },
    });
    await one.claim({ waitSeconds: 1 });
    expect(await observed('one')).toMatchObject({ observed: { unknownSince: null } });
  });

  it('is unknown after the executor is revoked, whatever the clock of the gateway says', async () => {
    const one = await executor('one');
    await deployed(one);
    const { now } = running.app.clock;
    running.app.clock.now = new Date(now.getTime() + 86_400_000);
    expect(await observed('one')).toMatchObject({ observed: { unknownSince: null } });
    running.app.clock.now = now;
    await revokeExecutor(await frameContext(running.app.services), { name: 'one' });
    expect(await observed('one')).toMatchObject({ observed: { unknownSince: expect.any(String) } });
    await deleteExecutor(await frameContext(running.app.services), { name: 'one' });
    expect(await observed('one')).toMatchObject({ observed: { unknownSince: expect.any(String), observedAt: null } });
    made.splice(0);
  });

  it('has no observed status without an executor', async () => {
    await createAgent('one');
    expect(await observed('one')).toEqual({ status: 'DEPLOYED', observed: null });
  });
});

describe('A dry run', () => {
  it.each([
    ['updateAgent', { spec: { runtime: { memory: 4096 } } }],
    ['updateAgent', { spec: { region: 'eu-egress' } }],
    ['updateAgent', { spec: { enabled: false } }],
    ['updateAgent', { metadata: { displayName: 'One' } }],
    ['updateAgent', {}],
    ['redeployAgent', {}],
    ['deleteAgent', {}],
  ])('of %s with %j returns what the change returns, also of reports', async (mutation, more) => {
    const one = await executor('one', { regions: ['*'] });
    const { id, fence } = await deployed(one);
    await one.observe(id, fence, { status: 'DEPLOYED', instances: 3, logsUrl: 'https://logs.example.com/one' });
    const shown = `agent { id status version metadata { displayName updatedAt updatedBy } spec { region enabled }
      events { status message time } observed { observedAt unknownSince instances restarts restartAt } logsUrl }`;
    const input = { workspace: 'main', name: 'one', ...more };
    const dry = await mutate(running.app, key, mutation, shown, { ...input, validateOnly: true });
    const before = await mutate(running.app, key, 'updateAgent', shown, { workspace: 'main', name: 'one' });
    expect(before.agent).toMatchObject({ observed: { instances: 3 }, logsUrl: 'https://logs.example.com/one' });
    expect(dry).toEqual(await mutate(running.app, key, mutation, shown, input));
  });
});

describe('Redeploying', () => {
  it('assigns the same specification again, and keeps the version', async () => {
    const one = await executor('one');
    const { id, fence } = await deployed(one, 'one', { runtime: { envs } });
    await one.observe(id, fence, { message: 'It died.' });
    expect(await redeployAgent('one', { validateOnly: true })).toMatchObject({ agent: { status: 'UPLOADING' } });
    expect(await agentNow('one')).toMatchObject({ status: 'FAILED' });
    expect(await redeployAgent('one', { ifVersion: 2 })).toMatchObject({ code: 'version_mismatch' });
    const { agent } = await redeployAgent('one', { ifVersion: 1 });
    expect(agent).toMatchObject({ status: 'UPLOADING', version: 1 });
    const message = 'Redeployed by owner@northwind.example.com';
    expect(agent.events.at(-1)).toEqual({ status: 'UPLOADING', message });
    expect((await historyOf(running.app, tenant)).at(-1)).toMatchObject({ verb: 'status', message, actorKind: 'user' });
    const [again] = (await one.claim()).assignments;
    expect(again).toMatchObject({ action: 'DEPLOY', version: 1, desired: { spec: { runtime: { envs } } } });
    expect(again.replaces).toMatchObject({ version: 1, revision: 'r1' });
    // It also restarts what runs.
    await one.report(again, { state: 'DEPLOYED' });
    expect((await redeployAgent('one')).agent.status).toBe('UPLOADING');
  });

  it('is immediate without an executor, and refused for what is disabled or being deleted', async () => {
    await createAgent('one');
    await db().agent.updateMany({ data: { status: 'FAILED' } });
    expect((await redeployAgent('one')).agent.status).toBe('DEPLOYED');
    const { length } = await historyOf(running.app, tenant);
    expect((await redeployAgent('one')).agent.status).toBe('DEPLOYED');
    expect(await historyOf(running.app, tenant)).toHaveLength(length);
    await updateAgent('one', { enabled: false });
    expect(await redeployAgent('one')).toMatchObject({ code: 'conflict' });
    const one = await executor('one');
    await updateAgent('one', { enabled: true });
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED' });
    await deleteAgent('one');
    expect(await redeployAgent('one')).toMatchObject({ code: 'conflict' });
    expect(await redeployAgent('absent')).toMatchObject({ code: 'not_found' });
  });

  it('is not allowed for viewers and other tenants', async () => {
    await createAgent('one');
    const viewer = await keyOfSomebody(running.app, tenant, { account: 'member', workspace: 'main', role: 'viewer' });
    expect(await redeployAgent('one', {}, viewer)).toMatchObject({ code: 'forbidden' });
    expect(await redeployAgent('one', {}, other.key)).toMatchObject({ code: 'forbidden' });
  });
});

describe('A workload with the restart policy on-failure', () => {
  const spec = { restartPolicy: 'ON_FAILURE' };
  const restart = () => restartFailed(db(), running.app.clock.now);
  // A second ago, because the clock of the process has no microseconds.
  const due = () =>
    db().$executeRaw`UPDATE "assignment" SET "restart_at" = now() - interval '1 second' WHERE "restart_at" IS NOT NULL`;
  const delay = async () =>
    Number(await db().$text(Prisma.sql`SELECT extract(epoch FROM "restart_at" - now())::text FROM "assignment"`));

  it('restarts after 10, 20, 40 and at most 300 seconds, and again from 10 after ten minutes', async () => {
    const one = await executor('one');
    const { id, fence: first } = await deployed(one, 'one', spec);
    let fence = first;
    for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
      await one.observe(id, fence);
      expect(await restart()).toBe(0);
      expect(await delay()).toBeCloseTo(seconds, -0.7);
      await due();
      await expect.poll(restart).toBe(1);
      expect(await agentNow('one')).toMatchObject({ status: 'UPLOADING', version: 1 });
      expect((await historyOf(running.app, tenant)).at(-1)).toMatchObject({ actorKind: 'system', status: 'UPLOADING' });
      const [claim] = (await one.claim()).assignments;
      await one.report(claim, { state: 'DEPLOYED' });
      ({ fence } = claim);
    }
    await db().$executeRaw`UPDATE "assignment" SET "updated_at" = now() - interval '11 minutes'`;
    await one.observe(id, fence);
    expect(await delay()).toBeCloseTo(10, -0.7);
    expect(await observed('one')).toMatchObject({ observed: { restarts: 1, restartAt: expect.any(String) } });
  });

  it('restarts after a failed deployment, unless it runs again, is changed, disabled or deleted before', async () => {
    const one = await executor('one');
    await createAgent('one', spec);
    await one.report((await one.claim()).assignments[0], { state: 'FAILED' });
    await due();
    expect(await restart()).toBe(1);
    const [claim] = (await one.claim()).assignments;
    await one.report(claim, { state: 'FAILED' });
    await one.observe(claim.resourceId, claim.fence, { status: 'DEPLOYED' });
    await due();
    expect(await restart()).toBe(0);
    await one.observe(claim.resourceId, claim.fence);
    await updateAgent('one', { enabled: false });
    await due();
    expect(await restart()).toBe(0);
    expect((await agentNow('one'))?.status).toBe('DEACTIVATING');
    await deleteAgent('one');
    const [down] = (await one.claim()).assignments;
    await one.report(down, { state: 'FAILED' });
    await due();
    expect(await restart()).toBe(0);
  });

  it('does not restart by default, nor without an executor', async () => {
    const one = await executor('one');
    const { id, fence } = await deployed(one);
    await one.observe(id, fence);
    await due();
    expect(await restart()).toBe(0);
    await updateAgent('one', spec);
    const [claim] = (await one.claim()).assignments;
    await one.report(claim, { state: 'FAILED' });
    await revokeExecutor(await frameContext(running.app.services), { name: 'one' });
    await due();
    expect(await restart()).toBe(0);
    expect(await agentNow('one')).toMatchObject({ status: 'FAILED' });
  });
});
