import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageFromRows, searchTerm } from '../../src/pagination/page.js';
import type { Listed, Slice } from '../../src/pagination/page.js';

/** A list as the database would give it: so many rows, sliced by index. */
function read(total: number, slice: Omit<Slice, 'from'>, behind: number | undefined): Listed<number>[] {
  const all = Array.from({ length: total }, (_, index) => listed(index));
  const from = behind ?? (slice.direction === 'forward' ? -1 : total);
  const rows = slice.direction === 'forward' ? all.slice(from + 1) : all.slice(0, from).toReversed();
  return rows.slice(0, slice.size + 1);
}

function listed(index: number): Listed<number> {
  return { id: String(index), position: { key: String(index), id: String(index) }, resource: index };
}

describe('pageFromRows', () => {
  it('returns every row once, in any direction and size', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 12 }), fc.boolean(), (total, size, isForward) => {
        const direction = isForward ? 'forward' : 'backward';
        const seen: number[] = [];
        let behind: number | undefined;
        for (let goesOn = true; goesOn;) {
          const from = behind === undefined ? undefined : listed(behind).position;
          const page = pageFromRows({ size, direction, from }, read(total, { size, direction }, behind));
          const items = page.items.map(({ resource }) => resource);
          expect(items.length).toBeLessThanOrEqual(size);
          if (isForward) seen.push(...items);
          else seen.unshift(...items);
          expect(isForward ? page.hasPrevious : page.hasNext).toBe(behind !== undefined);
          goesOn = isForward ? page.hasNext : page.hasPrevious;
          behind = isForward ? items.at(-1) : items[0];
        }
        expect(seen).toEqual(Array.from({ length: total }, (_, index) => index));
      }),
    );
  });

  it('of size 0 has no items, and reports whether there are any', () => {
    expect(pageFromRows({ size: 0, direction: 'forward' }, [listed(0)])).toEqual({
      items: [],
      hasPrevious: false,
      hasNext: true,
    });
    expect(pageFromRows({ size: 0, direction: 'forward' }, [])).toMatchObject({ hasNext: false });
  });
});

describe('searchTerm', () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
    ['  ', undefined],
    ['a', undefined],
    [' a ', undefined],
    ['😀', undefined],
    ['ab', 'ab'],
    ['  A B ', 'a b'],
    ['ÉÀ', 'éà'],
    ['50%', '50%'],
    ['\ta\u00a0b\n', 'a\u00a0b'],
  ])('of %j is %j', (text, term) => {
    expect(searchTerm('q', text)).toBe(term);
  });

  it('accepts 200 characters, however many bytes or code units they have', () => {
    for (const letter of ['a', 'é', '東', '😀', 'İ']) {
      expect(searchTerm('q', ` ${letter.repeat(200)} `)).toBe(letter.repeat(200).toLowerCase());
      expect(() => searchTerm('q', letter.repeat(201))).toThrow(
        expect.objectContaining({ error: 'invalid_parameter', status: 400, field: 'q' }),
      );
    }
  });

  it('rejects control characters inside', () => {
    for (const sign of ['\u0000', '\u0007', '\n', '\u001f', '\u007f', '\u0085', '\u009f']) {
      expect(() => searchTerm('search', `a${sign}b`)).toThrow(expect.objectContaining({ field: 'search' }));
    }
  });
});
