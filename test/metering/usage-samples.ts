// Valid usage events, and queries of their account.
import { askedInRest } from '../../src/billing/metrics-query.js';
import { getMetrics } from '../../src/billing/metrics.js';
import { openContext } from '../../src/http/open-context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { createKey, createTenant } from '../harness.js';
import type { TestApp } from '../harness.js';
import { units } from '../billing/recount.js';
import type { PlainEvent } from '../billing/recount.js';

/** Different times of an event, all of them past by the clock of the tests. */
const timesCount = 1_300;

/** The n-th event of the account northwind. Fields replace the defaults. */
export function usageEvent(n: number, more: Partial<PlainEvent> = {}): PlainEvent {
  return {
    source: 'meter',
    id: `event-${n}`,
    account: 'northwind',
    workspace: 'main',
    resourceType: 'sandbox',
    resourceName: `sandbox-${n % 7}`,
    resourceUuid: `i-${n % 7}`,
    billingDimension: 'sandbox_compute_runtime_gbs',
    time: new Date(Date.UTC(2026, 10, 1) + (n % timesCount) * 1_234_567).toISOString(),
    usage: `${n % 100}.000001`,
    cost: `${n % 10}.000000001`,
    ...more,
  };
}

/** The account northwind with its workspace main: a key of its admin, and a request context with it. */
export async function northwind(app: TestApp): Promise<{ accountId: string; key: string; ctx: ServiceContext }> {
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const { key } = await createKey(app, tenant);
  const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
  return { accountId: tenant.accountId, key, ctx };
}

/** Cost and usage of all time, by resource: a query that uses every table of sums. */
export async function sumsOf(ctx: ServiceContext, accountId: string): Promise<{ cost: bigint; usage: bigint }[]> {
  const window = { startTime: '2000-01-01T00:00:00.5Z', endTime: '2100-12-31T00:00:00Z' };
  const found: { cost: bigint; usage: bigint }[] = [];
  for (const groupBy of ['billing_dimension', 'billing_dimension,resource_uuid']) {
    const sum = { cost: 0n, usage: 0n };
    for (let cursor = '', isLast = false; !isLast;) {
      const page = await getMetrics(ctx, accountId, () => askedInRest({ ...window, groupBy, cursor }));
      for (const { cost, usage } of page.groups) {
        sum.cost += cost;
        sum.usage += usage;
      }
      if (cursor === '') found.push({ cost: page.total.cost, usage: page.total.usage });
      cursor = page.nextCursor;
      isLast = !page.hasMore;
    }
    found.push(sum);
  }
  return found;
}

/** The expected result of sumsOf. */
export function sumsExpected(events: Iterable<PlainEvent>): { cost: bigint; usage: bigint }[] {
  const sum = { cost: 0n, usage: 0n };
  for (const event of events) {
    sum.cost += units(event.cost, 9);
    sum.usage += units(event.usage, 6);
  }
  return [sum, sum, sum, sum];
}
