import { scaleLinear } from 'd3-scale';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoneyTicks } from '../../../src/console/web/look/money.js';
import { formatDurationTicks } from '../../../src/console/web/look/time.js';

describe('The ticks of an axis', () => {
  it('of money have enough digits to differ, and no unnecessary cents', () => {
    expect(formatMoneyTicks([0, 0.002, 0.004, 0.006])).toEqual(['$0.000', '$0.002', '$0.004', '$0.006']);
    expect(formatMoneyTicks([0, 0.5, 1, 1.5])).toEqual(['$0.00', '$0.50', '$1.00', '$1.50']);
    expect(formatMoneyTicks([0, 2_000, 4_000])).toEqual(['$0', '$2,000', '$4,000']);
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e7, noNaN: true }), (highest) => {
        const labels = formatMoneyTicks(scaleLinear([0, highest], [0, 1]).nice(4).ticks(4));
        expect(new Set(labels).size).toBe(labels.length);
      }),
    );
  });

  it('of time have decimals for short durations', () => {
    expect(formatDurationTicks([0, 500, 1_000, 1_500, 2_000])).toEqual(['0 s', '0.5 s', '1 s', '1.5 s', '2 s']);
    expect(formatDurationTicks([0, 60_000, 120_000])).toEqual(['0 s', '1 m 00 s', '2 m 00 s']);
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 864_000_000 }), (wholeMs) => {
        const labels = formatDurationTicks([0, 0.25, 0.5, 0.75, 1].map((share) => wholeMs * share));
        expect(new Set(labels).size).toBe(labels.length);
      }),
    );
  });
});
