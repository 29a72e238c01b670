// The size of a page, and which cursors are valid for which query.
import { beforeAll, describe, expect, it } from 'vitest';
import { recordUsage } from '../../src/metering/usage.js';
import { addAgents, anAgent, createKey, graphql, rest, useApp } from '../harness.js';
import { askMetrics, expectedBody, expectRefusal, wordsOf } from './metrics-bodies.js';
import type { Words } from './metrics-bodies.js';
import type { PlainQuery } from './recount.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let owner: Owner;
let other: Owner;

/** 130 resources in each of two accounts. */
const usageOf = (account: string) =>
  Array.from({ length: 260 }, (_, n) =>
    usageEvent(n, {
      account,
      workspace: `${account}-${n % 2}`,
      resourceName: `r-${n % 130}`,
      resourceUuid: `i-${n % 130}`,
    }),
  );
const events = usageOf('northwind');

beforeAll(async () => {
  const [created, another] = [
    await createOwner(running.app, 'northwind', ['northwind-0', 'northwind-1']),
    await createOwner(running.app, 'southwind', ['southwind-0', 'southwind-1']),
  ];
  [owner, other] = [created, another];
  await recordUsage(owner.ctx, events);
  await recordUsage(other.ctx, usageOf('southwind'));
});

const query: PlainQuery = {
  startTime: '2026-11-01T00:00:00Z',
  endTime: '2026-11-08T00:00:00Z',
  resolution: 'daily',
  groupBy: ['resource_name'],
  filters: {},
};
const words = wordsOf(query);
const ask = (more: Words) => askMetrics(running.app, owner, { ...words, ...more });

describe('A page', () => {
  it.each([undefined, '100', '101', '1000', '99999999999999999999'])(
    'contains 100 groups with limit %s',
    async (limit) => {
      const first = await ask(limit === undefined ? {} : { limit });
      expect(first.body).toEqual(expectedBody(events, query));
      const second = await ask({ ...(limit === undefined ? {} : { limit }), cursor: first.body.meta.nextCursor });
      expect(second.body).toEqual(expectedBody(events, query, { from: 100, size: 100 }));
      expect(second.body.data).toHaveLength(30);
    },
  );

  it.each(['1', '99', '007'])('contains at most limit %s groups', async (limit) => {
    expect((await ask({ limit })).body).toEqual(expectedBody(events, query, { from: 0, size: Number(limit) }));
  });

  it('with the exact remainder is the last, and has no cursor', async () => {
    const { meta } = (await ask({ limit: '65' })).body;
    const last = await ask({ limit: '65', cursor: meta.nextCursor });
    expect(last.body).toEqual(expectedBody(events, query, { from: 65, size: 65 }));
    expect(last.body.meta).toEqual({ hasMore: false, nextCursor: '' });
  });

  it('can have another size than the one before', async () => {
    const { meta } = (await ask({ limit: '7' })).body;
    expect((await ask({ limit: '11', cursor: meta.nextCursor })).body).toEqual(
      expectedBody(events, query, { from: 7, size: 11 }),
    );
  });

  it('is the first when its cursor is empty', async () => {
    expect((await ask({ cursor: '' })).body).toEqual(expectedBody(events, query));
  });
});

describe('A cursor', () => {
  const cursor = async (more: Words = {}): Promise<string> => (await ask({ limit: '1', ...more })).body.meta.nextCursor;
  const mismatch =
    'cursor belongs to a different query. Keep the workspace, filters and order, or start from the first page';

  it.each<Words>([
    { startTime: '2026-11-01T00:00:00.000000001Z' },
    { endTime: '2026-11-07T23:59:59Z' },
    { resolution: 'weekly' },
    { groupBy: 'resource_uuid' },
    { groupBy: 'resource_name,workspace' },
    { workspace: 'northwind-0' },
    { resourceType: 'sandbox' },
    { resourceName: 'r-1' },
    { resourceUuid: 'i-1' },
    { billingDimension: 'sandbox_compute_runtime_gbs' },
  ])('is rejected for another query: %s', async (more) => {
    await expectRefusal(ask({ ...more, cursor: await cursor() }), 'cursor_mismatch', mismatch);
  });

  it('of one filter is rejected for another filter of the same value', async () => {
    const given = await cursor({ groupBy: 'billing_dimension,resource_uuid', resourceType: 'sandbox' });
    const asked = ask({ groupBy: 'billing_dimension,resource_uuid', resourceName: 'sandbox', cursor: given });
    await expectRefusal(asked, 'cursor_mismatch', mismatch);
  });

  it('of one account is rejected for another', async () => {
    const given = askMetrics(running.app, other, { ...words, cursor: await cursor() });
    await expectRefusal(given, 'cursor_mismatch', mismatch);
  });

  it('of a caller with full access is rejected for a caller with partial access', async () => {
    const { accountId, tenant } = owner;
    const { key } = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['northwind-0'] ?? '' });
    const given = askMetrics(running.app, { accountId, key }, { ...words, cursor: await cursor() });
    await expectRefusal(given, 'cursor_mismatch', mismatch);
  });

  it('of the cost order is rejected for the key order', async () => {
    const { body: found } = await graphql(
      running.app,
      owner.key,
      `{ accounts { nodes { metrics(startTime: "${query.startTime}", endTime: "${query.endTime}", resolution: DAILY,
        groupBy: [RESOURCE_NAME], orderBy: { field: COST, direction: DESC }) { entries(first: 1) { pageInfo { endCursor } } } } } }`,
    );
    const { endCursor } = found.data.accounts.nodes[0].metrics.entries.pageInfo;
    await expectRefusal(ask({ cursor: endCursor }), 'cursor_mismatch', mismatch);
  });

  it('of another list is rejected', async () => {
    const [workspaceId] = Object.values(owner.tenant.workspaces);
    await addAgents(running.app, workspaceId, [anAgent('one'), anAgent('two')]);
    const headers = { 'x-service-workspace': 'northwind-0' };
    const agents = await rest(running.app, '/agents?limit=1', { key: owner.key, version: '2026-04-28', headers });
    await expectRefusal(ask({ cursor: agents.body.meta.nextCursor }), 'cursor_mismatch', mismatch);
  });

  it.each(['nonsense', ' ', '0', 'null', 'a'.repeat(4000)])('rejects forged values: "%s"', (made) =>
    expectRefusal(ask({ cursor: made }), 'cursor_invalid', 'cursor must be a cursor that this service returned'),
  );

  it('is rejected if one character is changed', async () => {
    const given = await cursor();
    const middle = Math.floor(given.length / 2);
    const changed = `${given.slice(0, middle)}${given[middle] === 'A' ? 'B' : 'A'}${given.slice(middle + 1)}`;
    await expectRefusal(
      ask({ cursor: changed }),
      'cursor_invalid',
      'cursor must be a cursor that this service returned',
    );
  });

  it('is the same for an explicit and a default resolution, and for any spelling of the times', async () => {
    const { resolution: _resolution, ...chosen } = words;
    const given = await cursor();
    const asked = { ...chosen, startTime: '2026-11-01T02:00:00.000+02:00', cursor: given };
    const { body } = await askMetrics(running.app, owner, asked);
    expect(body).toEqual(expectedBody(events, query, { from: 1, size: 100 }));
  });
});
