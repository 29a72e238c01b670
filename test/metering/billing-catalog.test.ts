// Prices: which one applies at a time, and the exact cost of usage.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costAt, dimensionRefusal, emptyCatalog, priceAt } from '../../src/metering/billing-catalog.js';
import type { BillingCatalog } from '../../src/metering/billing-catalog.js';
import { instantFromMs } from '../../src/metering/instant.js';
import { latestUsageTime, usageEventFrom } from '../../src/metering/usage-event.js';
import { usageEvent } from './usage-samples.js';

const at = (text: string) => instantFromMs(Date.parse(text));
const price = (from: string, unitPrice: bigint) => ({ from: at(from), currency: 'USD', unitPrice });

const catalog: BillingCatalog = {
  dimensions: new Map([
    ['tokens', { name: 'tokens', unit: 'tokens', kind: 'usage', description: '', resourceTypes: ['model', 'agent'] }],
    [
      'pages',
      {
        name: 'pages',
        unit: 'pages',
        kind: 'usage',
        description: '',
        resourceTypes: ['agent'],
        retiredFrom: at('2026-11-10T00:00:00Z'),
      },
    ],
  ]),
  resourceTypes: new Map([['fax', { description: '', retiredFrom: at('2026-11-05T00:00:00Z') }]]),
  prices: new Map([['tokens', [price('2026-11-01T00:00:00Z', 1_500_000n), price('2026-11-08T00:00:00Z', 2_000_000n)]]]),
};

describe('priceAt', () => {
  it.each([
    ['2026-10-31T23:59:59.999Z', undefined],
    ['2026-11-01T00:00:00Z', 1_500_000n],
    ['2026-11-07T23:59:59.999Z', 1_500_000n],
    ['2026-11-08T00:00:00Z', 2_000_000n],
    ['2099-01-01T00:00:00Z', 2_000_000n],
  ])('at %s returns that of %s', (time, expected) => {
    expect(priceAt(catalog, 'tokens', at(time))?.unitPrice).toBe(expected);
  });

  it('returns nothing for a dimension without prices', () => {
    expect(priceAt(catalog, 'pages', at('2026-11-08T00:00:00Z'))).toBeUndefined();
  });
});

describe('costAt', () => {
  it.each([
    [1_000_000n, 1_000n, 1n],
    [1_000_000n, 500n, 0n],
    [1_000_000n, 1_500n, 2n],
    [1_000_000n, 2_500n, 2n],
    [1_000_000n, 2_501n, 3n],
    [1n, 999_999_999n, 1n],
    [0n, 10n ** 18n, 0n],
    [10n ** 15n, 10n ** 18n, 10n ** 24n],
  ])('of %s micro-units at %s pico-dollars returns %s nano-dollars', (usage, unitPrice, cost) => {
    expect(costAt({ unitPrice }, usage)).toBe(cost);
  });

  it('rounds half to even, to the nearest nano-dollar', () => {
    const amount = (max: bigint) => fc.bigInt({ min: 0n, max });
    fc.assert(
      fc.property(amount(10n ** 15n), amount(10n ** 18n), (usage, unitPrice) => {
        const cost = costAt({ unitPrice }, usage);
        const off = 2n * (cost * 10n ** 9n - usage * unitPrice);
        const distance = off < 0n ? -off : off;
        expect(distance < 10n ** 9n || (distance === 10n ** 9n && cost % 2n === 0n)).toBe(true);
      }),
    );
  });
});

describe('Usage of custom dimensions', () => {
  const latest = latestUsageTime(new Date('2026-11-20T00:00:00Z'));
  const own = usageEvent(1, { resourceType: 'agent', billingDimension: 'tokens', time: '2026-11-02T00:00:00Z' });
  const read = (more: object, known: BillingCatalog | null = catalog) =>
    usageEventFrom({ ...own, ...more }, latest, known);

  it('requires a loaded catalog', () => {
    expect(read({}, null)).toEqual({ needs: 'catalog' });
    expect(read({ billingDimension: 'agent_async_requests_count' }, null)).toMatchObject({ id: 'event-1' });
    expect(read({ billingDimension: 'agent_async_requests_count', cost: undefined }, null)).toEqual({
      needs: 'catalog',
    });
    expect(read({ billingDimension: 'agent_async_requests_count', resourceType: 'fax' }, null)).toEqual({
      needs: 'catalog',
    });
  });

  it.each([
    [{ billingDimension: 'words' }, 'billingDimension', 'must be the name of a billing dimension'],
    [{ resourceType: 'sandbox' }, 'resourceType', 'must be a resource type of the billing dimension: model, agent'],
    [
      { billingDimension: 'pages', time: '2026-11-10T00:00:00Z' },
      'billingDimension',
      'is retired and does not accept usage after its retirement',
    ],
    [
      { billingDimension: 'agent_async_requests_count', resourceType: 'fax', time: '2026-11-05T00:00:00Z' },
      'resourceType',
      'is retired and does not accept usage after its retirement',
    ],
    [
      { cost: '', time: '2026-10-31T00:00:00Z' },
      'cost',
      'is required, because the billing dimension has no price at that time',
    ],
    [
      { cost: null, usage: '1000000000', billingDimension: 'dear' },
      'billingDimension',
      'must be the name of a billing dimension',
    ],
  ])('is rejected: %s', (more, field, rule) => {
    expect(read(more)).toEqual({ field, rule });
  });

  it.each([
    [{ billingDimension: 'pages', time: '2026-11-09T23:59:59.999999999Z' }, '1000000001'],
    [
      { resourceType: 'fax', billingDimension: 'agent_async_requests_count', time: '2026-11-04T00:00:00Z' },
      '1000000001',
    ],
    [{ cost: undefined, usage: 3 }, '4500'],
    [{ cost: undefined, usage: 3, time: '2026-11-09T00:00:00Z' }, '6000'],
    [{ cost: 0 }, '0'],
  ])('has the cost of the event, or that of its price: %s', (more, cost) => {
    expect(read(more)).toMatchObject({ cost });
  });

  it('is limited to the maximum cost of an event', () => {
    const dear = { ...catalog, prices: new Map([['tokens', [price('2026-01-01T00:00:00Z', 10n ** 18n)]]]) };
    expect(read({ cost: undefined, usage: 1 }, dear)).toMatchObject({ cost: '1000000000000000' });
    expect(read({ cost: undefined, usage: '1.000001' }, dear)).toMatchObject({ field: 'cost' });
  });

  it('works with an empty catalog', () => {
    const time = at('2026-11-01T00:00:00Z');
    const specified = { resourceType: 'anything', billingDimension: 'volume_storage_gbs', time };
    expect(dimensionRefusal(emptyCatalog, specified)).toBeUndefined();
  });
});
