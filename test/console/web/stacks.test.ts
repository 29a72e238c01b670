// The parts of a bar: costs above zero, credits below, without overlaps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsOf, stackOf } from '../../../src/console/web/charts/stacks.js';

const dollar = 1_000_000_000n;
const series = (...amounts: bigint[]) =>
  amounts.map((amount, index) => ({ key: `${index}`, colour: '', nanos: [amount * dollar] }));

describe('The parts of a bar', () => {
  it('are stacked, with credits downwards', () => {
    const parts = stackOf(series(3n, -2n, 4n, -1n, 0n), 0).map(({ from, to }) => [from, to]);
    expect(parts).toEqual([[0, 3], [-2, 0], [3, 7], [-3, -2], [7, 7]]); // prettier-ignore
    expect(endsOf(series(3n, -2n, 4n, -1n), 0)).toEqual({ foot: -3, head: 7 });
    expect(endsOf([], 0)).toEqual({ foot: 0, head: 0 });
    expect(stackOf(series(1n), 5)).toEqual([{ key: '0', colour: '', from: 0, to: 0 }]);
  });

  it('do not overlap, are proportional to their values, and add up to the total', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -1000n, max: 1000n }), { maxLength: 8 }), (amounts) => {
        const parts = stackOf(series(...amounts), 0);
        const lengths = parts.map(({ from, to }) => to - from);
        expect(lengths).toEqual(amounts.map((amount) => Math.abs(Number(amount))));
        const { foot, head } = endsOf(series(...amounts), 0);
        expect(head + foot).toBe(amounts.reduce((sum, amount) => sum + Number(amount), 0));
        expect(head - foot).toBe(lengths.reduce((sum, length) => sum + length, 0));
      }),
    );
  });
});
