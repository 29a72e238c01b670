import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey, isApiKey, keyKindOf } from '../../src/auth/api-key.js';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('An API key', () => {
  it('is wcp_, 40 base62 characters and a checksum of 6, and is unique', () => {
    const keys = Array.from({ length: 200 }, () => createApiKey());
    for (const { key, prefix, hash } of keys) {
      expect(key).toMatch(/^wcp_[0-9A-Za-z]{46}$/);
      expect(isApiKey(key)).toBe(true);
      expect(key.startsWith(prefix)).toBe(true);
      expect(prefix).toHaveLength(10);
      expect(Buffer.from(hash)).toEqual(createHash('sha256').update(key).digest());
    }
    expect(new Set(keys.map(({ key }) => key)).size).toBe(200);
  });

  it('uses all of its alphabet', () => {
    const used = new Set(Array.from({ length: 200 }, () => createApiKey().key.slice(4, 44)).join(''));
    expect([...used].toSorted().join('')).toBe([...alphabet].toSorted().join(''));
  });

  it('is rejected if any one character differs', () => {
    fc.assert(
      fc.property(fc.nat(45), fc.constantFrom(...alphabet), (index, letter) => {
        const { key } = createApiKey();
        const place = 4 + index;
        fc.pre(key[place] !== letter);
        expect(isApiKey(`${key.slice(0, place)}${letter}${key.slice(place + 1)}`)).toBe(false);
      }),
    );
  });

  it('is rejected if two neighbouring characters are swapped', () => {
    fc.assert(
      fc.property(fc.nat(38), (index) => {
        const { key } = createApiKey();
        const place = 4 + index;
        const [one = '', two = ''] = [key[place], key[place + 1]];
        fc.pre(one !== two);
        expect(isApiKey(`${key.slice(0, place)}${two}${one}${key.slice(place + 2)}`)).toBe(false);
      }),
    );
  });

  it('is rejected if it is truncated, longer, of another kind, or of other characters', () => {
    const { key } = createApiKey();
    for (const wrong of [
      '',
      'wcp_',
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.slice(4),
      key.toUpperCase(),
    ]) {
      expect(isApiKey(wrong)).toBe(false);
    }
    expect(isApiKey(`wcp_${'é'.repeat(46)}`)).toBe(false);
  });

  it('is recognized by its prefix, even if it is invalid', () => {
    expect(keyKindOf('wcp_x')).toBe('API key');
    expect(keyKindOf('wce_x')).toBe('executor key');
    expect(keyKindOf('eyJhbGciOiJSUzI1NiJ9')).toBeUndefined();
  });

  it('is hashed the same each time', () => {
    expect(hashApiKey('wcp_a')).toEqual(hashApiKey('wcp_a'));
    expect(hashApiKey('wcp_a')).not.toEqual(hashApiKey('wcp_b'));
  });
});
