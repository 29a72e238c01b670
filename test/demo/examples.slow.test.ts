// The tabs of GraphiQL, on the demo that they are shown with: each answers, and shows something.
import {
  GraphQLString,
  execute,
  getNamedType,
  isCompositeType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import type { GraphQLField, GraphQLOutputType } from 'graphql';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openContext } from '../../src/http/open-context.js';
import { demoOwner, mainWorkspace, platformAccount } from '../../src/demo/company.js';
import { demoExamples } from '../../src/demo/examples.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { loadDemoUsage } from '../../src/demo/usage.js';
import { rollUpAllUsage } from '../../src/metering/roll-up-all-usage.js';
import { exampleQueries } from '../../src/api/graphiql/graphiql-examples.js';
import { findOperation } from '../../src/api/graphql/server/operation.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { watch } from '../changes/event-stream.js';
import { createKey, frozenNow, useApp } from '../harness.js';
import type { Answer } from '../harness.js';

// A year of usage is loaded and rolled up, which takes long on a slow disk.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 });

const gateway = useApp({ PLATFORM_ACCOUNT: platformAccount });
const tabs = exampleQueries(frozenNow, demoExamples);
let key = '';

beforeAll(async () => {
  const { services } = gateway.app;
  await loadDemo(services.db, services.encryption, { end: frozenNow });
  await loadDemoUsage(services, frozenNow);
  // As the gateway does by itself while the demo runs.
  await rollUpAllUsage(services.db, services.usageMemory, frozenNow);
  const owner = { accountId: idOf('meridian-freight'), principalId: idOf(demoOwner) };
  key = (await createKey(gateway.app, owner)).key;
});

/** The response of the tab with this operation. */
async function run(operationName: string, more: Record<string, unknown> = {}): Promise<Answer['body']> {
  const tab = tabs.find(({ query = '' }) =>
    parse(query).definitions.some((each) => each.kind === 'OperationDefinition' && each.name?.value === operationName),
  );
  const variables = { ...JSON.parse(tab?.variables ?? '{}'), ...more };
  const response = await fetch(`${gateway.app.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: tab?.query, operationName, variables }),
  });
  const body = await response.json();
  expect(body.errors).toBeUndefined();
  return body.data;
}

const sumOf = (counts: { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0);

describe('On the demo, the examples of GraphiQL', () => {
  it('show the viewer, and find agents', async () => {
    expect((await run('WhoAmI')).viewer.workspaces).toHaveLength(4);
    expect((await run('NewestAgents')).agents.edges).toHaveLength(20);
    expect((await run('SearchAgents')).agents.edges.length).toBeGreaterThan(0);
    expect((await run('OneAgent')).agent.metadata.workspaceName).toBe(mainWorkspace);
  });

  it('filter agents, and count the others', async () => {
    const { agents, unattached } = await run('FilteredAgents');
    expect(agents.nodes.length).toBe(Math.min(agents.filteredCount, 10));
    expect(agents.filteredCount).toBeLessThan(agents.totalCount);
    for (const { status, metadata } of agents.nodes) {
      expect(['FAILED', 'DEACTIVATED']).toContain(status);
      const { value } = metadata.labels.find(({ key }: { key: string }) => key === 'tier');
      expect(['gold', 'silver']).toContain(value);
    }
    expect(unattached.nodes.length).toBeGreaterThan(0);
  });

  it('count the agents of every workspace by state, region and team', async () => {
    const { workspaces } = await run('CountedWorkspaces');
    expect(workspaces.nodes).toHaveLength(4);
    for (const { agentCounts, failedByTeam, sandboxCounts, volumeCounts } of workspaces.nodes) {
      for (const counts of [agentCounts, sandboxCounts, volumeCounts]) expect(sumOf(counts)).toBeGreaterThan(0);
      const failed = agentCounts.filter(({ value }: { value: string }) => value === 'FAILED');
      expect(sumOf(failedByTeam)).toBe(sumOf(failed));
    }
  });

  it('show the state of a workspace', async () => {
    const { overview, changes } = (await run('Overview')).workspace;
    expect(overview.kinds.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['AGENT', 'JOB']));
    for (const { total, states } of overview.kinds) expect(sumOf(states)).toBe(total);
    expect(Number(overview.cost.forecast)).toBeGreaterThan(Number(overview.cost.toDate));
    expect(changes.nodes).toHaveLength(10);
  });

  it('fill the dashboard with every kind in every workspace', async () => {
    const { workspaces } = await run('Dashboard');
    expect(workspaces.nodes).toHaveLength(4);
    for (const { agents, sandboxes, jobs, images, volumes, vpcs } of workspaces.nodes) {
      for (const list of [agents, sandboxes, jobs, images, volumes, vpcs]) expect(list.nodes).not.toHaveLength(0);
      const text = JSON.stringify([sandboxes, jobs, images, vpcs]);
      for (const part of ['"url"', '"conditions":[{', '"tags":{"nodes":[{', '"publicIp"']) expect(text).toContain(part);
    }
  });

  it('show the costs of the last thirty days by resource type, most expensive first, in daily buckets', async () => {
    const [{ displayName, dataThrough, metrics }] = (await run('MonthlyBill')).viewer.accounts;
    expect(displayName).toBe('Meridian Freight & Customs');
    expect(dataThrough).toBe('2026-11-20T11:00:00.000Z');
    expect(metrics.resolution).toBe('DAILY');
    const entries: { resourceType: string; cost: string; timeseries: unknown[] }[] = metrics.entries.nodes;
    expect(entries.map(({ resourceType }) => resourceType)).toEqual([
      'agent',
      'sandbox',
      'volume',
      'job',
      'custom_domain',
      'mcp_server',
    ]);
    for (const { timeseries } of entries) expect(timeseries).toHaveLength(30);
    const sum = entries.reduce((total, { cost }) => total + Number(cost), 0);
    expect(sum).toBeCloseTo(Number(metrics.summary.totalCost), 6);
    expect(sum).toBeGreaterThan(1_000);
  });

  it('list the ten most expensive resources', async () => {
    const [{ metrics }] = (await run('MostExpensiveResources')).viewer.accounts;
    const entries: { resourceName: string; workspaceName: string; cost: string }[] = metrics.entries.nodes;
    expect(entries).toHaveLength(10);
    const costs = entries.map(({ cost }) => Number(cost));
    expect(costs).toEqual(costs.toSorted((one, other) => other - one));
    expect(new Set(entries.map(({ resourceName, workspaceName }) => `${workspaceName}/${resourceName}`)).size).toBe(10);
  });

  it('show the cost of each agent, by the days of a time zone', async () => {
    const { agents } = await run('CostBesideAgents');
    expect(agents.nodes).toHaveLength(10);
    for (const { cost } of agents.nodes) {
      // The week begins and ends in the midst of a day of Berlin.
      expect(cost.timeseries).toHaveLength(8);
      const sum = cost.timeseries.reduce((total: number, bucket: { cost: string }) => total + Number(bucket.cost), 0);
      expect(sum).toBeCloseTo(Number(cost.total), 6);
    }
  });

  it('list the most expensive agents, page by page', async () => {
    const first = (await run('MostExpensiveAgents')).agents;
    const second = (await run('MostExpensiveAgents', { after: first.pageInfo.endCursor })).agents;
    const costs = [...first.nodes, ...second.nodes].map(({ cost }) => Number(cost.total));
    expect(costs).toHaveLength(10);
    expect(costs).toEqual(costs.toSorted((one, other) => other - one));
    expect(costs[0]).toBeGreaterThan(0);
    const found = (await run('MostExpensiveAgents', { search: 'invoice' })).agents;
    expect(found.filteredCount).toBeLessThan(first.filteredCount);
  });

  it('record an event, which is a duplicate the second time', async () => {
    const first = await run('RecordUsage');
    expect(first.recordUsage).toEqual({ accepted: 1, results: [{ outcome: 'ACCEPTED', field: null, message: null }] });
    const second = await run('RecordUsage');
    expect(second.recordUsage.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['DUPLICATE']);
  });

  it('list the billing catalog, and validate a new dimension', async () => {
    const [{ metricsSettings }] = (await run('WhatIsBilled')).viewer.accounts;
    expect(metricsSettings.billingDimensions.length).toBeGreaterThanOrEqual(12);
    expect(
      metricsSettings.billingDimensions.find(({ name }: { name: string }) => name === 'volume_storage_gbs'),
    ).toMatchObject({ isBuiltIn: true, isInUse: true, retiredFrom: null });
    const { createBillingDimension } = await run('CreateDimension');
    expect(createBillingDimension.billingDimension).toMatchObject({ name: 'model_tokens', unit: 'tokens' });
  });

  it('create an agent, update it with an expected version, and delete it', async () => {
    expect((await run('Read')).agent).toBeNull();
    expect((await run('DryRun')).createAgent.agent.metadata.url).toContain('graphiql-try-out');
    expect((await run('Read')).agent).toBeNull();
    expect((await run('Create')).createAgent.agent).toMatchObject({ version: 1, status: 'DEPLOYED' });
    const runtime = { generation: 'MK3', memory: 4096 };
    expect((await run('Update')).updateAgent.agent).toEqual({ version: 2, spec: { runtime } });
    expect((await run('Update')).updateAgent.code).toBe('version_mismatch');
    expect((await run('Read')).agent.metadata.displayName).toBe('Tried out');
    expect((await run('Delete')).deleteAgent.agent.events).toHaveLength(3);
    expect((await run('Read')).agent).toBeNull();
  });

  it('run a job, and cancel the execution', async () => {
    const before = (await run('Executions')).job.executions.totalCount;
    const { jobExecution } = (await run('RunJob')).runJob;
    expect(jobExecution).toMatchObject({ status: 'QUEUED', tasks: { length: 2 } });
    const execution: string = jobExecution.id;
    expect((await run('Cancel', { execution })).cancelJobExecution.jobExecution.status).toBe('CANCELLED');
    expect((await run('Executions')).job.executions.totalCount).toBe(before + 1);
  });

  it('list changes, and subscribe to new ones', async () => {
    const { changes } = await run('Feed', { filter: { kinds: ['AGENT'], names: ['graphiql-try-out'] } });
    expect(changes.nodes.map(({ action }: { action: string }) => action)).toEqual(['CREATED', 'UPDATED', 'DELETED']);
    const { query = '', variables = '{}' } = tabs.find((tab) => tab.query.includes('subscription Watch')) ?? {};
    const given = { ...JSON.parse(variables), after: changes.pageInfo.endCursor };
    const client = await watch(gateway.app, key, query, given, 'POST', 'Watch');
    await run('Create');
    expect((await client.next())?.data.data.changes.node).toMatchObject({
      action: 'CREATED',
      name: 'graphiql-try-out',
    });
    client.leave();
    await run('Delete');
  });

  it('list the pending shares, and decline one', async () => {
    const { pendingImageShares } = await run('PendingShares');
    expect(pendingImageShares.totalCount).toBe(2);
    const share = pendingImageShares.nodes[0].id;
    const { declineImageShare } = await run('Decline', { share });
    expect(declineImageShare.imageShare.status).toBe('DECLINED');
    expect((await run('PendingShares')).pendingImageShares.totalCount).toBe(1);
  });

  it('list the regions of the viewer, and the private locations of its account', async () => {
    const { configuration } = await run('Regions');
    const refused = configuration.regions.filter(({ allowed }: { allowed: boolean }) => allowed !== true);
    expect(configuration.regions).toHaveLength(14);
    expect(refused.map(({ name }: { name: string }) => name)).toEqual(['af-capetown-1']);
    expect(configuration.privateLocations.map(({ name }: { name: string }) => name)).toEqual([
      'hamburg-warehouse',
      'rotterdam-quay',
    ]);
  });
});

/** Everything that a field leads to, so many levels deep. */
function selectionOf(type: GraphQLOutputType, levels: number): string {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return '';
  const fields = isObjectType(named) ? Object.values(named.getFields()) : [];
  const chosen = fields.flatMap((field) => {
    if (field.args.some(isRequiredArgument) || (!isLeafType(getNamedType(field.type)) && levels === 0)) return [];
    return [fieldText(field, levels - 1)];
  });
  return `{ __typename ${chosen.join(' ')} }`;
}

function fieldText({ name, args, type }: GraphQLField<unknown, unknown>, levels: number): string {
  const page = args.some((argument) => argument.name === 'first') ? '(first: 3)' : '';
  return `${name}${page} ${selectionOf(type, levels)}`;
}

describe('A compiled query', () => {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    ({ args }) => !args.some(isRequiredArgument),
  );

  it.each(roots.map((field) => [field.name, field] as const))(
    'of %s returns exactly the result of the GraphQL executor',
    async (_name, field) => {
      const { services } = gateway.app;
      const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': mainWorkspace };
      const open = () => openContext(services, headers, 'some-request', '127.0.0.1');
      const document = parse(`{ ${fieldText(field, 4)} }`);
      const compiled = await findOperation(document, undefined).run(await open(), {});
      const executed = await execute({ schema, document, contextValue: await open() });
      const whole = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
      expect(whole(compiled.data)).toEqual(whole(executed.data));
      expect(compiled.errors?.length).toBe(executed.errors?.length);
    },
  );

  it('does not serialize strings again', async () => {
    const serialize = vi.spyOn(GraphQLString, 'serialize');
    const { agents } = await run('NewestAgents');
    expect(agents.edges).toHaveLength(20);
    expect(serialize).not.toHaveBeenCalled();
    serialize.mockRestore();
  });
});
