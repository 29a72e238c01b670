import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { sharesOf } from '../../../src/console/web/costs/shares.js';

describe('Shares of costs', () => {
  it('assign rounding remainders to the parts that lost most', () => {
    expect(sharesOf([1n, 1n, 1n])).toEqual(['33.4%', '33.3%', '33.3%']);
    expect(sharesOf([999n, 1n])).toEqual(['99.9%', '0.1%']);
  });

  it('are omitted for a total of zero, and if a part is a credit', () => {
    expect(sharesOf([])).toBeUndefined();
    expect(sharesOf([0n, 0n])).toBeUndefined();
    expect(sharesOf([500n, -400n])).toBeUndefined();
  });

  it('add up to 100 percent, each within a tenth of a percent of its value', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 18n }), { minLength: 1, maxLength: 60 }), (parts) => {
        const total = parts.reduce((sum, part) => sum + part, 0n);
        fc.pre(total > 0n);
        const tenths = (sharesOf(parts) ?? []).map((share) => Math.round(Number.parseFloat(share) * 10));
        expect(tenths.reduce((sum, share) => sum + share, 0)).toBe(1000);
        tenths.forEach((share, index) => {
          const below = Number(((parts[index] ?? 0n) * 1000n) / total);
          expect(share - below === 0 || share - below === 1).toBe(true);
        });
      }),
    );
  });
});
