// Usage of one account in which every rule of grouping has a case: names that several workspaces and types share,
// types without ids, an id of two names, groups that cost nothing, and texts that sort where one would not think.
import { createRandom } from '../../src/demo/random.js';
import { openContext } from '../../src/http/open-context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { createKey, createTenant } from '../harness.js';
import type { Tenant, TestApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';

type Kind = Pick<PlainEvent, 'resourceType' | 'billingDimension'> & { ids: readonly [string, ...string[]] };

const kinds: readonly [Kind, ...Kind[]] = [
  { resourceType: 'sandbox', billingDimension: 'sandbox_compute_runtime_gbs', ids: ['i-1', 'i-2', 'i-10'] },
  { resourceType: 'sandbox', billingDimension: 'sandbox_image_storage_gbs', ids: ['i-1', 'I-1', 'i-10'] },
  { resourceType: 'agent', billingDimension: 'agent_async_requests_count', ids: ['i-2', '\u{1F69A}', '\uFFFD'] },
  { resourceType: 'volume', billingDimension: 'volume_storage_gbs', ids: [''] },
];

const names = ['api', 'web', 'Web', 'ü', 'a b', '"', "it's", 'NULL', '{x}', '\\'] as const;

/** So many events of October and November 2026, in no order. */
export function mixedUsage(count: number, account: string, workspaces: readonly [string, ...string[]]): PlainEvent[] {
  const random = createRandom(`mixture of ${account}`);
  const from = Date.UTC(2026, 9, 1);
  const events = Array.from({ length: count }, (_, n): PlainEvent => {
    const { ids, ...kind } = random.pick(kinds);
    const time = new Date(from + random.below(50 * 86_400) * 1000).toISOString();
    return {
      ...kind,
      source: 'meter',
      id: `event-${n}`,
      account,
      workspace: random.pick(workspaces),
      resourceName: random.pick(names),
      resourceUuid: random.pick(ids),
      time: time.replace('.000Z', `.${String(random.below(1_000_000_000)).padStart(9, '0')}Z`),
      usage: `${random.below(1000)}.${String(random.below(1_000_000)).padStart(6, '0')}`,
      cost: `${random.below(20)}.${String(random.below(1_000_000_000)).padStart(9, '0')}`,
    };
  });
  const [workspace] = workspaces;
  const free: PlainEvent = {
    source: 'meter',
    id: 'free',
    account,
    workspace,
    resourceType: 'custom_domain',
    resourceName: 'free.example.com',
    billingDimension: 'custom_domain_active_time_hours',
    time: '2026-10-20T12:00:00Z',
    usage: '0',
    cost: '0',
  };
  return [...events, free];
}

export interface Owner {
  tenant: Tenant;
  accountId: string;
  key: string;
  ctx: ServiceContext;
}

/** An account with some workspaces: a key of its admin, and a request context with it. */
export async function createOwner(app: TestApp, account: string, workspaces: string[]): Promise<Owner> {
  const tenant = await createTenant(app, { account, workspaces });
  const { key } = await createKey(app, tenant);
  return { tenant, accountId: tenant.accountId, key, ctx: await contextOf(app, key) };
}

export function contextOf(app: TestApp, key: string): Promise<ServiceContext> {
  return openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
}
