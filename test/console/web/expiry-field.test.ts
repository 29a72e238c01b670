import { describe, expect, it } from 'vitest';
import { expiryInput } from '../../../src/console/web/access/expiry-field.js';

describe('expiryInput', () => {
  it('asks for a key that never expires by name only', () => {
    expect(expiryInput('never')).toEqual({ neverExpires: true });
    expect(expiryInput(undefined)).toEqual({});
    expect(expiryInput('2026-12-31')).toEqual({ expiresAt: new Date('2026-12-31T23:59:59.999').toISOString() });
  });
});
