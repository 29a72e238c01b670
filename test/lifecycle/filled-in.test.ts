// Fields that the platform fills in when something is deployed or run: users and executors cannot set them.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import { addRegions, mutate } from '../resources/mutations.js';
import { anExecutor } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
let key: string;
let executor: TestExecutor;
const inMain = { workspace: 'main' };
const minute = 60_000;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(app, tenant));
  await addRegions(app);
  for (const workspace of ['main', 'side']) {
    for (const resourceType of ['AGENTS', 'JOBS', 'FUNCTIONS']) {
      const push = { workspace, resourceType, imageName: 'planner', tag: { name: 'r1', size: 1 } };
      await change('registerImageTag', push);
    }
  }
  executor = await anExecutor(app, 'frankfurt-a', { regions: ['eu-open'] });
});

async function change(mutation: string, input: object, fields = '__typename'): Promise<Record<string, unknown>> {
  const answer = await mutate(running.app, key, mutation, fields, input);
  expect(answer.code).toBeUndefined();
  return answer;
}

/** When each image of the workspaces was last deployed. */
async function deployments(): Promise<Record<string, string>> {
  const query = `{ workspaces(first: 9) { nodes { name images(first: 9) { nodes { metadata { name resourceType lastDeployedAt } } } } } }`;
  const { body } = await graphql(running.app, key, query);
  const found: Record<string, string> = {};
  for (const { name, images } of body.data.workspaces.nodes)
    for (const { metadata } of images.nodes)
      if (metadata.lastDeployedAt !== null)
        found[`${name}/${metadata.resourceType}/${metadata.name}`] = metadata.lastDeployedAt;
  return found;
}

const agent = (name: string, image: string, region?: string) => ({
  ...inMain,
  metadata: { name },
  spec: { region, runtime: { image, memory: 512 } },
});

describe('An image knows when it was last deployed', () => {
  it('by a workload that no executor has to deploy: created, updated, redeployed', async () => {
    const { clock } = running.app;
    const at = () => ({ 'main/AGENTS/planner': clock.now.toISOString() });
    await change('createAgent', agent('unserved', 'registry.example.com/agents/planner:r1'));
    expect(await deployments()).toEqual(at());
    const before = await deployments();
    clock.now = new Date(clock.now.getTime() + minute);
    await change('updateAgent', { ...inMain, name: 'unserved', metadata: { displayName: 'Planner' } });
    expect(await deployments()).toEqual(before);
    await change('updateAgent', { ...inMain, name: 'unserved', spec: { runtime: { memory: 1024 } } });
    expect(await deployments()).toEqual(at());
    clock.now = new Date(clock.now.getTime() + minute);
    await change('updateAgent', { ...inMain, name: 'unserved', spec: { enabled: false } });
    await change('createAgent', agent('other', 'docker.io/library/planner-2:r1'));
    await change('updateAgent', { ...inMain, name: 'unserved', validateOnly: true, spec: { enabled: true } });
    expect(await deployments()).not.toEqual(at());
    await change('updateAgent', { ...inMain, name: 'unserved', spec: { enabled: true } });
    expect(await deployments()).toEqual(at());
  });

  it('by a workload whose executor reports that it is deployed, with the image that it built', async () => {
    const { clock } = running.app;
    const before = await deployments();
    clock.now = new Date(clock.now.getTime() + minute);
    await change('createAgent', agent('served', 'planner:r1', 'eu-open'));
    await change('createJob', {
      ...inMain,
      metadata: { name: 'built' },
      spec: { region: 'eu-open', runtime: { memory: 512 } },
    });
    const { assignments } = await executor.claim();
    const [ofAgent, ofJob] = assignments;
    await executor.report(ofAgent, { state: 'BUILT' });
    expect(await deployments()).toEqual(before);
    await executor.report(ofAgent, { state: 'DEPLOYED' });
    const first = clock.now.toISOString();
    expect(await deployments()).toEqual({ 'main/AGENTS/planner': first });
    clock.now = new Date(clock.now.getTime() + minute);
    await executor.report(ofAgent, { state: 'DEPLOYED' });
    await executor.report(ofJob, { state: 'DEPLOYED', image: 'registry.example.com/jobs/planner:r1' });
    expect(await deployments()).toEqual({ 'main/AGENTS/planner': first, 'main/JOBS/planner': clock.now.toISOString() });
  });
});

describe('An execution knows', () => {
  it('the cluster that it runs on', async () => {
    const shown = 'jobExecution { metadata { id cluster } }';
    const created = await change('runJob', { ...inMain, name: 'built', tasks: [{}, {}] }, shown);
    expect(created).toMatchObject({ jobExecution: { metadata: { cluster: null } } });
    await executor.claim({ first: 1 });
    const later = await anExecutor(running.app, 'frankfurt-b', { regions: ['eu-open'] });
    await later.claim();
    const query = `{ job(workspace: "main", name: "built") { executions(first: 9) { nodes { metadata { cluster } } } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data.job.executions.nodes).toEqual([{ metadata: { cluster: 'frankfurt-a' } }]);
  });
});

describe('An event of an agent names', () => {
  it('the canary revision of the deployment', async () => {
    const revision = { active: 'r1', traffic: 90, canary: 'r2', canaryPercent: 10 };
    const { spec, ...canary } = agent('canary', 'planner:r1', 'eu-open');
    await change('createAgent', { ...canary, spec: { ...spec, revision } });
    const [assignment] = (await executor.claim({ first: 1 })).assignments;
    await executor.report(assignment, { state: 'DEPLOYED', revision: 'r1' });
    const query = `{ agent(workspace: "main", name: "canary") { events { status revision canaryRevision } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data.agent.events.at(-1)).toEqual({ status: 'DEPLOYED', revision: 'r1', canaryRevision: 'r2' });
  });
});
