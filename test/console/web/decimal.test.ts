import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalFrom, nanoFrom, sumOf } from '../../../src/console/web/look/decimal.js';

describe('An amount', () => {
  it('is formatted as it was parsed, with any number of digits', () => {
    const amount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(amount, (nano) => {
        expect(nanoFrom(decimalFrom(nano))).toBe(nano);
      }),
    );
  });

  it.each([
    ['0', 0n],
    ['0.000000001', 1n],
    ['12.5', 12_500_000_000n],
    ['-3.000000010', -3_000_000_010n],
    ['9007199254740993.000000001', 9_007_199_254_740_993_000_000_001n],
  ])('%s is parsed to nano-units', (text, nano) => {
    expect(nanoFrom(text)).toBe(nano);
  });

  it('adds up without rounding', () => {
    expect(decimalFrom(sumOf(Array.from({ length: 10 }, () => '0.1')))).toBe('1');
  });
});
