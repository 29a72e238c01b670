// Credits: a dimension has a fixed kind, its amounts are negative through every transport, and all responses include
// them.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { costAt, emptyCatalog } from '../../src/metering/billing-catalog.js';
import type { BillingCatalog } from '../../src/metering/billing-catalog.js';
import { instantFromMs } from '../../src/metering/instant.js';
import { latestUsageTime, usageEventFrom } from '../../src/metering/usage-event.js';
import { recordUsage } from '../../src/metering/usage.js';
import { graphql, rest, useApp } from '../harness.js';
import { askAccount } from '../billing/graphql-samples.js';
import { ndjson, sendUsage } from './usage-http.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main']);
  const given = { unit: 'USD', resourceTypes: ['sandbox'], description: 'Given back' };
  await createBillingDimension(await platformContext(app.services), { ...given, name: 'goodwill', kind: 'credit' });
});

const credit = (n: number, more: object = {}) =>
  usageEvent(n, { billingDimension: 'goodwill', usage: '-2.5', cost: '-7.000000001', ...more });

const negative = 'must be a decimal number of at least 0';
const positive = 'must be a decimal number of at most 0, because the billing dimension is a credit';

describe('A credit event', () => {
  const latest = latestUsageTime(new Date('2026-12-01T00:00:00Z'));
  const from = instantFromMs(Date.parse('2026-01-01T00:00:00Z'));
  const own = { unit: 'USD', description: '', resourceTypes: ['sandbox'] };
  const catalog: BillingCatalog = {
    ...emptyCatalog,
    dimensions: new Map([
      ['goodwill', { ...own, name: 'goodwill', kind: 'credit' }],
      ['tokens', { ...own, name: 'tokens', kind: 'usage' }],
    ]),
    prices: new Map([['goodwill', [{ from, currency: 'USD', unitPrice: 1_500_000n }]]]),
  };
  const read = (more: object) => usageEventFrom({ ...credit(1), ...more }, latest, catalog);

  it.each([
    [{}, { usage: '-2500000', cost: '-7000000001' }],
    [
      { usage: -3, cost: -0.1 },
      { usage: '-3000000', cost: '-100000000' },
    ],
    [
      { usage: 0, cost: '-0' },
      { usage: '0', cost: '0' },
    ],
    [
      { usage: '-0.0', cost: -1e-9 },
      { usage: '0', cost: '-1' },
    ],
    [
      { usage: '-1000000000', cost: '-1000000' },
      { usage: '-1000000000000000', cost: '-1000000000000000' },
    ],
    // Rounded half to even like any amount, and reported if it was changed.
    [{ cost: '-0.0000000025' }, { cost: '-2', rounded: ['cost'] }],
    [{ cost: '-11.870000000000001' }, { cost: '-11870000000', rounded: [] }],
    // The negative of its price.
    [
      { usage: -3, cost: undefined },
      { usage: '-3000000', cost: '-4500' },
    ],
    [
      { usage: '-0.001', cost: null },
      { usage: '-1000', cost: '-2' },
    ],
  ])('is accepted as %j', (more, expected) => {
    expect(read(more)).toMatchObject(expected);
  });

  it.each([
    [{ cost: '0.000000001' }, 'cost', positive],
    [{ usage: 1 }, 'usage', positive],
    [{ cost: '1e400' }, 'cost', positive],
    [{ cost: '--1' }, 'cost', positive],
    [{ cost: '-' }, 'cost', positive],
    [{ cost: '- 1' }, 'cost', positive],
    [{ cost: '−1' }, 'cost', positive],
    [{ cost: 'NaN' }, 'cost', positive],
    [{ cost: Number.NaN }, 'cost', positive],
    [{ cost: Number.NEGATIVE_INFINITY }, 'cost', 'must be at least -1000000'],
    [{ cost: '-1000000.000000001' }, 'cost', 'must be at least -1000000'],
    [{ usage: '-1e10' }, 'usage', 'must be at least -1000000000'],
    [{ usage: [-1] }, 'usage', 'must be a number, or a string with a decimal number'],
    [{ billingDimension: 'tokens', usage: 1, cost: -1 }, 'cost', negative],
    [{ billingDimension: 'tokens', usage: '-1', cost: 1 }, 'usage', negative],
    [{ billingDimension: 'sandbox_compute_runtime_gbs', usage: 1, cost: '-1' }, 'cost', negative],
  ])('is rejected as %j, with field and rule', (more, field, rule) => {
    expect(read(more)).toEqual({ field, rule });
  });

  it('is limited to the maximum cost of an event', () => {
    const dear = { ...catalog, prices: new Map([['goodwill', [{ from, currency: 'USD', unitPrice: 10n ** 18n }]]]) };
    const given = { ...credit(1), usage: '-1.000001', cost: undefined };
    expect(usageEventFrom(given, latest, dear)).toMatchObject({
      field: 'cost',
      rule: expect.stringContaining('at least'),
    });
  });

  it('with a price costs the negative of the same usage', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.bigInt({ min: 0n, max: 10n ** 18n }),
        (usage, unitPrice) => {
          expect(costAt({ unitPrice }, -usage)).toBe(-costAt({ unitPrice }, usage));
        },
      ),
    );
  });
});

describe('Credits', () => {
  it('are accepted over HTTP as JSON, CloudEvent and stream, and over GraphQL, and are deduplicated', async () => {
    const { app } = running;
    const taken = [credit(1), credit(2), credit(3), credit(4, { cost: '-0.5' })];
    const results = (await sendUsage(app, owner.key, [taken[0], credit(9, { cost: '1' })])).body.results;
    expect(results).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'invalid', field: 'cost', message: `cost ${positive}` },
    ]);
    const { source, id, time, ...data } = credit(2);
    const envelope = { specversion: '1.0', type: 'goodwill', source, id, time, data };
    const sent = await sendUsage(app, owner.key, envelope, { type: 'application/cloudevents+json' });
    expect(sent.body).toMatchObject({ accepted: 1 });
    const lines = `${JSON.stringify(credit(3))}\n${JSON.stringify(credit(10, { usage: '1' }))}\n`;
    const streamed = await sendUsage(app, owner.key, lines, { type: ndjson });
    expect(streamed.body).toMatchObject({ accepted: 1, invalid: 1, refused: [{ line: 2, field: 'usage' }] });
    const event = credit(4, { cost: '-0.5' });
    const record = `mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) {
      ... on RecordUsagePayload { results { outcome field } } } }`;
    const { body } = await graphql(app, owner.key, record, {
      events: [event, { ...event, id: 'no', cost: 3 }],
    });
    expect(body.data.recordUsage.results).toEqual([
      { outcome: 'ACCEPTED', field: null },
      { outcome: 'INVALID', field: 'cost' },
    ]);
    const again = await recordUsage(owner.ctx, [...taken, credit(1, { cost: '-7' })]);
    expect(again.map(({ outcome }) => outcome)).toEqual([...taken.map(() => 'duplicate'), 'conflict']);
    expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(taken));
  });

  it('are in the totals of their resources, and in the catalog', async () => {
    const charged = usageEvent(100, { resourceName: 'paid', cost: '10', time: '2026-10-05T10:00:00Z' });
    const back = credit(101, { resourceName: 'paid', cost: '-10.25', time: '2026-10-05T11:00:00Z' });
    await recordUsage(owner.ctx, [charged, back]);
    const window = 'startTime=2026-10-05T00:00:00Z&endTime=2026-10-06T00:00:00Z&resolution=daily&resourceName=paid';
    const { body } = await rest(running.app, `/accounts/${owner.accountId}/metrics?${window}`, { key: owner.key });
    expect(body).toMatchObject({ summary: { totalCost: -0.25 }, data: [{ timeseries: [{ cost: -0.25 }] }] });
    const settings = await askAccount(running.app, owner, 'metricsSettings { billingDimensions { name kind } }');
    const { billingDimensions: dimensions } = settings.body.data.account.metricsSettings;
    expect(dimensions).toContainEqual({ name: 'goodwill', kind: 'CREDIT' });
    expect(dimensions).toContainEqual({ name: 'volume_storage_gbs', kind: 'USAGE' });
  });

  it('are voided and amended like any usage', async () => {
    const event = credit(200, { resourceName: 'undone', cost: '-3', time: '2026-09-05T10:00:00Z' });
    await recordUsage(owner.ctx, [event]);
    const amend = `mutation ($events: [UsageEventInput!]!) { amendUsage(input: { account: "northwind", reason: "a test", events: $events }) {
      ... on AmendUsagePayload { results { outcome field } } } }`;
    const amended = await graphql(running.app, owner.key, amend, { events: [{ ...event, cost: '-4' }] });
    expect(amended.body.data.amendUsage.results).toEqual([{ outcome: 'AMENDED', field: null }]);
    const total = async () => {
      const window = 'startTime=2026-09-05T00:00:00Z&endTime=2026-09-06T00:00:00Z';
      const { body } = await rest(running.app, `/accounts/${owner.accountId}/metrics?${window}`, { key: owner.key });
      return body.summary.totalCost;
    };
    expect(await total()).toBe(-4);
    const turned = await graphql(running.app, owner.key, amend, { events: [{ ...event, cost: '4' }] });
    expect(turned.body.data.amendUsage.results).toEqual([{ outcome: 'INVALID', field: 'cost' }]);
    const query = `mutation { voidUsage(input: { account: "northwind", source: "meter", ids: ["event-200"], reason: "a test" }) {
      ... on VoidUsagePayload { count } } }`;
    expect((await graphql(running.app, owner.key, query)).body.data.voidUsage.count).toBe(1);
    expect(await total()).toBe(0);
  });

  it('are bounded like charges, and do not raise the bound of charges', async () => {
    const great = (n: number) =>
      credit(n, { source: 'great', usage: '0', cost: '-1000000', time: '2026-08-01T00:00:00Z' });
    const given = Array.from({ length: 4_700 }, (_, n) => great(n));
    const results = await recordUsage(owner.ctx, given);
    const outcomes = results.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(given.map((_, n) => (n < 4_611 ? 'accepted' : 'invalid')));
    expect(results[4_611]).toMatchObject({
      field: 'cost',
      message: expect.stringContaining('a total of the account would exceed'),
    });
    const charge = (n: number) => ({
      ...great(n),
      id: `charge-${n}`,
      billingDimension: 'sandbox_compute_runtime_gbs',
      cost: '1000000',
    });
    const charged = await recordUsage(
      owner.ctx,
      Array.from({ length: 4_700 }, (_, n) => charge(n)),
    );
    expect(charged.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(4_611);
  });
});
