import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/changes/change.js';
import { RecentChanges } from '../../src/changes/recent-changes.js';
import { aChange } from './a-change.js';

function changesAfter(last: number, count: number): Change[] {
  return Array.from({ length: count }, (_, index) => aChange({ sequence: last + 1 + index }));
}

describe('A recent change', () => {
  it('is found by number, or known to be deleted or not yet there', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 50 }),
        fc.array(fc.record({ count: fc.integer({ min: 1, max: 400 }), length: fc.nat({ max: 6 * 1024 * 1024 }) })),
        fc.nat({ max: 5_000 }),
        (start, batches, ahead) => {
          const recent = new RecentChanges(start);
          for (const { count, length } of batches) recent.add(changesAfter(recent.end, count), length);
          const sequence = start + ahead;
          const found = recent.after(sequence);
          const isThere = sequence < recent.end;
          expect(found?.sequence ?? sequence + 1).toBe(sequence + 1);
          expect(isThere).toBe(found !== undefined || recent.isGone(sequence));
        },
      ),
    );
  });

  it('is one of at most a thousand, and eight million characters', () => {
    const many = new RecentChanges(0);
    many.add(changesAfter(0, 1_500), 1_500);
    expect([499, 500].map((sequence) => many.isGone(sequence))).toEqual([true, false]);
    const large = new RecentChanges(0);
    large.add(changesAfter(0, 4), 16 * 1024 * 1024);
    expect([1, 2, 3, 4].map((sequence) => large.isGone(sequence))).toEqual([true, false, false, false]);
  });
});
