import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areWithin, canonicalRange, isInRanges } from '../../src/auth/address-range.js';

describe('A range of addresses', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    [' 203.0.113.7 ', '203.0.113.7/32'],
    ['2001:db8::/48', '2001:db8::/48'],
    ['::1', '::1/128'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('%j is stored as %s', (text, range) => {
    expect(canonicalRange(text)).toBe(range);
  });

  it.each([
    '',
    '/',
    'localhost',
    '203.0.113',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/024',
    '203.0.113.0/24/8',
    '203.0.113.0:80/24',
    '[::1]/128',
    '::1/129',
    'fe80::1%eth0',
    '::ffff:203.0.113.0/120',
    '203.0.113.0/ 24',
  ])('rejects %j', (text) => {
    expect(canonicalRange(text)).toBeUndefined();
  });

  it.each([
    ['203.0.113.9', true],
    ['::ffff:203.0.113.9', true],
    ['203.0.114.9', false],
    ['2001:db8:0:1::7', true],
    ['2001:db9::7', false],
    ['unknown', false],
    ['', false],
  ])('contains %j or not: %s', (address, expected) => {
    expect(isInRanges(['203.0.113.0/24', '2001:db8::/48'], address)).toBe(expected);
  });

  it('restricts nothing when it is absent', () => {
    expect(isInRanges([], 'unknown')).toBe(true);
    expect(areWithin([], [])).toBe(true);
  });

  it.each([
    [['203.0.113.128/25'], ['203.0.113.0/24'], true],
    [['203.0.113.0/24'], ['203.0.113.128/25'], false],
    [['203.0.113.0/24', '10.0.0.0/8'], ['203.0.0.0/16'], false],
    [['::/0'], ['0.0.0.0/0'], false],
    [[], ['0.0.0.0/0'], false],
  ])('%j is within %j: %s', (ranges, others, expected) => {
    expect(areWithin(ranges, others)).toBe(expected);
  });

  it('within another contains only addresses of the other', () => {
    const range = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`);
    const holds = (one: string, other: string, address: string) =>
      !areWithin([one], [other]) || !isInRanges([one], address) || isInRanges([other], address);
    expect(fc.check(fc.property(range, range, fc.ipV4(), holds))).toMatchObject({ failed: false });
  });
});
