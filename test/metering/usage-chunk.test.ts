// Chunks of events: which are inserted together, and which wait for each other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noLabels } from '../../src/metering/label-sets.js';
import type { UsageEvent } from '../../src/metering/usage-event.js';
import { partsOf } from '../../src/metering/usage-chunk.js';
import type { PlacedEvent } from '../../src/metering/usage-chunk.js';

function placed(index: number, of: Partial<UsageEvent>): PlacedEvent {
  const names = { account: 'a', workspace: 'w', resourceType: 't', resourceName: 'n', resourceUuid: '' };
  const plain = { ...names, billingDimension: 'd', hour: 0, nano: 0, usage: '0', cost: '0', rounded: [] };
  return { index, labelSetId: noLabels, seriesId: '1', event: { ...plain, source: 's', id: `${index}`, ...of } };
}

const amount = fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }).map(String);

describe('partsOf', () => {
  it('keeps events together up to the limit, and loses none', () => {
    const amounts = fc.array(fc.record({ usage: amount, cost: amount }), { maxLength: 30 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 10 ** 8 }), (given, sumMax) => {
        const events = given.map((each, index) => placed(index, each));
        const parts = [...partsOf(events, sumMax)];
        expect(parts.flat()).toEqual(events);
        const sums = parts.map((part) => part.slice(0, -1).map(({ event }) => Math.abs(Number(event.cost))));
        for (const sum of sums) expect(sum.reduce((one, other) => one + other, 0)).toBeLessThanOrEqual(sumMax);
        expect(parts.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });

  it('does not split small batches, and yields no empty ones', () => {
    const events = [placed(0, { cost: '99' }), placed(1, { usage: '-99' })];
    expect([...partsOf(events, 10_000)]).toEqual([events]);
    expect([...partsOf(events, 100)]).toEqual([events]);
    expect([...partsOf([], 100)]).toEqual([]);
  });
});
