// The rows that hold the use of quotas are what a recount of the resources says, after every mutation of the schema.
import { beforeAll, describe, expect, it } from 'vitest';
import { isInputObjectType } from 'graphql';
import { schema } from '../../src/api/graphql/server/schema.js';
import { correctAllQuotaUsage } from '../../src/quotas/usage-recount.js';
import { cases, inputOf, prepareCases, settingsOfCases } from '../auth/mutation-cases.js';
import type { CaseGround } from '../auth/mutation-cases.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import { addPlatform } from '../platform.js';
import { mutate } from '../resources/mutations.js';

const running = useApp(settingsOfCases);
let ground: CaseGround;

beforeAll(async () => {
  ground = await prepareCases(running.app);
});

/** The uses that differ from a recount. */
const differences = () => correctAllQuotaUsage(running.app.services.db, new AbortController().signal);

function canBeDryRun(mutation: string): boolean {
  const input = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`);
  return isInputObjectType(input) && 'validateOnly' in input.getFields();
}

describe('The use of quotas is that of the resources', () => {
  it.each(Object.entries(cases))('after %s, and after its dry run', async (mutation, tried) => {
    const { app } = running;
    const input = await inputOf(tried, `q-${mutation.toLowerCase()}`);
    // Cases write rows by hand; this corrects the use.
    await differences();
    const { tenant, memberId } = ground;
    // The access of a caller is cached for a moment, so another caller changes the new resource.
    const run = async (more: object) => {
      const { key } = await createKey(app, tried.needs === undefined ? { ...tenant, principalId: memberId } : tenant);
      const result = await mutate(app, key, mutation, '__typename', { ...input, ...more });
      expect(result).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
    };
    if (canBeDryRun(mutation)) await run({ validateOnly: true });
    expect(await differences(), 'a dry run').toEqual([]);
    await run({});
    expect(await differences()).toEqual([]);
  });
});

it('after a workspace is deleted with everything in it', async () => {
  const { app } = running;
  const eastwind = await createTenant(app, { account: 'eastwind', workspaces: ['harbour', 'shore'] });
  const { accountId, workspaces } = eastwind;
  const { key } = await createKey(app, eastwind);
  await addPlatform(app, workspaces['harbour'] ?? '', 'harbour');
  const tag = { resourceType: 'JOBS', imageName: 'offered', tag: { name: 'v1', size: 1 } };
  await mutate(app, key, 'registerImageTag', '__typename', { workspace: 'harbour', ...tag });
  const share = { workspace: 'harbour', resourceType: 'JOBS', name: 'offered', targetWorkspace: 'shore' };
  expect(await mutate(app, key, 'shareImage', '__typename', share)).toMatchObject({ __typename: 'ShareImagePayload' });
  // An offer of another account, which counts there.
  const { key: northwind } = await createKey(app, ground.tenant);
  await mutate(app, northwind, 'registerImageTag', '__typename', { workspace: 'main', ...tag });
  const offer = { workspace: 'main', resourceType: 'JOBS', name: 'offered', targetAccount: 'eastwind' };
  const offered = await mutate(app, northwind, 'shareImage', '__typename', { ...offer, targetWorkspace: 'harbour' });
  expect(offered).toMatchObject({ __typename: 'ShareImagePayload' });
  await differences();
  const removed = await mutate(app, key, 'deleteWorkspace', '__typename', { name: 'harbour', force: true });
  expect(removed).toMatchObject({ __typename: 'DeleteWorkspacePayload' });
  expect(await differences()).toEqual([]);
  const uses = await app.services.db.quotaUsage.findMany({ where: { accountId } });
  expect(uses.map(({ used }) => Number(used))).toEqual(uses.map(() => 0));
  expect(uses.length).toBeGreaterThan(10);
});

it('after parents moved between regions while the resources in them changed', async () => {
  const { app } = running;
  const westwind = await createTenant(app, { account: 'westwind', workspaces: ['dock'] });
  const { key } = await createKey(app, westwind);
  const change = async (mutation: string, input: object) => {
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
    const fields = mutation === 'runJob' ? '... on RunJobPayload { jobExecution { id } }' : '';
    const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) { __typename ${fields} } }`;
    const { body } = await graphql(app, key, query, { input });
    // Others may change the same resource at the moment.
    expect([undefined, 'unavailable']).toContain(body.errors?.[0].extensions.code);
    return body.data?.result;
  };
  const named = (name: string, spec: object) => ({ metadata: { name }, spec });
  const inDock = { workspace: 'dock' };
  const preview = { ...inDock, sandboxName: 'box' };
  await change('createSandbox', { ...inDock, ...named('box', { region: 'eu-open' }) });
  await change('createJob', { ...inDock, ...named('job', { region: 'eu-open' }) });
  let ids: string[] = [];
  for (let round = 0; round < 6; round++) {
    const region = round % 2 === 0 ? 'eu-egress' : 'eu-open';
    const known = `p${round - 1}`;
    const [ran] = await Promise.all([
      change('runJob', { ...inDock, name: 'job' }),
      change('updateSandbox', { ...inDock, name: 'box', spec: { region } }),
      change('createSandboxPreview', { ...preview, ...named(`p${round}`, { port: 80 }) }),
      change('updateSandboxPreview', { ...preview, name: known, spec: { region: 'eu-open' } }),
      change('updateSandboxPreview', { ...preview, name: known, spec: { region: null } }),
      change('updateJob', { ...inDock, name: 'job', spec: { region } }),
      ...ids.slice(0, 1).map((id) => change('cancelJobExecution', { id })),
      ...(round > 2 ? [change('deleteSandboxPreview', { ...preview, name: `p${round - 3}` })] : []),
    ]);
    ids = [...ids.slice(1), ran?.jobExecution?.id].filter((id) => id !== undefined);
    expect(await differences(), `round ${round}`).toEqual([]);
  }
  const uses = await app.services.db.quotaUsage.findMany({ where: { accountId: westwind.accountId } });
  const ofExecutions = uses.filter(({ resource, region }) => resource === 'JOB_EXECUTION' && region !== null);
  const inRegions = ofExecutions.map(({ used }) => used.toNumber());
  expect(inRegions.reduce((sum, used) => sum + used, 0)).toBeGreaterThan(3);
  expect(inRegions).toContain(0);
});

it('is corrected, counted and logged by the background check if somebody wrote to the database by hand', async () => {
  const { app } = running;
  const { db, metrics } = app.services;
  const southwind = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  const { accountId, workspaces } = southwind;
  const { key } = await createKey(app, southwind);
  await differences();
  const make = (name: string) =>
    mutate(app, key, 'createSandbox', '__typename', { workspace: 'elsewhere', metadata: { name }, spec: {} });
  for (const name of ['one', 'two']) expect(await make(name)).toMatchObject({ __typename: 'CreateSandboxPayload' });
  await db.sandbox.deleteMany({ where: { workspaceId: workspaces['elsewhere'] ?? '', name: 'one' } });
  const counter = metrics.registry.getSingleMetric('wcp_quota_usage_corrections_total');
  const corrections = async () => (await counter?.get())?.values[0]?.value ?? 0;
  const before = await corrections();
  await runBackgroundTasks(app.services, app.config, [backgroundTasks.correctQuotaUsage]);
  // Of the account and of the workspace: the sandbox and its instance.
  expect((await corrections()) - before).toBe(4);
  const used = await db.quotaUsage.findMany({ where: { accountId, resource: 'SANDBOX' } });
  expect(used.map((each) => Number(each.used))).toEqual([1, 1]);
  expect(await differences()).toEqual([]);
});
