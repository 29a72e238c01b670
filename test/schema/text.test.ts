import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lines, text } from '../../src/schema/text.js';

describe('A text', () => {
  it.each(['', 'a', 'São Paulo', '東京', '😀', '\u00a0', '\u200d', 'a'.repeat(1024)])('can be %j', (value) => {
    expect(text().safeParse(value).success).toBe(true);
  });

  it.each(['\0', 'a\0b', '\n', '\t', '\u001f', '\u007f', '\u0085', '\ud800', '\udc00a', 'a'.repeat(1025)])(
    'cannot be %j',
    (value) => {
      expect(text().safeParse(value).success).toBe(false);
    },
  );

  it('of several lines can contain line breaks and tabs, and no other control characters', () => {
    expect(lines(9).safeParse('a\n\tb\r\nc').success).toBe(true);
    for (const value of ['a\0', '\n\u000b', 'a\ud83d\n', '0123456789']) {
      expect(lines(9).safeParse(value).success).toBe(false);
    }
  });

  it('can be stored in PostgreSQL JSON: without NUL and lone surrogates', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (value) => {
        const isKept = text().safeParse(value).success;
        expect(isKept && (value.includes('\0') || Buffer.from(value).toString() !== value)).toBe(false);
      }),
    );
  });
});
