import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limit, queryParameters, onlyParameters, readFields, word } from '../../../src/api/rest/input.js';

const query = (text: string) => queryParameters(text);

describe('queryParameters', () => {
  it('returns each parameter by its name, decoded', () => {
    expect(query('a=1&b=%C3%A9+x')).toEqual({ a: '1', b: 'é x' });
    expect(query('a')).toEqual({ a: '' });
    expect(query('')).toEqual({});
  });

  it('rejects a repeated parameter, naming it', () => {
    expect(() => query('a=1&b=2&a=1')).toThrow(expect.objectContaining({ status: 400, field: 'a' }));
  });
});

describe('limit', () => {
  const read = (given: Record<string, string>) => readFields(z.object({ limit }), given).limit;

  it('defaults to 50', () => {
    expect(read({})).toBe(50);
  });

  it('accepts any positive integer, and is capped at 200', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (size) => {
        expect(read({ limit: String(size) })).toBe(Math.min(size, 200));
      }),
    );
  });

  it('rejects everything else', () => {
    const isLimit = (text: string) => /^\d+$/.test(text) && Number(text) > 0;
    fc.assert(
      fc.property(
        fc.string().filter((text) => !isLimit(text)),
        (text) => {
          expect(() => read({ limit: text })).toThrow(
            expect.objectContaining({
              error: 'invalid_parameter',
              field: 'limit',
              message: 'limit must be a whole number of at least 1',
            }),
          );
        },
      ),
    );
  });
});

describe('word', () => {
  const read = (given: Record<string, string>) =>
    readFields(z.object({ w: word({ one: 1, 'two:three': 2 }).optional() }), given).w;

  it('accepts only the words of its table', () => {
    expect(read({ w: 'two:three' })).toBe('two:three');
    expect(read({})).toBeUndefined();
    for (const text of ['', 'One', 'one ', 'toString', '__proto__', 'constructor']) {
      expect(() => read({ w: text })).toThrow('w must be one of: one, two:three');
    }
  });
});

describe('readFields', () => {
  it('ignores unknown fields, unless it is strict', () => {
    expect(readFields(z.object({ a: z.string() }), { a: '1', b: '2' })).toEqual({ a: '1' });
    expect(() => readFields(onlyParameters(z.object({ a: z.string() })), { a: '1', b: '2' })).toThrow(
      expect.objectContaining({ field: 'b', message: 'b is not a parameter of this operation' }),
    );
  });
});
