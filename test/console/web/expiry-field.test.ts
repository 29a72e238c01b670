import { describe, expect, it } from 'vitest';
import { chosenExpiry, endOfDay, expiryInput } from '../../../src/console/web/access/expiry-field.js';

describe('chosenExpiry', () => {
  it('is the local day of an expiry, and stays it when it is sent', () => {
    expect(chosenExpiry(endOfDay('2026-12-31'))).toBe('2026-12-31');
    expect(expiryInput(chosenExpiry(null))).toEqual({ neverExpires: true });
  });
});

describe('expiryInput', () => {
  it('asks for a key that never expires by name only', () => {
    expect(expiryInput('never')).toEqual({ neverExpires: true });
    expect(expiryInput(undefined)).toEqual({});
    expect(expiryInput('2026-12-31')).toEqual({ expiresAt: new Date('2026-12-31T23:59:59.999').toISOString() });
  });
});
