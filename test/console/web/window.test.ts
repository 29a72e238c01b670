import { describe, expect, it } from 'vitest';
import { costsSearch } from '../../../src/console/web/costs/costs-search.js';
import { fits, presetOf, presets, usualResolution, windowBefore } from '../../../src/console/web/costs/window.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const at = (text: string) => `${text}T00:00:00.000Z`;

describe('A window of costs', () => {
  it.each([
    ['7d', '2026-11-14', '2026-11-21'],
    ['month', '2026-11-01', '2026-12-01'],
    ['last-month', '2026-10-01', '2026-11-01'],
    ['year', '2025-12-01', '2026-12-01'],
  ] as const)('%s is of whole UTC days', (name, from, to) => {
    const window = presets[name].window(now);
    expect(window).toEqual({ from: at(from), to: at(to) });
    expect(presetOf(window, now)).toBe(name);
  });

  it('has the same length before it; a month has the month before', () => {
    expect(windowBefore({ from: at('2026-11-08'), to: at('2026-11-15') }, now)).toEqual({
      from: at('2026-11-01'),
      to: at('2026-11-08'),
    });
    expect(windowBefore({ from: at('2026-03-01'), to: at('2026-04-01') }, now)).toEqual({
      from: at('2026-02-01'),
      to: at('2026-03-01'),
    });
  });

  it('that still runs is compared with as many hours as have gone by', () => {
    const then = new Date('2026-11-20T12:34:56.000Z');
    expect(windowBefore(presets.month.window(then), then)).toEqual({
      from: at('2026-10-01'),
      to: '2026-10-20T12:00:00.000Z',
    });
    expect(windowBefore({ from: at('2026-03-01'), to: at('2026-04-01') }, new Date('2026-03-31T05:00:00Z'))).toEqual({
      from: at('2026-02-01'),
      to: at('2026-03-01'),
    });
  });

  it('has the resolution that the API would take, and no finer one than it allows', () => {
    expect(usualResolution({ from: at('2026-11-14'), to: at('2026-11-20') })).toBe('hourly');
    expect(usualResolution({ from: at('2026-11-14'), to: at('2026-11-21') })).toBe('daily');
    expect(fits('hourly', { from: at('2026-11-14'), to: at('2026-11-21') })).toBe(true);
    expect(fits('hourly', { from: at('2026-11-14'), to: at('2026-11-22') })).toBe(false);
  });
});

describe('The address of costs', () => {
  it('keeps what it knows, in its own order, and drops what nobody could mean', () => {
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
    expect(costsSearch({ from: '2026-11-20', to: '2026-11-01', by: 'wind', type: ['x'] })).toEqual({});
  });
});
