// All subscribers are checked in a fixed number of steps, so that a revoked credential is detected in that time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RoundRobin } from '../../src/changes/round-robin.js';

/** Who joins and leaves before each step. */
const steps = fc.array(fc.record({ come: fc.array(fc.nat({ max: 30 })), go: fc.array(fc.nat({ max: 30 })) }), {
  minLength: 1,
  maxLength: 30,
});

describe('A batch rotation', () => {
  it('visits every remaining entry within its steps, and at most twice while others come and go', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (length, given) => {
        const all = new Set<number>();
        const rounds = new RoundRobin(all, length);
        const waited = new Map<number, number>();
        for (const { come, go } of given) {
          for (const each of come) {
            if (!all.has(each)) waited.set(each, 0);
            all.add(each);
          }
          for (const each of go) all.delete(each);
          const seen = new Set(rounds.step());
          for (const each of all) {
            waited.set(each, seen.has(each) ? 0 : (waited.get(each) ?? 0) + 1);
            expect(waited.get(each)).toBeLessThanOrEqual(2 * (length + 1));
          }
        }
      }),
    );
  });

  it('takes an equal share with each step, and every entry once', () => {
    const all = new Set(Array.from({ length: 25 }, (_, index) => index));
    const rounds = new RoundRobin(all, 10);
    const taken = Array.from({ length: 9 }, () => [...rounds.step()]);
    expect(taken.map(({ length }) => length)).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 1]);
    expect(taken.flat()).toEqual([...all]);
  });
});
