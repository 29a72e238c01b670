// Exports of generated usage follow the rules of FOCUS, and add up to a recount: usage of every kind of resource and
// dimension, credits, and corrections.
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'csv-parse/sync';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { createRandom } from '../../src/demo/random.js';
import { billingDimensions } from '../../src/metering/dimensions.js';
import { amendUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import type { UsageResult } from '../../src/metering/usage-result.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { brokenRules } from './focus-rules.js';
import type { Charge } from './focus-rules.js';
import { nanos, units } from './recount.js';
import type { PlainEvent } from './recount.js';

const running = useApp();
let owner: Owner;
/** The events that count. */
let counted: PlainEvent[] = [];
let results: UsageResult[] = [];

const ownDimensions = [
  { name: 'gpu_hours', unit: 'hours', kind: 'usage', resourceTypes: ['gpu', 'agent'] },
  { name: 'tokens', unit: 'Tokens', kind: 'usage', resourceTypes: ['agent', 'volume', 'custom_domain'] },
  { name: 'goodwill', unit: 'USD', kind: 'credit', resourceTypes: ['agent', 'gpu', 'custom_domain'] },
] as const;

/** Each pair of a resource type and a dimension. Raw resource types can be the name of a service. */
const pairs = [
  ...Object.entries(billingDimensions).map(([name, { resourceType }]) => ({ name, type: resourceType, sign: '' })),
  ...ownDimensions.flatMap(({ name, kind, resourceTypes }) =>
    resourceTypes.map((type) => ({ name, type, sign: kind === 'credit' ? '-' : '' })),
  ),
  { name: 'agent_compute_runtime_gbs', type: 'Agents', sign: '' },
  { name: 'volume_storage_gbs', type: 'Volumes', sign: '' },
  { name: 'sandbox_compute_runtime_gbs', type: 'constructor', sign: '' },
];

const names = ['api', 'shop.example.com', '=HYPERLINK("https://example.com")', 'a, "b"', '-1', 'ü', 'NaNo'];

function generated(count: number): PlainEvent[] {
  const random = createRandom('charges');
  return Array.from({ length: count }, (_, n): PlainEvent => {
    const { name, type, sign } = random.pick([pairs[0] ?? raise(), ...pairs.slice(1)]);
    const seconds = random.below(75 * 86_400);
    const id = random.pick(['', '', 'i-1', 'i-2']);
    return {
      source: 'meter',
      id: `event-${n}`,
      account: 'northwind',
      workspace: random.pick(['main', 'side']),
      resourceType: type,
      resourceName: random.pick([names[0] ?? '', ...names.slice(1)]),
      ...(id === '' ? {} : { resourceUuid: id }),
      billingDimension: name,
      time: new Date(Date.UTC(2026, 8, 5) + seconds * 1_000 + random.below(1_000)).toISOString(),
      usage: `${sign}${random.below(100)}.${random.below(1_000_000) + 1}`,
      cost: random.pick(['0', `${sign}${random.below(9)}.${random.below(1_000_000) + 1}`]),
    };
  });
}

beforeAll(async () => {
  const platform = await platformContext(running.app.services);
  for (const { resourceTypes, ...dimension } of ownDimensions) {
    await createBillingDimension(platform, { ...dimension, resourceTypes: [...resourceTypes], description: '' });
  }
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  const events = generated(900);
  results = await recordUsage(owner.ctx, events);
  const reason = 'a correction';
  const voided = new Set(events.slice(0, 90).map(({ id }) => id));
  await voidUsage(owner.ctx, { account: 'northwind', source: 'meter', ids: [...voided], reason });
  const amended = events.slice(90, 180).map((event) => ({ ...event, time: '2026-10-31T23:59:59.999Z' }));
  await amendUsage(owner.ctx, { account: 'northwind', events: amended, reason });
  counted = [...amended, ...events.slice(180)];
});

async function exported(words: Record<string, string>): Promise<{ columns: string[]; charges: Charge[] }> {
  const query = new URLSearchParams({ profile: 'focus', raw: 'true', ...words });
  const response = await fetch(`${running.app.origin}/v0/accounts/${owner.accountId}/metrics?${query.toString()}`, {
    headers: { authorization: `Bearer ${owner.key}`, accept: 'text/csv' },
  });
  expect(response.status).toBe(200);
  const rows: string[][] = parse(await response.text(), { record_delimiter: '\r\n' });
  const [columns = [], ...lines] = rows;
  return {
    columns,
    charges: lines.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))),
  };
}

const windows: Record<string, string>[] = [
  { startTime: '2026-09-01T00:00:00Z', endTime: '2026-11-20T00:00:00Z' },
  { startTime: '2026-09-20T00:00:00Z', endTime: '2026-11-19T00:00:00Z', resolution: 'daily' },
  { startTime: '2026-09-05T10:20:30.123456789Z', endTime: '2026-11-19T08:09:10.000000001Z', resolution: 'monthly' },
  { startTime: '2026-10-29T00:00:00.5Z', endTime: '2026-10-31T23:59:59.9995Z', resolution: 'daily' },
  { startTime: '2026-10-31T20:00:00+02:00', endTime: '2026-11-02T00:00:00-05:00', resolution: 'hourly' },
  { startTime: '2026-10-30T22:59:59.999Z', endTime: '2026-11-02T23:59:59.999Z', resolution: 'hourly' },
];

describe('Charges of generated usage', () => {
  it('have an accepted event each', () => {
    expect(results.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  it.each(windows)('follow the rules of FOCUS and add up to a recount: %j', async (window) => {
    const { columns, charges } = await exported(window);
    expect(brokenRules(columns, charges)).toEqual([]);
    const [from, to] = [nanos(window['startTime'] ?? ''), nanos(window['endTime'] ?? '')];
    const inWindow = counted.filter(({ time }) => nanos(time) >= from && nanos(time) < to);
    expect(charges.length).toBeGreaterThan(0);
    const sumsOf = (keyed: { key: readonly (string | undefined)[]; cost: bigint }[]) => {
      const sums = new Map<string, bigint>();
      for (const { key, cost } of keyed) sums.set(key.join('|'), (sums.get(key.join('|')) ?? 0n) + cost);
      return [...sums].filter(([, cost]) => cost !== 0n).toSorted(([one], [other]) => (one < other ? -1 : 1));
    };
    const recounted = inWindow.map((event) => ({
      // A resource without an id has its name as id.
      key: [
        event.resourceUuid ?? event.resourceName,
        event.resourceName,
        event.resourceType,
        event.workspace,
        event.billingDimension,
        `${event.time.slice(0, 'YYYY-MM'.length)}-01T00:00:00Z`,
      ],
      cost: nanoUsd(event.cost),
    }));
    const charged = charges.map((charge) => ({
      key: ['ResourceId', 'ResourceName', 'ResourceType', 'SubAccountId', 'SkuId', 'BillingPeriodStart'].map(
        (column) => charge[column],
      ),
      cost: nanoUsd(charge['BilledCost'] ?? ''),
    }));
    expect(sumsOf(charged)).toEqual(sumsOf(recounted));
  });

  it('have each service in one category, whatever the dimension', async () => {
    const { charges } = await exported(windows[0] ?? {});
    const services = new Set(charges.map((charge) => `${charge['ServiceName']}: ${charge['ServiceSubcategory']}`));
    expect([...services].toSorted()).toEqual([
      'Agents: Serverless Compute',
      'Custom Domains: Application Networking',
      'Jobs: Serverless Compute',
      'MCP Servers: Serverless Compute',
      'Sandboxes: Virtual Machines',
      'Volumes: Block Storage',
      'constructor: Other (Other)',
      'gpu: Other (Other)',
    ]);
  });
});

function nanoUsd(text: string): bigint {
  return text.startsWith('-') ? -units(text.slice(1), 9) : units(text, 9);
}

function raise(): never {
  throw new RangeError('there is no pair');
}
