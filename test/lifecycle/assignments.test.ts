// The assignments and reports of executors.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizedExecutor } from '../../src/auth/authorize.js';
import { claimDue } from '../../src/lifecycle/claim.js';
import { countAssignments } from '../../src/lifecycle/count-assignments.js';
import type { Database, Transactional } from '../../src/database/open.js';
import { Prisma } from '../../src/database/client/client.js';
import { failExhausted } from '../../src/lifecycle/fail-exhausted.js';
import { extendTask } from '../../src/lifecycle/task-report.js';
import { attemptsMax } from '../../src/lifecycle/work-kinds.js';
import { frameContext } from '../../src/cli/operator/operator-context.js';
import { deleteExecutor, revokeExecutor } from '../../src/resources/executors/executor-changes.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { addRegions, historyOf, keyOfSomebody, mutate, untilWaiting } from '../resources/mutations.js';
import { anExecutor, endLeases } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
const made: string[] = [];
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
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
const inMain = { workspace: 'main' };

async function createAgent(name: string, spec: object = {}) {
  const { agent } = await mutate(running.app, key, 'createAgent', 'agent { status version }', {
    ...inMain,
    metadata: { name },
    spec: { region: 'eu-open', ...spec },
  });
  return agent;
}

const updateAgent = (name: string, spec: object) =>
  mutate(running.app, key, 'updateAgent', 'agent { status version }', { ...inMain, name, spec });
const deleteAgent = (name: string) => mutate(running.app, key, 'deleteAgent', 'agent { status }', { ...inMain, name });
const heldOf = ({ id, fence }: { id: string; fence: number }) => ({ id, fence });
const agentNow = (name: string) => db().agent.findFirst({ where: { name } });

describe('Without an executor for its region and kind', () => {
  it('a resource reaches its desired state immediately', async () => {
    await executor('elsewhere', { regions: ['eu-egress'] });
    await executor('of-volumes', { kinds: ['VOLUME'] });
    expect(await createAgent('one')).toMatchObject({ status: 'DEPLOYED' });
    expect((await updateAgent('one', { enabled: false })).agent.status).toBe('DEACTIVATED');
    expect((await deleteAgent('one')).agent.status).toBe('DEACTIVATED');
    expect(await db().assignment.count()).toBe(0);
  });

  it('a resource of a revoked executor reaches its desired state immediately when it is updated', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.claim();
    await revokeExecutor(await frameContext(running.app.services), { name: 'one' });
    expect((await updateAgent('one', { public: false, policies: ['new'] })).agent.status).toBe('DEPLOYED');
    await deleteAgent('one');
    expect(await agentNow('one')).toBeNull();
  });

  it('a failed resource reaches its desired state immediately when its specification is updated', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.report((await one.claim()).assignments[0], { state: 'FAILED' });
    await revokeExecutor(await frameContext(running.app.services), { name: 'one' });
    const labelled = { ...inMain, name: 'one', metadata: { labels: [{ key: 'tier', value: 'gold' }] } };
    const { agent } = await mutate(running.app, key, 'updateAgent', 'agent { status }', labelled);
    expect(agent.status).toBe('FAILED');
    expect((await updateAgent('one', { policies: ['new'] })).agent.status).toBe('DEPLOYED');
  });
});

describe('A resource with an executor', () => {
  it('moves from UPLOADING to DEPLOYED as reported, with a change record for each step', async () => {
    const one = await executor('one');
    const before = (await historyOf(running.app, tenant)).length;
    expect(await createAgent('one', { runtime: { envs } })).toMatchObject({ status: 'UPLOADING', version: 1 });
    const { assignments } = await one.claim();
    expect(assignments).toHaveLength(1);
    const [claim] = assignments;
    expect(claim).toMatchObject({
      kind: 'AGENT',
      action: 'DEPLOY',
      region: 'eu-open',
      attempt: 1,
      version: 1,
      replaces: null,
    });
    expect(claim.desired).toMatchObject({ metadata: { name: 'one', workspace: 'main' }, spec: { runtime: { envs } } });
    for (const state of ['BUILDING', 'BUILT', 'DEPLOYING']) {
      expect(await one.report(claim, { state })).toMatchObject({ state, leaseUntil: expect.any(String) });
      expect((await agentNow('one'))?.status).toBe(state);
    }
    const last = { state: 'DEPLOYED', message: 'It runs.', revision: 'r1', image: 'registry.example.com/one:r1' };
    expect(await one.report(claim, last)).toMatchObject({ state: 'DEPLOYED', leaseUntil: null });
    expect(await agentNow('one')).toMatchObject({
      status: 'DEPLOYED',
      version: 1,
      spec: { runtime: { image: 'registry.example.com/one:r1' } },
    });
    const history = (await historyOf(running.app, tenant)).slice(before);
    expect(history.map(({ verb, status, actorKind, actorName }) => [verb, status, actorKind, actorName])).toEqual([
      ['created', 'CREATED', 'user', 'owner@northwind.example.com'],
      ...['BUILDING', 'BUILT', 'DEPLOYING', 'DEPLOYED'].map((status) => ['status', status, 'executor', 'one']),
    ]);
    expect(history[0]?.after).toMatchObject({ status: 'UPLOADING' });
    expect(history.at(-1)).toMatchObject({
      message: 'It runs.',
      revision: 'r1',
      fields: ['status', 'spec.runtime.image'],
    });
    expect(JSON.stringify(history)).not.toContain(secret);
  });

  it('is updated on top of the deployed state', async () => {
    const one = await executor('one');
    await createAgent('one', { runtime: { envs } });
    const [first] = (await one.claim()).assignments;
    await one.report(first, { state: 'DEPLOYED', revision: 'r1', address: 'https://10.0.0.1' });
    expect((await updateAgent('one', { policies: ['new'] })).agent).toEqual({ status: 'UPLOADING', version: 2 });
    const [second] = (await one.claim()).assignments;
    expect(second).toMatchObject({ version: 2, action: 'DEPLOY', desired: { spec: { policies: ['new'] } } });
    expect(second.replaces).toMatchObject({
      version: 1,
      revision: 'r1',
      address: 'https://10.0.0.1',
      spec: { runtime: { envs } },
    });
    expect(second.fence).toBeGreaterThan(first.fence);
  });

  it('is unchanged when only its metadata is updated', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED' });
    const renamed = await mutate(running.app, key, 'updateAgent', 'agent { status version }', {
      ...inMain,
      name: 'one',
      metadata: { displayName: 'Another' },
    });
    expect(renamed.agent).toEqual({ status: 'DEPLOYED', version: 2 });
    expect((await one.claim()).assignments).toEqual([]);
  });

  it('is disabled and enabled', async () => {
    const one = await executor('one');
    await createAgent('one', { runtime: { envs } });
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED' });
    expect((await updateAgent('one', { enabled: false })).agent.status).toBe('DEACTIVATING');
    const [off] = (await one.claim()).assignments;
    expect(off.action).toBe('DEACTIVATE');
    expect(JSON.stringify(off)).not.toContain(secret);
    expect(await one.report(off, { state: 'DEPLOYED' })).toMatchObject({ code: 'conflict' });
    await one.report(off, { state: 'DEACTIVATED' });
    expect((await agentNow('one'))?.status).toBe('DEACTIVATED');
    expect((await updateAgent('one', { policies: ['while off'] })).agent.status).toBe('DEACTIVATED');
    expect((await updateAgent('one', { enabled: true })).agent.status).toBe('UPLOADING');
  });

  it('exists until it is terminated, and rejects updates meanwhile', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED' });
    expect((await deleteAgent('one')).agent.status).toBe('DELETING');
    expect((await deleteAgent('one')).agent.status).toBe('DELETING');
    expect(await updateAgent('one', { policies: ['late'] })).toMatchObject({ code: 'conflict' });
    const [down] = (await one.claim()).assignments;
    expect(down.action).toBe('DELETE');
    await one.report(down, { state: 'TERMINATED' });
    expect(await agentNow('one')).toBeNull();
    expect(await one.report(down, { state: 'TERMINATED' })).toMatchObject({ state: 'TERMINATED', leaseUntil: null });
    const verbs = (await historyOf(running.app, tenant)).slice(-2).map(({ verb, status }) => [verb, status]);
    expect(verbs).toEqual([
      ['status', 'DELETING'],
      ['deleted', 'TERMINATED'],
    ]);
    // What is needed to create it again.
    const begun = await running.app.services.db.change.findFirstOrThrow({ where: { name: 'one', status: 'DELETING' } });
    const content = { metadata: expect.objectContaining({ name: 'one' }), spec: expect.any(Object) };
    expect(begun).toMatchObject({ fields: ['status'], before: content, after: { ...content, status: 'DELETING' } });
    expect((await createAgent('one')).status).toBe('UPLOADING');
  });

  it('keeps the instances and the logs of a report that does not change the state', async () => {
    const one = await executor('one');
    await createAgent('one');
    const [claim] = (await one.claim()).assignments;
    const kept = { instances: 2, logsUrl: 'https://logs.example.com/one' };
    const assignmentNow = () => db().assignment.findFirst();
    await one.report(claim, kept);
    expect(await assignmentNow()).toMatchObject(kept);
    await one.report(claim, { state: 'BUILDING', instances: 2 });
    await one.report(claim, { state: 'BUILDING', instances: 3 });
    await one.report(claim);
    expect(await assignmentNow()).toMatchObject({ ...kept, instances: 3 });
  });

  it('fails with the reported reason, and can be updated again', async () => {
    const one = await executor('one');
    await createAgent('one');
    const [claim] = (await one.claim()).assignments;
    await one.report(claim, { state: 'FAILED', message: 'The image cannot be pulled.' });
    expect((await agentNow('one'))?.status).toBe('FAILED');
    expect((await historyOf(running.app, tenant)).at(-1)?.message).toBe('The image cannot be pulled.');
    expect((await updateAgent('one', { policies: ['other'] })).agent.status).toBe('UPLOADING');
  });

  it('is terminated in its old region when it moves to another one', async () => {
    const here = await executor('here', { regions: ['eu-open'] });
    const there = await executor('there', { regions: ['eu-egress'] });
    await createAgent('one');
    await here.report((await here.claim()).assignments[0], { state: 'DEPLOYED' });
    expect((await updateAgent('one', { region: 'eu-egress' })).agent.status).toBe('UPLOADING');
    const [left] = (await here.claim()).assignments;
    expect(left).toMatchObject({ action: 'DELETE', region: 'eu-open', replaces: { version: 1 } });
    const [arrived] = (await there.claim()).assignments;
    expect(arrived).toMatchObject({ action: 'DEPLOY', region: 'eu-egress', replaces: null });
    await here.report(left, { state: 'TERMINATED' });
    await there.report(arrived, { state: 'DEPLOYED' });
    expect((await agentNow('one'))?.status).toBe('DEPLOYED');
  });
});

describe('A resource that moves', () => {
  const inA = { region: 'eu-open' };
  const inB = { region: 'eu-egress' };
  const executors = async () =>
    [await executor('here', { regions: ['eu-open'] }), await executor('there', { regions: ['eu-egress'] })] as const;
  const claimOf = async (by: TestExecutor) => (await by.claim()).assignments;

  it('takes along its previews without a region of their own', async () => {
    const kinds = { kinds: ['SANDBOX_PREVIEW'] };
    const here = await executor('here', { regions: ['eu-open'], ...kinds });
    const there = await executor('there', { regions: ['eu-egress'], ...kinds });
    const sandbox = { ...inMain, metadata: { name: 'box' }, spec: inA };
    await mutate(running.app, key, 'createSandbox', '__typename', sandbox);
    const preview = (name: string, spec: object) => ({ ...inMain, sandboxName: 'box', metadata: { name }, spec });
    await mutate(running.app, key, 'createSandboxPreview', '__typename', preview('follows', {}));
    await mutate(running.app, key, 'createSandboxPreview', '__typename', preview('stays', inA));
    for (const claim of await claimOf(here))
      await here.report(claim, { state: 'DEPLOYED', address: 'https://a.example.com' });
    await mutate(running.app, key, 'updateSandbox', '__typename', { ...inMain, name: 'box', spec: inB });
    expect(await claimOf(here)).toMatchObject([
      { action: 'DELETE', region: 'eu-open', desired: { metadata: { name: 'follows' } } },
    ]);
    expect(await claimOf(there)).toMatchObject([
      { action: 'DEPLOY', region: 'eu-egress', desired: { metadata: { name: 'follows' } } },
    ]);
  });

  it('takes along a preview that loses its own region at the same time', async () => {
    await executor('all', { kinds: ['SANDBOX_PREVIEW'] });
    await mutate(running.app, key, 'createSandbox', '__typename', { ...inMain, metadata: { name: 'box' }, spec: inA });
    const preview = { ...inMain, sandboxName: 'box', metadata: { name: 'look' }, spec: inA };
    await mutate(running.app, key, 'createSandboxPreview', '__typename', preview);
    const moving = await db().$begin(async (tx) => {
      const prisma = await tx.$prisma();
      await prisma.sandboxPreview.updateMany({ where: { name: 'look' }, data: { spec: {} } });
      const started = [mutate(running.app, key, 'updateSandbox', '__typename', { ...inMain, name: 'box', spec: inB })];
      await untilWaiting(running.app, prisma, 1);
      return { started };
    });
    await Promise.all(moving.started);
    expect(await db().assignment.findMany({ select: { region: true } })).toEqual([{ region: 'eu-egress' }]);
  });

  it.each(['DEACTIVATED', 'DEACTIVATING'])(
    'while it is %s is terminated in its old region, and deployed in the new one',
    async (status) => {
      const [here, there] = await executors();
      await createAgent('one');
      await here.report((await claimOf(here))[0], { state: 'DEPLOYED' });
      await updateAgent('one', { enabled: false });
      const [deactivate] = await claimOf(here);
      if (status === 'DEACTIVATED') await here.report(deactivate, { state: status });
      expect((await agentNow('one'))?.status).toBe(status);
      expect((await updateAgent('one', inB)).agent.status).toBe('DEACTIVATED');
      expect(await claimOf(here)).toMatchObject([{ action: 'DELETE', region: 'eu-open', replaces: { version: 1 } }]);
      expect(await claimOf(there)).toEqual([]);
      expect((await updateAgent('one', { enabled: true })).agent.status).toBe('UPLOADING');
      expect(await claimOf(there)).toMatchObject([{ action: 'DEPLOY', region: 'eu-egress', replaces: null }]);
    },
  );

  it('there and back is deployed on top of what it left, which is not removed', async () => {
    const [here, there] = await executors();
    await createAgent('one');
    await here.report((await claimOf(here))[0], { state: 'DEPLOYED' });
    await updateAgent('one', inB);
    await there.report((await claimOf(there))[0], { state: 'DEPLOYED' });
    await updateAgent('one', inA);
    const [back, ...others] = await claimOf(here);
    expect(others).toEqual([]);
    expect(back).toMatchObject({ action: 'DEPLOY', region: 'eu-open', replaces: { version: 1 } });
    await here.report(back, { state: 'DEPLOYED' });
    expect(await claimOf(here)).toEqual([]);
    expect(await claimOf(there)).toMatchObject([{ action: 'DELETE', region: 'eu-egress', replaces: { version: 2 } }]);
  });

  it('there and back ends the lease of its removal, and replaces nothing once that is done', async () => {
    const [here] = await executors();
    await createAgent('one');
    await here.report((await claimOf(here))[0], { state: 'DEPLOYED' });
    for (const isDone of [false, true]) {
      await updateAgent('one', inB);
      const [removal] = await claimOf(here);
      expect(removal.action).toBe('DELETE');
      if (isDone) await here.report(removal, { state: 'TERMINATED' });
      await updateAgent('one', inA);
      const claimed = await here.claim({ leases: [heldOf(removal)] });
      expect(claimed.lost).toEqual([removal.id]);
      expect(claimed.assignments).toMatchObject([{ action: 'DEPLOY', replaces: isDone ? null : { version: 1 } }]);
      expect(await here.report(removal, { state: 'TERMINATED' })).toMatchObject({ code: 'lease_lost' });
      expect(claimed.assignments[0].fence).toBeGreaterThan(removal.fence);
      await here.report(claimed.assignments[0], { state: 'DEPLOYED' });
    }
  });

  it.each([true, false])(
    'back to a region that lost its executor is removed there only if it is disabled (enabled: %s)',
    async (enabled) => {
      const [here] = await executors();
      await createAgent('one');
      await here.report((await claimOf(here))[0], { state: 'DEPLOYED' });
      await updateAgent('one', { ...inB, enabled });
      await revokeExecutor(await frameContext(running.app.services), { name: 'here' });
      const status = enabled ? 'DEPLOYED' : 'DEACTIVATED';
      expect((await updateAgent('one', inA)).agent.status).toBe(status);
      const next = await executor('next', { regions: ['eu-open'] });
      expect(await claimOf(next)).toMatchObject(enabled ? [] : [{ action: 'DELETE', region: 'eu-open' }]);
    },
  );

  it('back while it is disabled is removed with its workspace, also before it is claimed again', async () => {
    const [here] = await executors();
    await createAgent('one');
    await here.report((await claimOf(here))[0], { state: 'DEPLOYED' });
    await updateAgent('one', { enabled: false });
    await updateAgent('one', inB);
    await updateAgent('one', { ...inA, enabled: true });
    await db().agent.deleteMany();
    expect(await claimOf(here)).toMatchObject([{ action: 'DELETE', region: 'eu-open', replaces: { version: 1 } }]);
  });
});

describe('The removal of a deleted resource', () => {
  it('is tried again after a failure, whose repeated report is answered like the first', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED' });
    await db().agent.deleteMany();
    const [removal] = (await one.claim()).assignments;
    const answer = await one.report(removal, { state: 'FAILED' });
    expect(answer).toMatchObject({ state: 'FAILED', leaseUntil: null });
    expect(await one.report(removal, { state: 'FAILED' })).toEqual(answer);
    for (const other of [{}, { state: 'TERMINATED' }])
      expect(await one.report(removal, other)).toMatchObject({ code: 'lease_lost' });
    expect((await one.claim()).assignments).toEqual([]);
    await db().$executeRaw`UPDATE "assignment" SET "due_at" = now()`;
    const [again] = (await one.claim()).assignments;
    expect(again).toMatchObject({ action: 'DELETE', attempt: 1 });
    expect(await one.report(removal, { state: 'FAILED' })).toMatchObject({ code: 'lease_lost' });
    expect(await one.report(again, { state: 'TERMINATED' })).toMatchObject({ state: 'TERMINATED' });
  });
});

describe('Previews and egress IPs', () => {
  async function network(): Promise<void> {
    const place = { ...inMain, vpcName: 'net' };
    await mutate(running.app, key, 'createVpc', '__typename', { ...inMain, metadata: { name: 'net' } });
    await mutate(running.app, key, 'createEgressGateway', '__typename', {
      ...place,
      metadata: { name: 'gate' },
      spec: { region: 'eu-egress' },
    });
    await mutate(running.app, key, 'createEgressIp', '__typename', {
      ...place,
      gatewayName: 'gate',
      metadata: { name: 'ip' },
    });
  }

  it('get a valid address from reports', async () => {
    const one = await executor('one', { kinds: ['SANDBOX_PREVIEW', 'EGRESS_IP'] });
    await network();
    await mutate(running.app, key, 'createSandbox', '__typename', { ...inMain, metadata: { name: 'box' } });
    await mutate(running.app, key, 'createSandboxPreview', '__typename', {
      ...inMain,
      sandboxName: 'box',
      metadata: { name: 'look' },
      spec: { port: 80 },
    });
    const { assignments } = await one.claim();
    const [ip, look] = ['EGRESS_IP', 'SANDBOX_PREVIEW'].map((kind) =>
      assignments.find((each: { kind: string }) => each.kind === kind),
    );
    expect(ip).toMatchObject({
      region: 'eu-egress',
      desired: { metadata: { name: 'ip', vpcName: 'net', gatewayName: 'gate' } },
    });
    expect(look.desired.metadata).toMatchObject({ name: 'look', sandbox: 'box' });
    expect((await one.report(ip, { state: 'DEPLOYED', address: 'nowhere' })).problems[0]).toMatchObject({
      path: ['address'],
    });
    await one.report(ip, { state: 'DEPLOYED', address: '203.0.113.9' });
    expect((await one.report(look, { state: 'DEPLOYED', address: 'javascript:alert(1)' })).code).toBe('invalid_input');
    await one.report(look, { state: 'DEPLOYED', address: 'https://look.example.com' });
    expect((await db().egressIp.findFirst())?.spec).toMatchObject({ publicIp: '203.0.113.9' });
    expect((await db().egressIp.findFirst())?.search).toContain('203.0.113.9');
    expect((await db().sandboxPreview.findFirst())?.spec).toMatchObject({ url: 'https://look.example.com', port: 80 });
  });

  it('disappear immediately on deletion, and are terminated after that', async () => {
    const one = await executor('one', { kinds: ['EGRESS_IP'] });
    await network();
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED', address: '203.0.113.9' });
    const which = { ...inMain, vpcName: 'net', gatewayName: 'gate', name: 'ip' };
    const { egressIp } = await mutate(running.app, key, 'deleteEgressIp', 'egressIp { spec { publicIp } }', which);
    expect(egressIp.spec.publicIp).toBe('203.0.113.9');
    expect(await db().egressIp.count()).toBe(0);
    const [down] = (await one.claim()).assignments;
    expect(down).toMatchObject({ action: 'DELETE', version: null, replaces: { address: '203.0.113.9' } });
    expect(down.desired).toMatchObject({ metadata: { name: 'ip' }, spec: { publicIp: '203.0.113.9' } });
    await one.report(down, { state: 'TERMINATED' });
    expect((await one.claim()).assignments).toEqual([]);
  });

  it('need no termination if no executor had started them', async () => {
    await executor('one', { kinds: ['EGRESS_IP'] });
    await network();
    await mutate(running.app, key, 'deleteEgressIp', '__typename', {
      ...inMain,
      vpcName: 'net',
      gatewayName: 'gate',
      name: 'ip',
    });
    expect(await db().assignment.count()).toBe(0);
  });

  it('and all other kinds are deleted with their workspace, and terminated', async () => {
    const one = await executor('one');
    await mutate(running.app, key, 'createWorkspace', '__typename', { metadata: { name: 'passing' } });
    const spec = { runtime: { envs } };
    await mutate(running.app, key, 'createSandbox', '__typename', {
      workspace: 'passing',
      metadata: { name: 'box' },
      spec,
    });
    const [claim] = (await one.claim()).assignments;
    await mutate(running.app, key, 'deleteWorkspace', '__typename', { name: 'passing', force: true });
    expect(await one.report(claim, { state: 'DEPLOYED' })).toMatchObject({ code: 'lease_lost' });
    const [down] = (await one.claim()).assignments;
    expect(down).toMatchObject({ action: 'DELETE', workspaceName: 'passing', desired: { metadata: { name: 'box' } } });
    expect(JSON.stringify(down)).not.toContain(secret);
  });
});

describe('A claim', () => {
  it('belongs to one executor, and the oldest comes first', async () => {
    const [one, other] = [await executor('one'), await executor('other')];
    for (const name of ['a', 'b', 'c']) await createAgent(name);
    const namesOf = ({ assignments }: { assignments: { desired: { metadata: { name: string } } }[] }) =>
      assignments.map(({ desired }) => desired.metadata.name);
    expect(namesOf(await one.claim({ first: 2 }))).toEqual(['a', 'b']);
    expect(namesOf(await other.claim())).toEqual(['c']);
    expect(namesOf(await one.claim())).toEqual([]);
  });

  it('takes the kind whose oldest assignment has waited longest first, so that none is left behind', async () => {
    const one = await executor('one');
    const create = async (kind: string, name: string) =>
      mutate(running.app, key, `create${kind}`, '__typename', { ...inMain, metadata: { name } });
    for (const [kind, name] of [
      ['Agent', 'a'],
      ['Sandbox', 'b'],
      ['Agent', 'c'],
      ['Sandbox', 'd'],
    ] as const) {
      await create(kind, name);
    }
    const claimed: string[][] = [];
    for (const first of [1, 2, 1]) {
      const { assignments } = await one.claim({ first });
      claimed.push(assignments.map(({ desired }: { desired: Answer['body'] }) => desired.metadata.name));
    }
    expect(claimed).toEqual([['a'], ['b', 'd'], ['c']]);
  });

  it('ends with its lease, and then cannot be reported on, extended or released', async () => {
    const one = await executor('one');
    await createAgent('one');
    const [first] = (await one.claim()).assignments;
    await endLeases(running.app);
    for (const answer of [
      await one.report(first, { state: 'BUILDING' }),
      await one.report(first),
      await one.release(first),
    ]) {
      expect(answer).toMatchObject({ __typename: 'ConflictError', code: 'lease_lost' });
    }
    const [second] = (await one.claim()).assignments;
    expect(second).toMatchObject({ id: first.id, attempt: 2 });
    expect(second.fence).toBeGreaterThan(first.fence);
    // The same executor, but the claim of before.
    expect(await one.report(first, { state: 'DEPLOYED' })).toMatchObject({ code: 'lease_lost' });
    expect(await one.release(first)).toMatchObject({ code: 'lease_lost' });
    expect(await one.report(second, { state: 'DEPLOYED' })).toMatchObject({ state: 'DEPLOYED' });
  });

  it('is reported on, released and kept only under the id that it has, which names its kind', async () => {
    const one = await executor('one');
    await createAgent('one');
    const [claimed] = (await one.claim()).assignments;
    for (const kind of ['agent_invocation', 'job_execution', 'volume']) {
      const other = { ...claimed, id: claimed.id.replace('agent', kind) };
      for (const more of [{}, { state: 'FAILED' }]) {
        expect(await one.report(other, more)).toMatchObject({ code: 'lease_lost' });
      }
      expect(await one.release(other)).toMatchObject({ code: 'lease_lost' });
      expect(await one.claim({ leases: [heldOf(claimed), heldOf(other)] })).toMatchObject({ lost: [other.id] });
    }
    expect(await one.report(claimed, { state: 'BUILDING' })).toMatchObject({ state: 'BUILDING' });
  });

  it('is not extended by a heartbeat that was read before its lease ended', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.claim();
    await endLeases(running.app);
    const { id } = await db().assignment.findFirstOrThrow();
    const isLeased = Prisma.sql`a."lease_until" > clock_timestamp()`;
    const extended = extendTask(db(), { id, leaseSeconds: 60 }, isLeased);
    await expect(extended).rejects.toMatchObject({ error: 'lease_lost' });
  });

  it('starts from the beginning again, whatever the previous progress', async () => {
    const one = await executor('one');
    await createAgent('one');
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYING' });
    await endLeases(running.app);
    const [again] = (await one.claim()).assignments;
    expect(await one.report(again, { state: 'BUILDING' })).toMatchObject({ state: 'BUILDING' });
    expect((await agentNow('one'))?.status).toBe('BUILDING');
  });

  it('is superseded by an update, and a waiting executor is notified immediately', async () => {
    const one = await executor('one', { kinds: ['AGENT'] });
    const other = await executor('other', { kinds: ['VOLUME'] });
    await createAgent('one');
    const [first] = (await one.claim()).assignments;
    expect((await other.claim({ leases: [heldOf(first)] })).lost).toEqual([first.id]);
    expect((await one.claim({ leases: [heldOf(first)] })).lost).toEqual([]);
    await updateAgent('one', { policies: ['new'] });
    const { lost, assignments } = await one.claim({ leases: [heldOf(first)], waitSeconds: 30 });
    expect(lost).toEqual([first.id]);
    expect(assignments).toMatchObject([{ id: first.id, version: 2 }]);
    expect(await one.report(first, { state: 'DEPLOYED' })).toMatchObject({ code: 'lease_lost' });
  });

  it('waits for work, and gets it when it arrives', async () => {
    const one = await executor('one');
    const waiting = one.claim({ waitSeconds: 30 });
    await expect.poll(() => running.app.services.workSubscribers.waiting()).toBe(1);
    await createAgent('one');
    expect((await waiting).assignments).toHaveLength(1);
    expect(running.app.services.workSubscribers.waiting()).toBe(0);
  });

  it('is not given to a waiting executor that no longer serves the region', async () => {
    // Work waits in a region that some executor serves.
    await executor('other', { regions: ['eu-open'] });
    const one = await executor('one', { regions: ['eu-open'] });
    const waiting = one.claim({ waitSeconds: 3 });
    await expect.poll(() => running.app.services.workSubscribers.waiting()).toBe(1);
    await db().executor.update({ where: { id: one.id }, data: { regions: ['us-open'] } });
    // A caller is cached for half a second.
    await sleep(600);
    await createAgent('one');
    expect((await waiting).assignments).toEqual([]);
    expect(await db().assignment.count({ where: { executorId: null } })).toBe(1);
  });

  it('is not given to a waiting executor whose key may no longer be used from its address', async () => {
    const one = await executor('one');
    const waiting = one.claim({ waitSeconds: 30 });
    await expect.poll(() => running.app.services.workSubscribers.waiting()).toBe(1);
    await db().executor.update({ where: { id: one.id }, data: { addressRanges: ['203.0.113.0/24'] } });
    await sleep(600);
    await createAgent('one');
    expect(await waiting).toMatchObject({ code: 'forbidden' });
    expect(await db().assignment.count({ where: { executorId: one.id } })).toBe(0);
  });

  it('fails after the maximum number of attempts, with the reason', async () => {
    const one = await executor('one');
    await createAgent('one');
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      expect((await one.claim()).assignments).toMatchObject([{ attempt }]);
      await endLeases(running.app);
    }
    expect((await one.claim()).assignments).toEqual([]);
    await failExhausted(db(), running.app.clock.now);
    expect(await agentNow('one')).toMatchObject({ status: 'FAILED', failedAt: running.app.clock.now });
    expect((await historyOf(running.app, tenant)).at(-1)).toMatchObject({
      verb: 'status',
      status: 'FAILED',
      actorKind: 'system',
      message: `Failed after ${attemptsMax} attempts: each lease expired without a report`,
    });
  });

  it('fails also if another one, whose row is locked, cannot be failed now', async () => {
    const one = await executor('one');
    await createAgent('one');
    await createAgent('two');
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      expect((await one.claim()).assignments).toHaveLength(2);
      await endLeases(running.app);
    }
    let transactions = 0;
    const $begin: Transactional['$begin'] = async (act) => {
      if (++transactions === 1) throw new Error('canceling statement due to lock timeout');
      return db().$begin(act);
    };
    const locked: Database = Object.create(db(), { $begin: { value: $begin } });
    await expect(failExhausted(locked, running.app.clock.now)).rejects.toThrow('1 of 2 failed');
    const statuses = async () => [(await agentNow('one'))?.status, (await agentNow('two'))?.status];
    expect(new Set(await statuses())).toEqual(new Set(['UPLOADING', 'FAILED']));
    await failExhausted(db(), running.app.clock.now);
    expect(await statuses()).toEqual(['FAILED', 'FAILED']);
  });

  it('fails first if it has waited longest', async () => {
    const data = Array.from({ length: 101 }, (_each, index) => ({
      kind: 'AGENT',
      resourceId: randomUUID(),
      accountId: tenant.accountId,
      workspaceId: tenant.workspaces['main'] ?? '',
      workspace: 'main',
      wanted: 'deploy',
      phase: 'UPLOADING',
      attempt: attemptsMax,
      dueAt: new Date(Date.now() - (index + 1) * 1_000),
    }));
    await db().assignment.createMany({ data });
    expect(await failExhausted(db(), running.app.clock.now)).toBe(100);
    const left = await db().assignment.findMany({ where: { attempt: attemptsMax } });
    expect(left.map(({ dueAt }) => dueAt)).toEqual([data[0]?.dueAt]);
  });

  it('that is released does not count as an attempt, and waits for the requested time', async () => {
    const one = await executor('one');
    await createAgent('one');
    const [claim] = (await one.claim()).assignments;
    await one.release(claim, { delaySeconds: 600 });
    expect((await one.claim()).assignments).toEqual([]);
    await db().assignment.updateMany({ data: { dueAt: new Date(0) } });
    expect((await one.claim()).assignments).toMatchObject([{ attempt: 1 }]);
  });

  it('is counted while it is active, and due work while it waits', async () => {
    const one = await executor('one');
    for (const name of ['a', 'b', 'c']) await createAgent(name);
    await one.claim({ first: 1 });
    expect(await countAssignments(db())).toEqual({ leased: 1, due: 2, oldestDueSeconds: expect.any(Number) });
  });

  it('is released when its executor is revoked', async () => {
    const [one, other] = [await executor('one'), await executor('other')];
    await createAgent('one');
    await one.claim();
    await revokeExecutor(await frameContext(running.app.services), { name: 'one' });
    expect((await other.claim()).assignments).toHaveLength(1);
  });

  it('is released when its executor is revoked while it claims', async () => {
    const [one, other] = [await executor('one'), await executor('other')];
    await createAgent('one');
    const operator = await frameContext(running.app.services);
    let revoked: Promise<unknown> | undefined;
    await db().$begin(async (tx) => {
      const claiming = new AuthorizedExecutor(operator, { id: one.id, regions: [], kinds: [] }, tx);
      await claimDue(claiming, { kind: 'AGENT', region: null }, { first: 1, leaseSeconds: 3_600 });
      revoked = revokeExecutor(operator, { name: 'one' });
      await untilWaiting(running.app, await tx.$prisma(), 1);
    });
    await revoked;
    expect((await other.claim()).assignments).toHaveLength(1);
  });

  it.each([
    ['claim', { first: 0 }, 'first'],
    ['claim', { first: 101 }, 'first'],
    ['claim', { waitSeconds: 31 }, 'waitSeconds'],
    ['claim', { leaseSeconds: 4 }, 'leaseSeconds'],
    ['claim', { leases: [{ id: 'agent-1', fence: 1 }] }, 'id'],
    ['claim', { leases: Array.from({ length: 1_001 }, () => ({ id: 'x', fence: 1 })) }, 'leases'],
    ['report', { id: 'nothing' }, 'id'],
    ['report', { fence: 0.5 }, 'fence'],
    ['report', { message: 'x'.repeat(1_025) }, 'message'],
    ['report', { image: 'a\u0000b' }, 'image'],
    ['release', { delaySeconds: 601 }, 'delaySeconds'],
  ] as const)('rejects a %s with %j', async (what, more, field) => {
    const one = await executor('one');
    const some = { id: 'agent-00000000-0000-4000-8000-000000000000', fence: 1 };
    const answer = what === 'claim' ? await one.claim(more) : await one[what](some, more);
    expect(answer).toMatchObject({ __typename: 'InvalidInputError', problems: [{ path: [field] }] });
  });
});

describe('An executor', () => {
  it('sees no other regions and kinds, and only the secrets of its assignments', async () => {
    const one = await executor('one', { regions: ['eu-egress'], kinds: ['AGENT'] });
    const other = await executor('other', { regions: ['eu-open'] });
    await createAgent('one', { runtime: { envs } });
    expect(await one.claim()).toMatchObject({ assignments: [], lost: [] });
    const [claim] = (await other.claim()).assignments;
    for (const answer of [
      await one.report(claim, { state: 'DEPLOYED' }),
      await one.report(claim),
      await one.release(claim),
    ]) {
      expect(answer).toMatchObject({ code: 'lease_lost' });
    }
    expect((await agentNow('one'))?.status).toBe('UPLOADING');
  });

  it('can access only assignments', async () => {
    const one = await executor('one');
    await createAgent('one', { runtime: { envs } });
    const query = `{ viewer { kind credential scopes accounts { id } workspaces { id } } agents(workspace: "main") { totalCount } executors { totalCount } }`;
    const { body } = await graphql(running.app, one.key, query);
    expect(body.data.viewer).toEqual({
      kind: 'EXECUTOR',
      credential: 'EXECUTOR_KEY',
      scopes: ['assignments:work'],
      accounts: [],
      workspaces: [],
    });
    expect(body.data).toMatchObject({ agents: null, executors: null });
    const made = await mutate(running.app, one.key, 'createAgent', '__typename', {
      ...inMain,
      metadata: { name: 'two' },
    });
    expect(made).toMatchObject({ code: 'forbidden' });
  });

  it('is the only caller that can claim, report and release', async () => {
    for (const role of ['admin', 'member'] as const) {
      const somebody = await keyOfSomebody(running.app, tenant, { account: role });
      const some = { id: 'agent-00000000-0000-4000-8000-000000000000', fence: 1 };
      for (const [mutation, input] of Object.entries({
        executorClaimAssignments: { first: 1 },
        executorReportAssignment: some,
        executorReleaseAssignment: some,
      })) {
        const answer = await mutate(running.app, somebody, mutation, '__typename', input);
        expect(answer).toMatchObject({
          code: 'forbidden',
          message: 'This credential lacks the scope assignments:work.',
        });
      }
    }
  });

  it('is rejected after it is revoked, and with a mistyped key', async () => {
    const one = await executor('one');
    await revokeExecutor(await frameContext(running.app.services), { name: 'one' });
    const ask = (bearer: string) => graphql(running.app, bearer, '{ viewer { name } }');
    expect((await ask(one.key)).status).toBe(401);
    expect((await ask(`${one.key.slice(0, -1)}!`)).status).toBe(401);
    expect((await ask(`${one.key.slice(0, -1)}${one.key.endsWith('a') ? 'b' : 'a'}`)).body.errors[0].message).toContain(
      'mistyped',
    );
  });

  it('is visible to admins of its accounts, with only name and health', async () => {
    const one = await executor('one', { regions: ['eu-open'] });
    await executor('closed', { regions: ['eu-closed'] });
    await executor('quiet');
    await one.claim();
    // The clock of another process is wrong.
    running.app.clock.now = new Date(Date.now() + 3_600_000);
    const query = '{ executors(orderBy: { field: NAME, direction: ASC }) { totalCount nodes { name health } } }';
    const { body } = await graphql(running.app, key, query);
    expect(body.data.executors).toEqual({
      totalCount: 2,
      nodes: [
        { name: 'one', health: 'HEALTHY' },
        { name: 'quiet', health: 'SILENT' },
      ],
    });
    const member = await keyOfSomebody(running.app, tenant, { account: 'member' });
    expect((await graphql(running.app, member, query)).body).toMatchObject({ data: { executors: null } });
  });
});
