import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redirectUriProblem } from '../../src/auth/grants/redirect-uri.js';
import { labels } from '../../src/schema/resource.js';
import { lines, nameForPeople, shownText, text } from '../../src/schema/text.js';

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

describe('A name for people', () => {
  it.each([
    ['a letter of any script', 'Zoë 東京'],
    ['a Persian word with a joiner', '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645'],
    ['a Hindi conjunct', '\u0915\u094D\u200D\u0937'],
    ['an emoji of several people', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'],
    ['an emoji with a skin tone', '\u{1F469}\u{1F3FD}\u200D\u{1F680}'],
    ['an emoji with a variation selector', '\u2764\uFE0F'],
    ['a keycap', '1\uFE0F\u20E3'],
  ])('can be %s', (_what, value) => {
    expect(nameForPeople(63).safeParse(value).success).toBe(true);
    expect(labels.safeParse({ team: value }).success).toBe(true);
  });

  // Each is invisible, or changes how the text around it is read (Unicode, Default_Ignorable_Code_Point).
  const disguises = [
    0xad, 0x34_f, 0x61_c, 0x11_5f, 0x17_b4, 0x18_0e, 0x20_0b, 0x20_0c, 0x20_0d, 0x20_0e, 0x20_2e, 0x20_60, 0x20_66,
    0x31_64, 0xfe_00, 0xfe_ff, 0xff_a0, 0x1_d1_73, 0xe_00_01, 0xe_00_41, 0xe_01_00,
  ].map((code) => String.fromCodePoint(code));

  it.each(disguises.flatMap((each) => [each, `a${each}b`, `${each}a`, `a${each}`]))('cannot be %j', (value) => {
    expect(nameForPeople(63).safeParse(value).success).toBe(false);
    expect(labels.safeParse({ team: value }).success).toBe(false);
    expect(labels.safeParse({ [value]: 'team' }).success).toBe(false);
    expect(redirectUriProblem(`https://example.com/${value}`)).toEqual(expect.any(String));
  });

  it.each([' ', '\u00A0\u3000', '\u2800'])('cannot be blank: %j', (value) => {
    expect(shownText(63).safeParse(value).error?.issues[0]?.message).toBe('must not consist of spaces only');
    expect([shownText(63).safeParse('').success, nameForPeople(63).safeParse('').success]).toEqual([true, false]);
  });
});
