import { afterEach, describe, expect, it, vi } from 'vitest';
import { chosenExpiry, dayAfter, endOfDay, expiryInput } from '../../../src/console/web/access/expiry-field.js';

describe('chosenExpiry', () => {
  it('is the local day of an expiry, and stays it when it is sent', () => {
    expect(chosenExpiry(endOfDay('2026-12-31'))).toBe('2026-12-31');
    expect(expiryInput(chosenExpiry(null))).toEqual({ neverExpires: true });
  });
});

describe('dayAfter', () => {
  const zone = process.env['TZ'];

  afterEach(() => {
    vi.useRealTimers();
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it('counts days of the calendar, also near midnight when clocks change', () => {
    process.env['TZ'] = 'Europe/Lisbon';
    // Late in the evening before a day of 23 hours, and early on a day of 25 hours.
    for (const [now, tomorrow, inThirty] of [
      ['2026-03-28T23:30:00Z', '2026-03-29', '2026-04-27'],
      ['2026-10-24T23:30:00Z', '2026-10-26', '2026-11-24'],
    ] as const) {
      vi.useFakeTimers({ now: new Date(now) });
      expect([dayAfter(1), dayAfter(30)]).toEqual([tomorrow, inThirty]);
    }
  });
});

describe('expiryInput', () => {
  it('asks for a key that never expires by name only', () => {
    expect(expiryInput('never')).toEqual({ neverExpires: true });
    expect(expiryInput(undefined)).toEqual({});
    expect(expiryInput('2026-12-31')).toEqual({ expiresAt: new Date('2026-12-31T23:59:59.999').toISOString() });
  });
});
