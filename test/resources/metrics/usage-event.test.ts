// The fields of a usage event: what each may be, and how one is refused that is something else.
import { describe, expect, it } from 'vitest';
import { usageEventFrom, usageFields } from '../../../src/resources/metrics/usage-event.js';
import { usageEvent } from './usage-samples.js';

const read = (more: Record<string, unknown>) => usageEventFrom({ ...usageEvent(1), ...more });
const tooLong = 'must be at most 200 characters, none of them a control character';
const noTime = 'must be a time as RFC 3339 has it, such as 2026-04-28T00:00:00Z';
const noDecimal = 'must be a decimal number that is not negative';
const texts = usageFields.filter((field) => !['time', 'usage', 'cost', 'billingDimension'].includes(field));

describe('A text of an event', () => {
  it.each(texts)('is kept as it is: %s', (field) => {
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

  it.each(texts)('is refused when it cannot be kept: %s', (field) => {
    for (const value of ['x'.repeat(201), 'a\u0000b', 'a\nb', '\t', '\u007f', '\u0085', '\ud800', 'a\udc00']) {
      expect(read({ [field]: value })).toEqual({ field, rule: tooLong });
    }
    for (const value of [1, true, ['x'], { x: 1 }])
      expect(read({ [field]: value })).toEqual({ field, rule: 'must be a text' });
  });

  it.each(usageFields.filter((field) => !['resourceUuid', 'usage', 'cost'].includes(field)))(
    'is refused when it is missing: %s',
    (field) => {
      for (const value of [undefined, null]) expect(read({ [field]: value })).toEqual({ field, rule: 'is missing' });
    },
  );

  it.each([undefined, null, ''])('may be missing where it is the resourceUuid: %s', (resourceUuid) => {
    expect(read({ resourceUuid })).toMatchObject({ resourceUuid: '' });
  });

  it.each(['sandbox', 'constructor', 'SANDBOX_COMPUTE_RUNTIME_GBS', 'sandbox_compute_runtime_gbs '])(
    'is no billing dimension: %s',
    (billingDimension) => {
      expect(read({ billingDimension })).toEqual({ field: 'billingDimension', rule: 'is not a billing dimension' });
    },
  );
});

describe('The time of an event', () => {
  it.each([
    ['1970', noTime],
    ['2026-11-01', noTime],
    ['2026-11-01T00:00:00', noTime],
    ['2026-11-01T00:00:00 01:00', 'holds a space where the offset begins: a + in a query string must be sent as %2B'],
    ['2026-11-01T00:00:00.0000000001Z', noTime],
    ['2025-02-29T00:00:00Z', 'must be a time that exists'],
    ['1999-12-31T23:59:59Z', 'must be in the years 2000 to 2100'],
    ['2101-01-01T00:00:00Z', 'must be in the years 2000 to 2100'],
  ])('is refused: %s', (time, rule) => {
    expect(read({ time })).toEqual({ field: 'time', rule });
  });

  it.each([
    ['2000-01-01T00:00:00Z', Date.UTC(2000, 0), 0],
    ['2100-12-31T23:59:59.999999999Z', Date.UTC(2100, 11, 31, 23), 3_599_999_999_999],
    ['2024-02-29T12:30:00.5+05:45', Date.UTC(2024, 1, 29, 6), 2_700_500_000_000],
  ])('is kept to the nanosecond: %s', (time, hourMs, nano) => {
    expect(read({ time })).toMatchObject({ hour: hourMs / 3_600_000, nano });
  });
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
    ['cost', '0.0000000001', 'must have at most 9 decimal places'],
    ['cost', 1e-10, 'must have at most 9 decimal places'],
    ['cost', '1000000.000000001', 'must be at most 1000000'],
    ['cost', 1_000_001, 'must be at most 1000000'],
    ['cost', 1e300, noDecimal],
    ['cost', '-1', noDecimal],
    ['cost', -1, noDecimal],
    ['cost', '-0', noDecimal],
    ['cost', '1e3', noDecimal],
    ['cost', '1,5', noDecimal],
    ['cost', ' 1', noDecimal],
    ['cost', '+1', noDecimal],
    ['cost', '.5', noDecimal],
    ['cost', '5.', noDecimal],
    ['cost', '0x10', noDecimal],
    ['cost', '', noDecimal],
    ['cost', Number.NaN, noDecimal],
    ['cost', Number.POSITIVE_INFINITY, noDecimal],
    ['cost', '9'.repeat(40), noDecimal],
    ['cost', true, 'must be a number, or a decimal as text'],
    ['cost', undefined, 'must be a number, or a decimal as text'],
    ['cost', null, 'must be a number, or a decimal as text'],
    ['usage', '0.0000001', 'must have at most 6 decimal places'],
    ['usage', 0.1 + 0.2, 'must have at most 6 decimal places'],
    ['usage', '1000000000.000001', 'must be at most 1000000000'],
    ['usage', 1_000_000_001, 'must be at most 1000000000'],
    ['usage', [1], 'must be a number, or a decimal as text'],
  ])('of %s %s is refused: it %s', (field, value, rule) => {
    expect(read({ [field]: value })).toEqual({ field, rule });
  });
});

describe('What is no object', () => {
  it.each([undefined, null, 'event', 1, [usageEvent(1)]])('is no event: %s', (given) => {
    expect(usageEventFrom(given)).toEqual({ field: 'source', rule: 'is missing: an event is an object' });
  });
});
