import { describe, expect, it } from 'vitest';
import { expiry, expiryTime } from '../../src/cli/expiry.js';
import { frozenNow } from '../harness.js';

describe('the expiry of a key', () => {
  it.each([
    ['30m', '2026-11-20T12:30:00.000Z'],
    ['12h', '2026-11-21T00:00:00.000Z'],
    ['90d', '2027-02-18T12:00:00.000Z'],
    ['2w', '2026-12-04T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T10:00:00+02:00', '2027-01-31T08:00:00.000Z'],
  ])('%s is %s', (text, time) => {
    expect(expiryTime(expiry.parse(text), frozenNow)?.toISOString()).toBe(time);
  });

  it.each(['2026-11-20', '2026-11-20T12:00:00Z', '2020-01-01'])('%s is in the past', (text) => {
    expect(expiryTime(expiry.parse(text), frozenNow)).toBeUndefined();
  });

  it.each([
    '',
    '0d',
    '-1d',
    '1y',
    '1.5h',
    '99999d',
    'tomorrow',
    '2027-02-30',
    '31.01.2027',
    '9999-12-31T23:00:00-05:00',
    '2027-01-31T00:00:00+23:00',
  ])('rejects "%s"', (text) => {
    expect(expiry.safeParse(text).success).toBe(false);
  });
});
