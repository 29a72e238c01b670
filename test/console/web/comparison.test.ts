import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byChange, compare, sumBy } from '../../../src/console/web/costs/comparison.js';
import type { Group } from '../../../src/console/web/costs/groups.js';

const names = ['a', 'b', 'c', 'd'];

function groupOf(key: string, nano: bigint): Group {
  return { key, values: {}, workspace: undefined, resourceType: undefined, nano, usage: null, nanos: [nano] };
}

const sums = fc
  .tuple(
    fc.subarray(names),
    fc.array(fc.bigInt({ min: -5n, max: 10n ** 12n }), { minLength: 4, maxLength: 4 }),
    fc.bigInt({ min: 0n, max: 10n ** 9n }),
  )
  .map(([keys, nanos, rest]) => {
    const groups = keys.map((key, index) => groupOf(key, nanos[index] ?? 0n));
    return { groups, total: sumBy(groups, ({ nano }) => nano) + rest };
  });

describe('Costs compared to the previous period', () => {
  it('add up to both totals and to their difference exactly', () => {
    fc.assert(
      fc.property(sums, sums, fc.boolean(), (now, before, isWhole) => {
        const { rows, rest } = compare(now, before, isWhole);
        expect(sumBy(rows, ({ group }) => group.nano) + rest.now).toBe(now.total);
        expect(sumBy(rows, (row) => row.before) + rest.before).toBe(before.total);
        expect(sumBy(rows, ({ change }) => change) + rest.now - rest.before).toBe(now.total - before.total);
      }),
    );
  });

  it('include ended groups, but not while some groups are unknown', () => {
    const now = { groups: [groupOf('a', 5n)], total: 9n };
    const before = { groups: [groupOf('a', 1n), groupOf('b', 2n)], total: 3n };
    const told = compare(now, before, true).rows.map(({ group, change }) => [group.key, change]);
    expect(told).toEqual([
      ['a', 4n],
      ['b', -2n],
    ]);
    expect(compare(now, before, false)).toMatchObject({
      rows: [{ group: { key: 'a' } }],
      rest: { now: 4n, before: 2n },
    });
  });

  it('are sorted by absolute change', () => {
    const now = { groups: [groupOf('a', 5n), groupOf('b', 1n), groupOf('c', 9n)], total: 15n };
    const before = { groups: [groupOf('a', 4n), groupOf('b', 21n), groupOf('c', 4n)], total: 29n };
    expect(byChange(compare(now, before, true).rows).map(({ group }) => group.key)).toEqual(['b', 'c', 'a']);
  });
});
