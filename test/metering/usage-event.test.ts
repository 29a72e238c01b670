// The fields of a usage event: valid values, and the errors of invalid ones.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalFromUnits, unitsFromDecimal, usageDigits, usageMax } from '../../src/metering/amounts.js';
import { latestUsageTime, usageEventFrom } from '../../src/metering/usage-event.js';
import { usageFields } from '../../src/metering/usage-shape.js';
import { usageEvent } from './usage-samples.js';

const latest = latestUsageTime(new Date('2026-11-20T12:34:56.789Z'));
const read = (more: Record<string, unknown>, last = latest) => usageEventFrom({ ...usageEvent(1), ...more }, last);
const tooLong = 'must be at most 200 characters';
const unkept = 'must not contain control characters';
const noTime = 'must be an RFC 3339 time, such as 2026-04-28T00:00:00Z';
const noDecimal = 'must be a decimal number of at least 0';
const texts = usageFields.filter((field) => !['time', 'usage', 'cost', 'billingDimension'].includes(field));

describe('A text of an event', () => {
  it.each(texts)('is stored unchanged: %s', (field) => {
    for (const value of [
      'x',
      ' ',
      "it's",
      '"{},\\',
      'NULL',
      'ü\u{1F69A}',
      'x'.repeat(200),
      'ü'.repeat(200),
      '\u2028',
    ]) {
      expect(read({ [field]: value })).toMatchObject({ [field]: value });
    }
  });

  it('can have 200 characters, counting an emoji as one', () => {
    expect(read({ resourceName: '😀'.repeat(200) })).toMatchObject({ resourceName: '😀'.repeat(200) });
  });

  it.each(texts)('is rejected if it cannot be stored: %s', (field) => {
    for (const value of ['x'.repeat(201), '😀'.repeat(201)]) {
      expect(read({ [field]: value })).toEqual({ field, rule: tooLong });
    }
    for (const value of ['a\u0000b', 'a\nb', '\t', '\u007f', '\u0085', '\ud800', 'a\udc00']) {
      expect(read({ [field]: value })).toEqual({ field, rule: unkept });
    }
    for (const value of [1, true, ['x'], { x: 1 }])
      expect(read({ [field]: value })).toEqual({ field, rule: 'must be a string' });
  });

  it.each(usageFields.filter((field) => !['resourceUuid', 'usage', 'cost'].includes(field)))(
    'is rejected if it is missing: %s',
    (field) => {
      for (const value of [undefined, null]) expect(read({ [field]: value })).toEqual({ field, rule: 'is required' });
    },
  );

  it.each([undefined, null, ''])('can be missing for resourceUuid: %s', (resourceUuid) => {
    expect(read({ resourceUuid })).toMatchObject({ resourceUuid: '' });
  });

  it.each(['sandbox', 'constructor', 'SANDBOX_COMPUTE_RUNTIME_GBS', 'sandbox_compute_runtime_gbs '])(
    'is an unknown billing dimension: %s',
    (billingDimension) => {
      expect(read({ billingDimension })).toEqual({
        field: 'billingDimension',
        rule: 'must be the name of a billing dimension',
      });
    },
  );
});

describe('The time of an event', () => {
  it('can be a leap second, which counts as the first second of the next day', () => {
    const next = read({ time: '2017-01-01T00:00:00.5Z' });
    for (const time of ['2016-12-31T23:59:60.5Z', '2017-01-01T00:59:60.5+01:00']) expect(read({ time })).toEqual(next);
    expect(read({ time: '2016-12-31T23:58:60Z' })).toEqual({
      field: 'time',
      rule: 'must be an existing date and time',
    });
  });

  it.each([
    ['1970', noTime],
    ['2026-11-01', noTime],
    ['2026-11-01T00:00:00', noTime],
    ['2026-11-01T00:00:00 01:00', 'has a space before the offset. Send + as %2B in a query string'],
    ['2026-11-01T00:00:00.0000000001Z', noTime],
    ['2025-02-29T00:00:00Z', 'must be an existing date and time'],
    ['1999-12-31T23:59:59Z', 'must be in the years 2000 to 2100'],
    ['2101-01-01T00:00:00Z', 'must be in the years 2000 to 2100'],
  ])('is rejected: %s', (time, rule) => {
    expect(read({ time })).toEqual({ field: 'time', rule });
  });

  it.each([
    ['2000-01-01T00:00:00Z', Date.UTC(2000, 0), 0],
    ['2100-12-31T23:59:59.999999999Z', Date.UTC(2100, 11, 31, 23), 3_599_999_999_999],
    ['2024-02-29T12:30:00.5+05:45', Date.UTC(2024, 1, 29, 6), 2_700_500_000_000],
  ])('is stored with nanoseconds: %s', (time, hourMs, nano) => {
    const end = latestUsageTime(new Date('2100-12-31T00:00:00Z'));
    expect(read({ time }, end)).toMatchObject({ hour: hourMs / 3_600_000, nano });
  });

  it.each(['2026-11-21T12:34:56.789Z', '2026-11-21T13:34:56.789+01:00', '2026-11-20T12:34:57Z'])(
    'can be up to a day in the future: %s',
    (time) => {
      expect(read({ time })).toMatchObject({ source: 'meter' });
    },
  );

  it.each(['2026-11-21T12:34:56.789000001Z', '2026-11-21T13:00:00Z', '2099-01-01T00:00:00Z'])(
    'is rejected more than a day in the future: %s',
    (time) => {
      expect(read({ time })).toEqual({ field: 'time', rule: 'must be at most one day in the future' });
    },
  );
});

describe('An amount of an event', () => {
  it.each([
    ['cost', '0.000000001', '1'],
    ['cost', 0.000000001, '1'],
    ['cost', '1000000', '1000000000000000'],
    ['cost', 1_000_000, '1000000000000000'],
    ['cost', '999999.999999999', '999999999999999'],
    ['cost', '1.10', '1100000000'],
    ['cost', 0.1, '100000000'],
    ['cost', 123.456789, '123456789000'],
    ['cost', '0012', '12000000000'],
    ['cost', '0.0000000010000', '1'],
    ['cost', 0, '0'],
    ['cost', '0', '0'],
    ['usage', '0.000001', '1'],
    ['usage', 1e-6, '1'],
    ['usage', '1000000000', '1000000000000000'],
    ['usage', '999999999.999999', '999999999999999'],
  ])('of %s %s is %s units', (field, value, units) => {
    expect(read({ [field]: value })).toMatchObject({ [field]: units });
  });

  it.each([
    ['usage', 11.870000000000001, '11870000'],
    ['usage', 0.1 + 0.2, '300000'],
    ['cost', 0.1 + 0.2, '300000000'],
    ['cost', 1.1 * 1.1, '1210000000'],
    ['cost', '0.30000000000000004', '300000000'],
    ['cost', '1e3', '1000000000000'],
    ['cost', '1.5E-3', '1500000'],
    ['cost', 1e-7, '100'],
    ['cost', '1000000.0000000000001', '1000000000000000'],
    ['cost', '0e999', '0'],
  ])('of %s %s, as written by programs, is %s units, without a notice', (field, value, units) => {
    expect(read({ [field]: value })).toMatchObject({ [field]: units, rounded: [] });
  });

  it.each([
    ['cost', '0.0000000004', '0'],
    ['cost', '0.0000000005', '0'],
    ['cost', '0.00000000050000001', '1'],
    ['cost', '0.0000000015', '2'],
    ['cost', '0.0000000025', '2'],
    ['cost', '0.0000000025000', '2'],
    ['cost', '0.0000000035', '4'],
    ['cost', 5e-324, '0'],
    ['cost', '1e-999', '0'],
    ['usage', '1.2345675', '1234568'],
    ['usage', '1.2345665', '1234566'],
    ['usage', 1 / 3, '333333'],
  ])('of %s %s is rounded half-even to %s units, with a notice', (field, value, units) => {
    expect(read({ [field]: value })).toMatchObject({ [field]: units, rounded: [field] });
  });

  it('is rounded by at most half a unit, and by exactly half only from an odd one', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 24n), fc.integer({ min: 7, max: 15 }), (whole, places) => {
        const read = unitsFromDecimal(decimalFromUnits(whole, places), usageDigits, usageMax);
        fc.pre(typeof read === 'string' || 'units' in read);
        const units = BigInt(typeof read === 'string' ? read : read.units);
        const one = 10n ** BigInt(places - usageDigits);
        const change = whole - units * one;
        const half = 2n * (change < 0n ? -change : change);
        expect(half < one || (half === one && units % 2n === 0n)).toBe(true);
        expect(typeof read === 'object').toBe((change < 0n ? -change : change) * 10n ** 12n > whole);
      }),
    );
  });

  it.each([
    ['cost', '1000000.000000001', 'must be at most 1000000'],
    ['cost', 1_000_001, 'must be at most 1000000'],
    ['cost', 1e300, 'must be at most 1000000'],
    ['cost', '9'.repeat(40), 'must be at most 1000000'],
    ['cost', '9'.repeat(401), noDecimal],
    ['cost', '-1', noDecimal],
    ['cost', -1, noDecimal],
    ['cost', -1e-300, noDecimal],
    ['cost', '-0', noDecimal],
    ['cost', '1e', noDecimal],
    ['cost', '1e1000', noDecimal],
    ['cost', '1,5', noDecimal],
    ['cost', ' 1', noDecimal],
    ['cost', '+1', noDecimal],
    ['cost', '.5', noDecimal],
    ['cost', '5.', noDecimal],
    ['cost', '0x10', noDecimal],
    ['cost', '', 'is required, because the billing dimension has no price at that time'],
    ['cost', Number.NaN, noDecimal],
    ['cost', Number.POSITIVE_INFINITY, noDecimal],
    ['cost', true, 'must be a number, or a string with a decimal number'],
    ['cost', undefined, 'is required, because the billing dimension has no price at that time'],
    ['cost', null, 'is required, because the billing dimension has no price at that time'],
    ['usage', undefined, 'must be a number, or a string with a decimal number'],
    ['usage', '1000000000.000001', 'must be at most 1000000000'],
    ['usage', '1000000000.0000006', 'must be at most 1000000000'],
    ['usage', 1_000_000_001, 'must be at most 1000000000'],
    ['usage', [1], 'must be a number, or a string with a decimal number'],
  ])('of %s %s is rejected: it %s', (field, value, rule) => {
    expect(read({ [field]: value })).toEqual({ field, rule });
  });
});

describe('A value that is not an object', () => {
  it.each([undefined, null, 'event', 1, [usageEvent(1)]])('is not an event: %s', (given) => {
    expect(usageEventFrom(given, latest)).toEqual({ field: 'source', rule: 'is required. An event is an object' });
  });
});
