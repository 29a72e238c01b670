// The usage that is visible to callers with partial access, through GraphQL and REST.
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, graphql, rest, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';
import { askMetrics, expectedBody, expectRefusal, wordsOf } from './metrics-bodies.js';
import { units } from './recount.js';
import type { PlainEvent } from './recount.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';

const running = useApp();
let owner: Owner;
let foreign: Owner;
const events = mixedUsage(200, 'northwind', ['main', 'side', 'dark']);

/** Keys, and the workspaces that each of them sees. */
const keys: Record<string, string> = {};
const seen: Record<string, string[]> = {
  'a member of two workspaces': ['main', 'side'],
  'a workspace admin': ['side'],
  'a member of none': [],
  'a key of an account admin that is confined to a workspace': ['dark'],
  'a key of a member of two workspaces that is confined to one of them': ['main'],
};
const names = Object.keys(seen);

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main', 'side', 'dark']);
  foreign = await createOwner(app, 'southwind', ['south']);
  await recordUsage(owner.ctx, events);
  const { tenant, accountId } = owner;
  const two = await createMember(app, 'two', { main: 'member', side: 'member' });
  const [main = '', dark = ''] = [tenant.workspaces['main'], tenant.workspaces['dark']];
  const made = {
    'a member of two workspaces': await createKey(app, { accountId, principalId: two }),
    'a workspace admin': await createKey(app, {
      accountId,
      principalId: await createMember(app, 'one', { side: 'admin' }),
    }),
    'a member of none': await createKey(app, { accountId, principalId: await createMember(app, 'none', {}) }),
    'a key of an account admin that is confined to a workspace': await createKey(app, { ...tenant, workspaceId: dark }),
    'a key of a member of two workspaces that is confined to one of them': await createKey(app, {
      accountId,
      principalId: two,
      workspaceId: main,
    }),
  };
  for (const [name, { key }] of Object.entries(made)) keys[name] = key;
});

async function createMember(app: TestApp, name: string, roles: Record<string, 'admin' | 'member'>): Promise<string> {
  const { db } = app.services;
  const { id } = await db.principal.create({ data: { kind: 'user', name: `${name}@northwind.example.com` } });
  await db.accountMember.create({ data: { accountId: owner.accountId, principalId: id, role: 'member' } });
  for (const [workspace, role] of Object.entries(roles)) {
    const workspaceId = owner.tenant.workspaces[workspace] ?? '';
    await db.workspaceMember.create({ data: { workspaceId, principalId: id, role } });
  }
  return id;
}

const visible = (name: string): PlainEvent[] => events.filter(({ workspace }) => seen[name]?.includes(workspace));
const keyOf = (name: string): { accountId: string; key: string } => ({
  accountId: owner.accountId,
  key: keys[name] ?? '',
});
const window = { startTime: '2026-10-01T00:30:00Z', endTime: '2026-11-21T00:00:00Z', resolution: 'weekly' } as const;

describe.each(names)('%s', (name) => {
  it.each([
    { groupBy: [] },
    { groupBy: ['resource_type'] },
    { groupBy: ['billing_dimension'] },
    { groupBy: ['resource_name'] },
    { groupBy: ['resource_uuid'] },
    { groupBy: ['resource_name', 'resource_uuid', 'billing_dimension'] },
  ])('sees the total of their workspaces without the names of others, by $groupBy', async ({ groupBy }) => {
    const query = { ...window, groupBy, filters: {} };
    const { body } = await askMetrics(running.app, keyOf(name), wordsOf(query));
    expect(body).toEqual(expectedBody(visible(name), query));
  });

  it('sees no more workspaces with a filter', async () => {
    for (const filters of [{ resourceName: 'api' }, { resourceUuid: 'i-1' }, { resourceType: 'sandbox' }]) {
      const query = { ...window, groupBy: ['resource_name'], filters };
      const { body } = await askMetrics(running.app, keyOf(name), wordsOf(query));
      expect(body).toEqual(expectedBody(visible(name), query));
    }
  });

  it('sees the resource types of their workspaces', async () => {
    const { startTime, endTime } = window;
    const path = `/accounts/${owner.accountId}/metrics/enums/resource-types?startTime=${startTime}&endTime=${endTime}`;
    const types = new Set(visible(name).map(({ resourceType }) => resourceType));
    expect((await rest(running.app, path, keyOf(name))).body).toEqual({ values: [...types].toSorted() });
    const { body } = await graphql(
      running.app,
      keys[name],
      `{ accounts { nodes { metricsResourceTypes(startTime: "${startTime}", endTime: "${endTime}") } } }`,
    );
    expect(body.data.accounts.nodes[0].metricsResourceTypes).toEqual([...types].toSorted());
  });

  it.each([
    'workspace=main',
    'workspace=dark',
    'workspace=no-such',
    'groupBy=workspace',
    'groupBy=resource_uuid,workspace,resource_name',
  ])('is denied the metrics of account admins: %s', (words) => {
    const asked = { ...wordsOf({ ...window, groupBy: [], filters: {} }), ...Object.fromEntries([words.split('=')]) };
    return expectRefusal(askMetrics(running.app, keyOf(name), asked), 'access_denied', 'Access denied.');
  });

  const metrics = (words: string) =>
    graphql(
      running.app,
      keys[name],
      `{ accounts { nodes { metrics(startTime: "${window.startTime}", endTime: "${window.endTime}" ${words}) {
        summary { totalCost } entries { nodes { resourceName workspaceName cost } } } } } }`,
    );

  it('sees the same through GraphQL', async () => {
    const { body } = await metrics('groupBy: [RESOURCE_NAME]');
    const { summary, entries } = body.data.accounts.nodes[0].metrics;
    const total = visible(name).reduce((sum, { cost }) => sum + units(cost, 9), 0n);
    expect(units(summary.totalCost, 9)).toBe(total);
    const workspaces = entries.nodes.map(({ workspaceName }: { workspaceName: string | null }) => workspaceName);
    expect([...(seen[name] ?? []), null]).toEqual(expect.arrayContaining(workspaces));
  });

  it.each(['workspace: "main"', 'groupBy: [WORKSPACE]', 'groupBy: [RESOURCE_NAME, WORKSPACE]', 'workspace: ""'])(
    'is denied in GraphQL, too: %s',
    async (words) => {
      const { body } = await metrics(words);
      const [error] = body.errors;
      expect(error.extensions).toMatchObject(
        words === 'workspace: ""' ? { code: 'invalid_parameter', status: 400 } : { code: 'access_denied', status: 403 },
      );
    },
  );
});

it.each(names)('The latest usage of %s is the latest in their workspaces', async (name) => {
  const query = `query ($id: ID!) { account(id: $id) { dataThrough } }`;
  const id = encodeGlobalId('Account', owner.accountId);
  const { body } = await graphql(running.app, keyOf(name).key, query, { id });
  const times = visible(name).map(({ time }) => Date.parse(time));
  const latest = body.data.account.dataThrough;
  expect(latest === null ? null : Date.parse(latest)).toBe(times.length === 0 ? null : Math.max(...times));
});

describe('An account of another tenant', () => {
  it('is not found in GraphQL, under any of its names', async () => {
    const id = encodeGlobalId('Account', owner.accountId);
    const fields = `metrics(startTime: "${window.startTime}", endTime: "${window.endTime}") { summary { totalCost } }
      dataThrough metricsResourceTypes(startTime: "${window.startTime}", endTime: "${window.endTime}")`;
    const direct = await graphql(running.app, foreign.key, `query ($id: ID!) { account(id: $id) { ${fields} } }`, {
      id,
    });
    expect(direct.body.errors[0].extensions).toMatchObject({ code: 'access_denied', status: 403 });
    const node = `query ($id: ID!) { node(id: $id) { ... on Account { ${fields} } } }`;
    expect((await graphql(running.app, foreign.key, node, { id })).body.data).toEqual({ node: null });
    const own = await graphql(running.app, foreign.key, `{ accounts { nodes { ${fields} } } }`);
    expect(own.body.data.accounts.nodes).toEqual([
      { metrics: { summary: { totalCost: '0' } }, dataThrough: null, metricsResourceTypes: [] },
    ]);
  });
});
