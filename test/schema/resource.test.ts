import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayName, externalId, resourceName, searchDocument, timestampFromJson } from '../../src/schema/resource.js';

describe('The name of a resource', () => {
  it.each(['a', '7', 'my-agent', 'a--b', '0-0', 'a'.repeat(49)])('can be %j', (name) => {
    expect(resourceName.safeParse(name).success).toBe(true);
  });

  it.each(['', 'A', '-a', 'a-', 'a_b', 'a b', 'a.b', 'é', 'a\n', 'a'.repeat(50)])('cannot be %j', (name) => {
    expect(resourceName.safeParse(name).success).toBe(false);
  });
});

describe('displayName and externalId', () => {
  it('reject a name with a character that changes the direction of text', () => {
    for (const character of '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069') {
      expect(displayName.safeParse(`pay${character}roll`).success).toBe(false);
    }
    expect(displayName.safeParse('שכר דירה').success).toBe(true);
  });

  it('can have 63 and 64 characters', () => {
    for (const letter of ['a', 'é', '東', '😀']) {
      expect(displayName.safeParse(letter.repeat(63)).success).toBe(true);
      expect(displayName.safeParse(letter.repeat(64)).success).toBe(false);
    }
    expect(externalId.safeParse('A-0'.padEnd(64, 'z')).success).toBe(true);
    expect(externalId.safeParse('a'.repeat(65)).success).toBe(false);
    expect(externalId.safeParse('a_b').success).toBe(false);
  });
});

describe('searchDocument', () => {
  it('contains each field in lower case, with one sigma for both forms, and without matches across fields', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 6 });
    fc.assert(
      fc.property(text, fc.option(text, { nil: undefined }), fc.dictionary(text, text), (name, display, labels) => {
        const document = searchDocument({ name, displayName: display, labels });
        const fields = [name, display ?? '', ...Object.entries(labels).flat()];
        const lower = (field: string) => field.toLowerCase().replaceAll('ς', 'σ').replaceAll('\u001f', ' ');
        expect(document.split('\u001f')).toEqual(fields.map(lower));
      }),
    );
  });
});

describe('timestampFromJson', () => {
  it.each([
    ['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1+00:00', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.12+00:00', '2026-01-02T03:04:05.120Z'],
    ['2026-01-02T03:04:05.123+00:00', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05.1+00', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02 03:04:05.12+00', '2026-01-02T03:04:05.120Z'],
    ['2026-01-02 03:04:05.123+00', '2026-01-02T03:04:05.123Z'],
  ])('of %s is %s', (text, timestamp) => {
    expect(timestampFromJson(text)).toBe(timestamp);
  });
});
