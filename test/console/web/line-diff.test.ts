import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../src/console/web/activity/value-at.js';
import { lineDiff } from '../../../src/console/web/look/line-diff.js';

describe('A line diff', () => {
  it('lists removed lines before added ones, with unchanged lines around them', () => {
    const lines = lineDiff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']).map(({ sign, text }) => sign + text);
    expect(lines).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
  });

  it('contains both texts, and keeps as many lines as possible', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        expect(lines.filter(({ sign }) => sign !== '+').map((line) => line.text)).toEqual(before);
        expect(lines.filter(({ sign }) => sign !== '-').map((line) => line.text)).toEqual(after);
        expect(lines.filter(({ sign }) => sign === ' ')).toHaveLength(commonLength(before, after));
      }),
    );
  });

  it('of texts that are too long to compare lists one after the other', () => {
    const lines = lineDiff(
      Array.from({ length: 3000 }, (_none, index) => `a${index}`),
      Array.from({ length: 3000 }, (_none, index) => `b${index}`),
    );
    expect(lines.map(({ sign }) => sign).join('')).toBe('-'.repeat(3000) + '+'.repeat(3000));
  });
});

describe('The value at a path', () => {
  const resource = { metadata: { labels: { 'a.b': 'dotted', a: { c: 1 } } }, spec: { list: [1] } };

  it.each([
    ['metadata.labels.a.b', 'dotted'],
    ['metadata.labels.a.c', 1],
    ['spec.list', [1]],
    ['spec.nothing', undefined],
    ['spec.list.0.x', undefined],
  ])('%s is %j', (path, value) => {
    expect(valueAt(resource, path)).toEqual(value);
  });

  it('of undefined is undefined', () => {
    expect(valueAt(null, 'spec')).toBeUndefined();
  });
});

/** The longest common subsequence, by the simple algorithm. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const [first, ...rest] = one;
  if (first === undefined) return 0;
  const at = other.indexOf(first);
  const without = commonLength(rest, other);
  return at === -1 ? without : Math.max(without, 1 + commonLength(rest, other.slice(at + 1)));
}
