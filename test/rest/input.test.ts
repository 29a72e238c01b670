import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitFrom, queryParameters, wordFrom } from '../../src/rest/input.js';

const query = (text: string) => queryParameters(new URLSearchParams(text));

describe('queryParameters', () => {
  it('gives each parameter by its name, decoded', () => {
    expect(query('a=1&b=%C3%A9+x').get('b')).toBe('é x');
    expect(query('a').get('a')).toBe('');
    expect(query('').get('a')).toBeUndefined();
  });

  it('refuses one that is given twice, naming it', () => {
    expect(() => query('a=1&b=2&a=1')).toThrow(expect.objectContaining({ status: 400, field: 'a' }));
  });
});

describe('limitFrom', () => {
  it('is 50 when it is absent', () => {
    expect(limitFrom(query(''))).toBe(50);
  });

  it('is any whole number from 1 on, and 200 at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (limit) => {
        expect(limitFrom(query(`limit=${limit}`))).toBe(Math.min(limit, 200));
      }),
    );
  });

  it('refuses everything else', () => {
    const isLimit = (text: string) => /^\d+$/.test(text) && Number(text) > 0;
    fc.assert(
      fc.property(
        fc.string().filter((text) => !isLimit(text)),
        (text) => {
          expect(() => limitFrom(query(new URLSearchParams({ limit: text }).toString()))).toThrow(
            expect.objectContaining({ error: 'invalid_parameter', field: 'limit' }),
          );
        },
      ),
    );
  });
});

describe('wordFrom', () => {
  const words = { one: 1, 'two:three': 2 };

  it('takes the words of its table, and nothing else', () => {
    expect(wordFrom(query('w=two:three'), 'w', words)).toBe('two:three');
    expect(wordFrom(query(''), 'w', words)).toBeUndefined();
    for (const text of ['', 'One', 'one ', 'toString', '__proto__', 'constructor']) {
      expect(() => wordFrom(query(`w=${text}`), 'w', words)).toThrow('w must be one of: one, two:three');
    }
  });
});
