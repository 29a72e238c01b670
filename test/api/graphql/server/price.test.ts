// The cost of an operation: reported without running it, with the most expensive field, and low for ordinary
// dashboards.
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, useApp } from '../../../harness.js';
import type { Answer } from '../../../harness.js';
import { addPlatform } from '../../../platform.js';

const running = useApp();
let key: string;
let readerKey: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(app, tenant));
  ({ key: readerKey } = await createKey(app, { ...tenant, scope: 'agents:list' }));
  const workspaceId = tenant.workspaces['main'] ?? '';
  await addPlatform(app, workspaceId, 'main');
  await addAgents(
    app,
    workspaceId,
    Array.from({ length: 30 }, (_, index) => anAgent(`agent-${index}`)),
  );
});

async function send(body: Record<string, unknown>, as = key, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${running.app.origin}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${as}`,
      'x-service-workspace': 'main',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const month = 'startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-20T00:00:00Z"';
const metadata = 'metadata { name displayName labels { key value } createdAt updatedAt createdBy }';

/** The queries of dashboards as users write them, without page sizes. */
const dashboards = {
  'agents and their states': `{ agents { totalCount filteredCount nodes { id status ${metadata} } pageInfo { endCursor hasNextPage } } }`,
  'failed agents over the account': `{ account(name: "northwind") { agents(filter: { status: { in: [FAILED] } }) {
    filteredCount nodes { id status workspace { name } ${metadata} } } } }`,
  'agents with their cost by day': `{ agents { nodes { id ${metadata} cost(${month}, resolution: DAILY) { total timeseries { timestamp cost } } } } }`,
  'the dearest ten': `{ agents(first: 10, orderBy: { field: COST, direction: DESC, window: { ${month} } }) { nodes { id ${metadata} cost(${month}) { total } } } }`,
  'the bill by day and dimension': `{ account(name: "northwind") { metrics(${month}, groupBy: [BILLING_DIMENSION]) {
    summary { totalCost } entries(first: 20) { nodes { billingDimension cost usage timeseries { timestamp cost usage } } } } } }`,
  'the workspace at a glance': `{ workspace(name: "main") {
    overview { kinds { kind total states { value count } } failures { count newest { kind id name time } } cost { toDate forecast } }
    changes(last: 10) { nodes { time action kind name } } } }`,
  'jobs and their last executions': `{ jobs { nodes { id status ${metadata} executions(first: 3) { nodes { id status } } } } }`,
  'sandboxes and their previews':
    '{ sandboxes { nodes { id status metadata { name url } previews(first: 5) { nodes { id spec { url public } } } } } }',
  'counts of everything': `{ workspaces { nodes { name agentCounts(by: STATUS) { value count } sandboxCounts(by: STATUS) { value count }
    jobCounts(by: STATUS) { value count } volumeCounts(by: REGION) { value count } } } }`,
  'volumes and their workloads':
    '{ volumes { nodes { id spec { sizeMb region } attachedTo { __typename id metadata { name } } } } }',
  'networks, whole': `{ vpcs { nodes { id status metadata { name } egressGateways { nodes { id metadata { name }
    ips { nodes { id metadata { name } spec { publicIp ipFamily } } } } } } } }`,
};

const half = 25_000;

describe('The query cost', () => {
  it.each(Object.entries(dashboards))('of %s is under half of the limit', async (_, query) => {
    const { body } = await send({ query });
    expect(body.errors).toBeUndefined();
    expect(body.extensions.cost.complexity).toBeLessThan(half);
    expect(body.extensions.cost.complexityMax).toBe(2 * half);
  });

  it('is returned by a dry run, which executes nothing', async () => {
    running.app.statements.length = 0;
    const create =
      'mutation ($name: String!) { createAgent(input: { metadata: { name: $name }, spec: {} }) { __typename } }';
    const dry = await send({ query: create, variables: { name: 'never-made' }, extensions: { dryRun: true } });
    expect([dry.status, dry.body.data, dry.body.errors]).toEqual([200, null, undefined]);
    expect(dry.body.extensions.cost).toMatchObject({ depth: 2, mostExpensiveField: { path: ['createAgent'] } });
    expect(running.app.statements.filter((sql) => /INSERT|"agent"/.test(sql))).toEqual([]);
    const { body } = await send({ query: '{ agent(name: "never-made") { id } }' });
    expect(body.data.agent).toBeNull();
    const run = await send({ query: '{ agents { nodes { id } } }' });
    const asked = await send({ query: '{ agents { nodes { id } } }', extensions: { dryRun: true } });
    expect(asked.body.extensions.cost.complexity).toBe(run.body.extensions.cost.complexity);
  });

  it('of introspection and of a subscription is reported alike, on every transport', async () => {
    for (const query of ['{ __schema { types { name } } }', 'subscription { changes { cursor } }']) {
      const { body } = await send({ query, extensions: { dryRun: true } });
      expect(body).toMatchObject({ data: null, extensions: { cost: { complexity: expect.any(Number) } } });
    }
    const extensions = encodeURIComponent(JSON.stringify({ dryRun: true }));
    const query = encodeURIComponent('{ agents { totalCount } }');
    const response = await fetch(`${running.app.origin}/graphql?query=${query}&extensions=${extensions}`, {
      headers: { authorization: `Bearer ${key}`, 'x-service-workspace': 'main' },
    });
    expect(await response.json()).toMatchObject({ data: null, extensions: { cost: { depth: 2 } } });
  });

  it('with a dryRun that is neither true nor false returns 400', async () => {
    const { body } = await send({ query: '{ viewer { name } }', extensions: { dryRun: 'yes' } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'invalid_parameter', field: 'extensions.dryRun' } }]);
  });

  it('is reported with an error that names the most expensive field', async () => {
    const metrics = (name: string) =>
      `${name}: metrics(${month}) { entries(first: 100) { nodes { timeseries { timestamp cost } } } }`;
    const many = Array.from({ length: 30 }, (_, index) => metrics(`m${index}`)).join(' ');
    const { body } = await send({ query: `{ viewer { name } account(name: "northwind") { ${many} } }` });
    expect(body.data).toBeUndefined();
    expect(body.errors).toMatchObject([{ extensions: { code: 'query_too_complex' } }]);
    const { complexity, complexityMax, mostExpensiveField } = body.extensions.cost;
    expect(complexity).toBeGreaterThan(complexityMax);
    expect(mostExpensiveField.path).toEqual(['account']);
    expect(mostExpensiveField.complexity).toBeLessThanOrEqual(complexity);
    const one = await send({
      query: `query ($n: Int) { viewer { name } a: account(name: "northwind") { ...M } } fragment M on Account {
        metrics(${month}) { entries(first: $n) { nodes { timeseries { timestamp cost } } } } }`,
      variables: { n: 100 },
      extensions: { dryRun: true },
    });
    expect(one.body.extensions.cost.mostExpensiveField.path).toEqual([
      'a',
      'metrics',
      'entries',
      'nodes',
      'timeseries',
    ]);
  });

  it('of lists without a size counts only the resources that the caller may list', async () => {
    const query = dashboards['networks, whole'];
    const sizes = running.app.statements;
    sizes.length = 0;
    const { body } = await send({ query });
    expect(body.errors).toBeUndefined();
    expect(sizes.filter((sql) => sql.includes('"egress_ip"') && sql.includes('LIMIT'))).not.toEqual([]);
    const refused = await send({ query }, readerKey);
    expect(refused.body.errors).toMatchObject([{ extensions: { code: 'query_too_complex' } }]);
    expect(refused.body.extensions.cost.mostExpensiveField.path).toEqual([
      'vpcs',
      'nodes',
      'egressGateways',
      'nodes',
      'ips',
      'nodes',
    ]);
  });
});
