// Any query, for any events, equals a recount of the events to the last nano-unit.
import { databaseOf } from '../../src/auth/context.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../../src/http/open-context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { billingDimensions, groupDimensions } from '../../src/metering/dimensions.js';
import { askedInRest } from '../../src/billing/metrics-query.js';
import { getMetrics } from '../../src/billing/metrics.js';
import type { MetricsPage } from '../../src/billing/read-metrics.js';
import { bucketTimes } from '../../src/billing/report.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createTenant, useApp } from '../harness.js';
import { recount } from './recount.js';
import type { PlainEntry, PlainEvent, PlainQuery } from './recount.js';

const running = useApp();
let ctx: ServiceContext;

beforeAll(async () => {
  const { app } = running;
  // Behind all events: one that is ahead of the clock is refused.
  app.clock.now = new Date('2028-01-01T00:00:00Z');
  // Usage of another account, which no response may contain.
  const other = await createTenant(app, { account: 'other', workspaces: ['other-main'] });
  const { key } = await createKey(app, other);
  const otherCtx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
  for (const name of credits) {
    const resourceTypes = ['sandbox', 'agent', 'job'];
    await createBillingDimension(await platformContext(app.services), {
      name,
      unit: 'USD',
      kind: 'credit',
      resourceTypes,
      description: '',
    });
  }
  const [event] = fc.sample(eventOf('other', ['other-main']), { seed: 1, numRuns: 1 });
  await recordUsage(otherCtx, [event]);
});

/** Few values of each kind, so that groups contain several events; some with an unusual sort order. */
const names = ['a', 'b-1', 'B', 'zz', 'ü', '\u{1F69A}', '\uFFFD', 'a b', '"', "it's", 'NULL'];
const uuids = ['', '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11', 'i-2', 'i-10', '\u{1F69A}'];

/** Times that crowd around borders of hours, days, weeks, months and leap days. */
const borders = [
  '2024-02-28T23:00:00Z', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z', '2024-03-04T00:00:00Z', '2024-12-30T00:00:00Z',
  '2025-01-01T00:00:00Z', '2025-02-28T12:00:00Z', '2025-03-01T00:00:00Z', '2026-11-16T00:00:00Z', '2000-01-03T00:00:00Z',
].map((text) => Date.parse(text)); // prettier-ignore

const instant = fc
  .record({
    border: fc.constantFrom(...borders),
    seconds: fc.oneof(
      fc.integer({ min: -7200, max: 7200 }),
      fc.integer({ min: -10 * 86_400, max: 10 * 86_400 }),
      fc.integer({ min: 0, max: 400 * 86_400 }),
      fc.constant(0),
    ),
    nano: fc.oneof(fc.constant(0), fc.constant(999_999_999), fc.integer({ min: 0, max: 999_999_999 })),
    offset: fc.constantFrom('Z', '+00:00', '+05:30', '-11:45'),
  })
  .map(({ border, seconds, nano, offset }) => {
    const sign = offset.startsWith('-') ? -1 : 1;
    const [hours = 0, minutes = 0] = offset === 'Z' ? [] : offset.slice(1).split(':').map(Number);
    const shifted = new Date(
      Math.max(border + seconds * 1000, borders[9] ?? 0) + sign * (hours * 60 + minutes) * 60_000,
    );
    const fraction = nano === 0 ? '' : `.${String(nano).padStart(9, '0')}`;
    return `${shifted.toISOString().slice(0, 19)}${fraction}${offset}`;
  });

const decimal = (digits: number, wholeMax: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: wholeMax }), fc.integer({ min: 0, max: 10 ** digits - 1 }), fc.boolean())
    .map(([whole, fraction, isWhole]) => (isWhole ? `${whole}` : `${whole}.${String(fraction).padStart(digits, '0')}`));

/** Dimensions of credits, with negative amounts. */
const credits = ['goodwill', 'a_refund'];

const givenBack = (event: PlainEvent): PlainEvent => ({
  ...event,
  usage: event.usage === '0' ? '0' : `-${event.usage}`,
  cost: event.cost === '0' ? '0' : `-${event.cost}`,
});

function eventOf(account: string, workspaces: string[]): fc.Arbitrary<PlainEvent> {
  return fc
    .record({
      source: fc.constantFrom('meter-1', 'meter-2'),
      id: fc.uuid(),
      account: fc.constant(account),
      workspace: fc.constantFrom(...workspaces),
      resourceType: fc.constantFrom('sandbox', 'agent', 'job'),
      resourceName: fc.constantFrom(...names),
      resourceUuid: fc.constantFrom(...uuids),
      billingDimension: fc.constantFrom(...Object.keys(billingDimensions).slice(0, 4), ...credits),
      time: instant,
      usage: decimal(6, 1_000_000),
      cost: fc.oneof(fc.constant('0'), decimal(9, 1_000)),
    })
    .map((event) => (credits.includes(event.billingDimension) ? givenBack(event) : event));
}

const windowLengths: Record<PlainQuery['resolution'], number> = {
  hourly: 7 * 86_400,
  daily: 90 * 86_400,
  weekly: 365 * 86_400,
  monthly: 3 * 365 * 86_400,
};

function queryOf(events: PlainEvent[]): fc.Arbitrary<PlainQuery & { limit: number }> {
  const event = fc.constantFrom(...events);
  const filtered = fc.record(
    {
      workspace: event.map((each) => each.workspace),
      resourceType: event.map((each) => each.resourceType),
      resourceName: event.map((each) => each.resourceName),
      resourceUuid: event.map((each) => each.resourceUuid || 'i-2'),
      billingDimension: event.map((each) => each.billingDimension),
    },
    { requiredKeys: [] },
  );
  return fc
    .record({
      near: fc.oneof(
        event.map(({ time }) => time),
        instant,
      ),
      resolution: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
      seconds: fc.double({ min: 0, max: 1, noNaN: true }),
      before: fc.double({ min: 0, max: 1, noNaN: true }),
      isWhole: fc.boolean(),
      groupBy: fc.subarray(Object.keys(groupDimensions), { maxLength: 3 }),
      filters: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: filtered }),
      limit: fc.constantFrom(1, 2, 3, 7, 100),
    })
    .map(({ near, resolution, seconds, before, isWhole, groupBy, filters, limit }) => {
      const length = Math.ceil(seconds ** 3 * windowLengths[resolution] * 1000) + 1;
      const step = isWhole ? 3_600_000 : 1;
      const at = Date.parse(near.replace(/\.\d+/, ''));
      const start = Math.max(Math.floor((at - before * length) / step) * step, Date.UTC(2000));
      const end = start + Math.min(Math.ceil(length / step) * step, windowLengths[resolution] * 1000);
      const startTime = new Date(start).toISOString();
      return { startTime, endTime: new Date(end).toISOString(), resolution, groupBy, filters, limit };
    });
}

function plain(page: MetricsPage): PlainEntry[] {
  const times = bucketTimes(page.query);
  const fieldOf: Record<string, string> = {
    workspace: 'workspace',
    resource_type: 'resourceType',
    resource_name: 'resourceName',
    resource_uuid: 'resourceUuid',
    billing_dimension: 'billingDimension',
  };
  return page.groups.map(({ key, values, cost, usage, buckets }) => ({
    key,
    fields: Object.fromEntries(Object.entries(values).map(([dimension, value]) => [fieldOf[dimension] ?? '', value])),
    cost,
    usage,
    timeseries: times.map((timestamp, order) => {
      const amounts = buckets.get(order) ?? { cost: '0', usage: '0' };
      return { timestamp, cost: BigInt(amounts.cost), usage: BigInt(amounts.usage) };
    }),
  }));
}

async function pagesOf(accountId: string, query: PlainQuery & { limit: number }, between: () => Promise<void>) {
  const { groupBy, filters, limit, ...rest } = query;
  const pages: MetricsPage[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await getMetrics(ctx, accountId, () =>
      askedInRest({
        ...rest,
        ...filters,
        ...(groupBy.length === 0 ? {} : { groupBy: groupBy.join(',') }),
        limit: String(limit),
        cursor,
      }),
    );
    pages.push(page);
    expect(page.hasMore).toBe(page.nextCursor !== '');
    if (!page.hasMore) return pages;
    cursor = page.nextCursor;
    await between();
  }
}

let tenants = 0;

async function newAccount(): Promise<{ accountId: string; account: string; workspaces: string[] }> {
  const account = `account-${tenants++}`;
  const workspaces = [`${account}-main`, `${account}-side`];
  const tenant = await createTenant(running.app, { account, workspaces });
  const { key } = await createKey(running.app, tenant);
  ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'test');
  return { accountId: tenant.accountId, account, workspaces };
}

const runs = Number(process.env['PROPERTY_RUNS'] ?? 12);
const queriesPerRun = 30;

describe('Account metrics', () => {
  it(
    'equal a recount of the events, on all pages, for any window, grouping and filter',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const { accountId, account, workspaces } = await newAccount();
          const [events = []] = fc.sample(fc.array(eventOf(account, workspaces), { minLength: 1, maxLength: 150 }), {
            seed,
            numRuns: 1,
          });
          const half = Math.floor(events.length / 2);
          await recordUsage(ctx, events.slice(0, half));
          if (seed % 2 === 0) await rollUpUsage(databaseOf(ctx), ctx.usageMemory, accountId, ctx.now());
          for (const event of events.slice(half)) await recordUsage(ctx, [event]);
          const later = fc.sample(eventOf(account, workspaces), { seed: seed + 1, numRuns: 200 });
          const known = [...events];
          for (const query of fc.sample(queryOf(events), { seed, numRuns: queriesPerRun })) {
            const expected = recount(known, query);
            const arriving: PlainEvent[] = [];
            const pages = await pagesOf(accountId, query, async () => {
              // Usage keeps arriving between the pages, of series old and new; none of it may be seen.
              const more = later.splice(0, 1);
              const [first] = known;
              const again = first === undefined ? [] : [{ ...first, id: `again-${known.length}-${arriving.length}` }];
              arriving.push(...more, ...again);
              await recordUsage(ctx, [...more, ...again]);
              if (arriving.length % 3 === 0) await rollUpUsage(databaseOf(ctx), ctx.usageMemory, accountId, ctx.now());
            });
            known.push(...arriving);
            expect(pages.flatMap(plain)).toEqual(expected);
            const total = expected.reduce((sum, { cost }) => sum + cost, 0n);
            expect(pages.map((page) => page.total.cost)).toEqual(pages.map(() => total));
            for (const { groups } of pages) {
              for (const { cost, buckets } of groups) {
                expect([...buckets.values()].reduce((sum, amounts) => sum + BigInt(amounts.cost), 0n)).toBe(cost);
              }
            }
          }
        }),
        { numRuns: runs, endOnFailure: true },
      );
    },
  );

  it('in cost order contain each group once, with the same sums', { timeout: 600_000 }, async () => {
    const { accountId, account, workspaces } = await newAccount();
    const events = fc.sample(eventOf(account, workspaces), { seed: 7, numRuns: 120 });
    await recordUsage(ctx, events);
    for (const query of fc.sample(queryOf(events), { seed: 8, numRuns: queriesPerRun })) {
      const { groupBy, filters, limit, ...rest } = query;
      for (const order of ['cost:desc', 'cost:asc'] as const) {
        const found: PlainEntry[] = [];
        for (let cursor: string | undefined, isLast = false; !isLast;) {
          const given = { ...rest, ...filters, limit: String(limit), cursor };
          const asked = askedInRest(groupBy.length === 0 ? given : { ...given, groupBy: groupBy.join(',') });
          const paging = { ...asked.paging, order };
          const page = await getMetrics(ctx, accountId, () => ({ ...asked, paging }));
          found.push(...plain(page));
          cursor = page.nextCursor;
          isLast = !page.hasMore;
        }
        const sign = order === 'cost:desc' ? -1 : 1;
        const expected = recount(events, query).toSorted((one, other) =>
          one.cost === other.cost ? 0 : one.cost < other.cost ? -sign : sign,
        );
        expect(found).toEqual(expected);
      }
    }
  });
});
