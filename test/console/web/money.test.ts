import { describe, expect, it } from 'vitest';
import { changeOf, exactMoney, formatAboutPrice, formatChange } from '../../../src/console/web/look/money.js';

describe('A calculated price', () => {
  it('is shown without the digits that are rounding errors', () => {
    expect(formatAboutPrice('0.000009199999')).toBe('≈ $0.0000092');
    expect(formatAboutPrice('0.000011499986')).toBe('≈ $0.0000115');
  });
});

describe('A change of an amount', () => {
  it('has a sign, and a decimal only below 10%', () => {
    expect(formatChange(changeOf(118n, 100n) ?? 0)).toBe('▲ 18%');
    expect(formatChange(changeOf(1_000n, 1_044n) ?? 0)).toBe('▼ 4.2%');
    expect(formatChange(0)).toBe('no change');
  });

  it('is unknown if there was no cost before, or a credit', () => {
    expect([changeOf(5n, 0n), changeOf(5n, -1n)]).toEqual([undefined, undefined]);
  });
});

it('keeps every nano-dollar of an exact amount', () => {
  expect(exactMoney(12_345_678_901n)).toBe('12.345678901 USD');
});
