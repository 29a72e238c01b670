import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costsSearch } from '../../../src/console/web/costs/costs-search.js';
import {
  datesOf,
  fits,
  inZone,
  presetOf,
  presets,
  usualResolution,
  windowBefore,
  windowOfDates,
} from '../../../src/console/web/costs/window.js';
import { zoneNames, zoneOf } from '../../../src/console/web/costs/zone.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const utc = zoneOf(undefined);
const newYork = zoneOf('America/New_York');
const at = (text: string) => `${text}T00:00:00.000Z`;

describe('A period of costs', () => {
  it.each([
    ['7d', '2026-11-14', '2026-11-21'],
    ['month', '2026-11-01', '2026-12-01'],
    ['last-month', '2026-10-01', '2026-11-01'],
    ['year', '2025-12-01', '2026-12-01'],
  ] as const)('%s consists of whole UTC days', (name, from, to) => {
    const window = presets[name].window(now, utc);
    expect(window).toEqual({ from: at(from), to: at(to) });
    expect(presetOf(window, now, utc)).toBe(name);
  });

  it('has a previous period of the same length, or the previous month', () => {
    expect(windowBefore({ from: at('2026-11-08'), to: at('2026-11-15') }, now, utc)).toEqual({
      from: at('2026-11-01'),
      to: at('2026-11-08'),
    });
    expect(windowBefore({ from: at('2026-03-01'), to: at('2026-04-01') }, now, utc)).toEqual({
      from: at('2026-02-01'),
      to: at('2026-03-01'),
    });
  });

  it('that is in progress is compared with as many hours as have passed', () => {
    const then = new Date('2026-11-20T12:34:56.000Z');
    expect(windowBefore(presets.month.window(then, utc), then, utc)).toEqual({
      from: at('2026-10-01'),
      to: '2026-10-20T12:00:00.000Z',
    });
    expect(
      windowBefore({ from: at('2026-03-01'), to: at('2026-04-01') }, new Date('2026-03-31T05:00:00Z'), utc),
    ).toEqual({
      from: at('2026-02-01'),
      to: at('2026-03-01'),
    });
  });

  it('has a resolution that the API accepts, and no finer one', () => {
    expect(usualResolution({ from: at('2026-11-14'), to: at('2026-11-20') }, utc)).toBe('hourly');
    expect(usualResolution({ from: at('2026-11-14'), to: at('2026-11-21') }, utc)).toBe('daily');
    expect(fits('hourly', { from: at('2026-11-14'), to: at('2026-11-21') }, utc)).toBe(true);
    expect(fits('hourly', { from: at('2026-11-14'), to: at('2026-11-22') }, utc)).toBe(false);
  });
});

describe('A period of costs in a time zone', () => {
  it('starts and ends with its days, across a clock change', () => {
    // New York put its clocks back on 1 November 2026, at two.
    expect(presets.month.window(now, newYork)).toEqual({
      from: '2026-11-01T04:00:00.000Z',
      to: '2026-12-01T05:00:00.000Z',
    });
    const week = presets['7d'].window(new Date('2026-11-03T03:00:00Z'), newYork);
    expect(week).toEqual({ from: '2026-10-27T04:00:00.000Z', to: '2026-11-03T05:00:00.000Z' });
    expect(fits('hourly', week, newYork)).toBe(true);
    expect(fits('hourly', week, utc)).toBe(false);
    expect(presetOf(week, new Date('2026-11-03T03:00:00Z'), newYork)).toBe('7d');
    expect(windowBefore(presets['last-month'].window(now, newYork), now, newYork)).toEqual({
      from: '2026-09-01T04:00:00.000Z',
      to: '2026-10-01T04:00:00.000Z',
    });
    expect(windowBefore(week, now, newYork)).toEqual({ from: '2026-10-20T04:00:00.000Z', to: week.from });
  });

  it('starts a day without midnight when its date first appears', () => {
    // Cairo puts its clocks forward from midnight to one on the last Friday of April.
    expect(windowOfDates('2026-04-24', '2026-04-24', zoneOf('Africa/Cairo'))).toEqual({
      from: '2026-04-23T22:00:00.000Z',
      to: '2026-04-24T21:00:00.000Z',
    });
  });

  it('keeps its dates in another time zone, and its times if it has no whole days', () => {
    const november = presets.month.window(now, utc);
    expect(inZone(november, utc, newYork)).toEqual(presets.month.window(now, newYork));
    expect(inZone(presets.month.window(now, newYork), newYork, utc)).toEqual(november);
    const stretch = { from: '2026-11-01T10:30:00.000Z', to: '2026-11-02T00:00:00.000Z' };
    expect(inZone(stretch, utc, newYork)).toEqual(stretch);
  });

  it('equals its dates, in every zone and on every day', () => {
    const days = fc.integer({ min: Date.UTC(2015, 0, 1) / 86_400_000, max: Date.UTC(2030, 0, 1) / 86_400_000 });
    fc.assert(
      fc.property(fc.constantFrom(...zoneNames()), days, fc.nat({ max: 100 }), (name, day, more) => {
        const [first, last] = [day, day + more].map((each) => new Date(each * 86_400_000).toISOString().slice(0, 10));
        const window = windowOfDates(first ?? '', last ?? '', zoneOf(name));
        expect(window && datesOf(window, zoneOf(name))).toEqual({ first, last });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['2026-11-02', '2026-11-01'],
    ['', '2026-11-01'],
    ['2026-02-30', '2026-03-01'],
  ])('rejects “%s” to “%s”', (first, last) => {
    expect(windowOfDates(first, last, newYork)).toBeUndefined();
  });
});

describe('The URL of costs', () => {
  it('keeps known parameters in a fixed order, and drops invalid ones', () => {
    const by = ['billing_dimension', 'workspace', 'colour', 'resource_type', 'resource_name'];
    const search = costsSearch({
      by,
      from: '2026-11-01',
      to: '2026-11-20T10:00:00+01:00',
      resolution: 'yearly',
      name: 42,
    });
    expect(search).toEqual({
      by: ['resource_type', 'workspace', 'resource_name'],
      from: at('2026-11-01'),
      to: '2026-11-20T09:00:00.000Z',
      name: '42',
    });
    expect(costsSearch({ zone: 'america/new_york' })).toEqual({ zone: 'America/New_York' });
    expect(costsSearch({ zone: 'UTC' })).toEqual({});
    expect(costsSearch({ zone: 'Mars/Olympus' })).toEqual({});
    expect(costsSearch({ from: '2026-11-20', to: '2026-11-01', by: 'wind', type: ['x'] })).toEqual({});
  });
});

it('parses groupings with commas', () => {
  expect(costsSearch({ by: 'resource_type,workspace' })).toEqual({ by: ['resource_type', 'workspace'] });
  expect(costsSearch({ by: 'workspace' })).toEqual({ by: ['workspace'] });
  expect(costsSearch({ by: ['workspace', 'resource_type'] })).toEqual({ by: ['resource_type', 'workspace'] });
  expect(costsSearch({ by: 'color,size' })).toEqual({});
});
