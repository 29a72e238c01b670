// However an answer is read, its pages are all of the moment of the first, whatever arrives and is rolled up meanwhile.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { askedInRest } from '../../src/billing/metrics-query.js';
import { getMetrics } from '../../src/billing/metrics.js';
import type { MetricsOrder } from '../../src/billing/metrics-query.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from './metrics-bodies.js';
import { recount } from './recount.js';
import type { PlainEvent, PlainQuery } from './recount.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';

const running = useApp();
let owner: Owner;
/** All that is there by now. */
const events = mixedUsage(150, 'northwind', ['main', 'side']);

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
});

const rollUp = () => rollUpUsage(databaseOf(owner.ctx), owner.ctx.usageMemory, owner.accountId, owner.ctx.now());

/** Events that arrive between two pages: more of existing groups, late and at the edges, and new groups. */
async function arrive(round: number): Promise<void> {
  const again = events.slice(round, round + 8).map((event, n) => ({ ...event, id: `again-${events.length}-${n}` }));
  const [first] = again;
  if (first === undefined) throw new Error('there is no usage');
  const times = ['2026-10-03T04:30:00Z', '2026-10-03T04:05:06.789Z', '2026-11-15T16:17:18Z', '2026-10-04T00:00:00Z'];
  const backfilled = times.map((time, n) => ({ ...first, id: `backfilled-${events.length}-${n}`, time }));
  const unknown: PlainEvent = {
    ...first,
    id: `new-${events.length}`,
    resourceType: 'job',
    resourceName: `new-${round}`,
    billingDimension: 'job_compute_runtime_gbs',
  };
  const arriving = [...again, ...backfilled, unknown];
  const results = await recordUsage(owner.ctx, arriving);
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  events.push(...arriving);
  if (round % 2 === 0) await rollUp();
}

const window = { startTime: '2026-10-03T04:05:06.789Z', endTime: '2026-11-15T16:17:18.192021Z' } as const;

const questions: Pick<PlainQuery, 'groupBy' | 'filters' | 'resolution'>[] = [
  { groupBy: ['workspace', 'resource_type', 'billing_dimension'], filters: {}, resolution: 'weekly' },
  { groupBy: ['resource_type'], filters: { workspace: 'main' }, resolution: 'daily' },
  { groupBy: ['resource_uuid', 'billing_dimension'], filters: { resourceName: 'api' }, resolution: 'monthly' },
  { groupBy: ['workspace', 'resource_name'], filters: { resourceUuid: 'i-1' }, resolution: 'weekly' },
  { groupBy: ['resource_uuid'], filters: {}, resolution: 'daily' },
  { groupBy: ['resource_name', 'resource_type'], filters: { workspace: 'side' }, resolution: 'monthly' },
];

describe('Pages, while usage arrives between them', () => {
  it.each(questions)('contain the groups of $groupBy under $filters once, with one summary', async (question) => {
    const query = { ...window, ...question };
    const then = [...events];
    let pages = 0;
    for (let cursor = ''; pages === 0 || cursor !== ''; pages++) {
      const words = { ...wordsOf(query), limit: '1', ...(cursor === '' ? {} : { cursor }) };
      const { body } = await askMetrics(running.app, owner, words);
      expect(body).toEqual(expectedBody(then, query, { from: pages, size: 1 }));
      cursor = body.meta.nextCursor;
      await arrive(pages);
    }
    expect(pages).toBeGreaterThan(3);
    const whole = await askMetrics(running.app, owner, wordsOf(query));
    expect(whole.body).toEqual(expectedBody(events, query));
  });

  const orders: { order: MetricsOrder; groupBy: string[] }[] = [
    { order: 'cost:desc', groupBy: ['workspace', 'resource_type', 'billing_dimension'] },
    { order: 'cost:asc', groupBy: ['workspace', 'billing_dimension'] },
    { order: 'cost:desc', groupBy: ['resource_name', 'workspace'] },
    { order: 'cost:asc', groupBy: ['resource_uuid'] },
  ];

  it.each(orders)('contain the groups of $groupBy once in the order $order, too', async ({ order, groupBy }) => {
    const query: PlainQuery = { ...window, resolution: 'weekly', groupBy, filters: {} };
    const sign = order === 'cost:desc' ? -1 : 1;
    const expected = recount(events, query).toSorted((one, other) =>
      one.cost === other.cost ? 0 : one.cost < other.cost ? -sign : sign,
    );
    const total = expected.reduce((sum, { cost }) => sum + cost, 0n);
    const found: { key: string[]; cost: bigint }[] = [];
    for (let cursor = '', pages = 0; pages === 0 || cursor !== ''; pages++) {
      const asked = askedInRest({ ...wordsOf(query), limit: '2', cursor });
      const paging = { ...asked.paging, order };
      const page = await getMetrics(owner.ctx, owner.accountId, () => ({ ...asked, paging }));
      expect(page.total.cost).toBe(total);
      found.push(...page.groups.map(({ key, cost }) => ({ key, cost })));
      cursor = page.nextCursor;
      await arrive(pages);
    }
    expect(found).toEqual(expected.map(({ key, cost }) => ({ key, cost })));
  });
});
