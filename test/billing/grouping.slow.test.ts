// The groups of a response and their fields, for every choice of dimensions.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { groupDimensions } from '../../src/metering/dimensions.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from './metrics-bodies.js';
import type { Words } from './metrics-bodies.js';
import type { PlainQuery } from './recount.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';

const running = useApp();
let owner: Owner;
const events = mixedUsage(180, 'northwind', ['main', 'side']);

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events.slice(0, 100));
  await rollUpUsage(databaseOf(owner.ctx), owner.ctx.usageMemory, owner.accountId, owner.ctx.now());
  await recordUsage(owner.ctx, events.slice(100));
});

const ask = async (words: Words) => (await askMetrics(running.app, owner, words)).body;

const window = {
  startTime: '2026-10-03T04:05:06.789Z',
  endTime: '2026-11-15T16:17:18.192021Z',
  resolution: 'daily',
  filters: {},
} as const satisfies Partial<PlainQuery>;

const dimensions = Object.keys(groupDimensions);
const singles = dimensions.map((one) => [one]);
const doubles = singles.flatMap(([one = '']) => after(one).map((other) => [one, other]));
const triples = doubles.flatMap(([one = '', other = '']) => after(other).map((third) => [one, other, third]));

function after(dimension: string): string[] {
  return dimensions.slice(dimensions.indexOf(dimension) + 1);
}

function ordersOf(items: string[]): string[][] {
  if (items.length < 2) return [items];
  return items.flatMap((first) => ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

describe('Groups', () => {
  it('can be five single dimensions, ten pairs and ten triples', () => {
    expect([singles.length, doubles.length, triples.length]).toEqual([5, 10, 10]);
  });

  it.each([[], ...singles, ...doubles, ...triples].map((groupBy) => ({ groupBy })))(
    'by $groupBy equal a recount, with their shared fields, in any order of the words',
    async ({ groupBy }) => {
      const query = { ...window, groupBy };
      const expected = expectedBody(events, query);
      for (const order of ordersOf(groupBy)) expect(await ask(wordsOf({ ...query, groupBy: order }))).toEqual(expected);
    },
  );

  it.each([...doubles, ...triples].map((groupBy) => ({ groupBy })))(
    'by $groupBy continue with a cursor of the same dimensions in another order',
    async ({ groupBy }) => {
      const orders = ordersOf(groupBy);
      const query = { ...window, groupBy };
      for (let page = 0, cursor = ''; page === 0 || cursor !== ''; page++) {
        const words = wordsOf({ ...query, groupBy: orders[page % orders.length] ?? [] });
        const body = await ask({ ...words, limit: '2', ...(cursor === '' ? {} : { cursor }) });
        expect(body).toEqual(expectedBody(events, query, { from: page * 2, size: 2 }));
        cursor = body.meta.nextCursor;
      }
    },
  );
});

describe('An entry', () => {
  const hour = { startTime: '2026-10-20T12:00:00Z', endTime: '2026-10-20T12:00:00.000000001Z' };
  const free = { resourceType: 'custom_domain', workspace: 'main', resourceName: 'free.example.com' };
  const billing = { billingDimension: 'custom_domain_active_time_hours' };
  const nothing = { cost: 0, usage: 0 };

  it.each([
    ['workspace', { workspace: 'main' }],
    ['resource_type', { resourceType: 'custom_domain' }],
    ['resource_name', free],
    ['resource_uuid', { ...free, resourceUuid: '' }],
    ['workspace,resource_type', { workspace: 'main', resourceType: 'custom_domain' }],
    ['resource_name,resource_uuid', { ...free, resourceUuid: '' }],
  ])('by %s without cost is present, with cost only', async (groupBy, fields) => {
    const { data, summary } = await ask({ ...hour, groupBy });
    const timeseries = [{ timestamp: '2026-10-20T12:00:00Z', cost: 0 }];
    expect(data).toEqual([{ ...fields, summary: { cost: 0 }, timeseries }]);
    expect(summary).toEqual({ totalCost: 0 });
  });

  it.each([
    ['billing_dimension', { resourceType: 'custom_domain' }],
    ['billing_dimension,workspace', { resourceType: 'custom_domain', workspace: 'main' }],
    ['resource_uuid,billing_dimension,resource_type', { ...free, resourceUuid: '' }],
  ])('by %s has its usage, in total and in each bucket', async (groupBy, fields) => {
    const { data, summary } = await ask({ ...hour, groupBy });
    const timeseries = [{ timestamp: '2026-10-20T12:00:00Z', ...nothing }];
    expect(data).toEqual([{ ...fields, ...billing, summary: nothing, timeseries }]);
    expect(summary).toEqual({ totalCost: 0, totalUsage: 0 });
  });

  it('has no usage if billing_dimension is only a filter', async () => {
    const { data, summary } = await ask({ ...hour, ...billing });
    expect(data).toEqual([{ summary: { cost: 0 }, timeseries: [{ timestamp: '2026-10-20T12:00:00Z', cost: 0 }] }]);
    expect(summary).toEqual({ totalCost: 0 });
  });

  it('omits fields that its resources do not share', async () => {
    const { data } = await ask(wordsOf({ ...window, groupBy: ['resource_name'] }));
    const api = data.find(({ resourceName }: { resourceName: string }) => resourceName === 'api');
    expect(Object.keys(api)).toEqual(['resourceName', 'summary', 'timeseries']);
  });
});

describe('An account without usage', () => {
  const day = { startTime: '2026-11-01T00:00:00Z', endTime: '2026-11-01T02:00:00Z' };
  const timeseries = [0, 1].map((hour) => ({ timestamp: `2026-11-01T0${hour}:00:00Z`, cost: 0 }));

  it('has one empty entry without groups, and none with groups', async () => {
    const empty = await createOwner(running.app, 'empty', ['empty-main']);
    const all = (await askMetrics(running.app, empty, day)).body;
    expect(all.summary).toEqual({ totalCost: 0 });
    expect(all.data).toEqual([{ summary: { cost: 0 }, timeseries }]);
    for (const groupBy of ['workspace', 'resource_uuid', 'billing_dimension,resource_name']) {
      const { data, meta } = (await askMetrics(running.app, empty, { ...day, groupBy })).body;
      expect({ groupBy, data, meta }).toEqual({ groupBy, data: [], meta: { hasMore: false, nextCursor: '' } });
    }
    const byUnit = (await askMetrics(running.app, empty, { ...day, groupBy: 'billing_dimension' })).body;
    expect(byUnit.summary).toEqual({ totalCost: 0, totalUsage: 0 });
  });
});
