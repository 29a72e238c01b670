import { describe, expect, it } from 'vitest';
import { chosenExpiry, endOfDay } from '../../../src/console/web/access/expiry-field.js';
import { keyChanges } from '../../../src/console/web/platform/executor-queries.js';

describe('The changes of the key of an executor', () => {
  const before = { expiresAt: endOfDay('2026-12-31'), addressRanges: ['192.0.2.0/24', '2001:db8::/32'] };
  const expiry = chosenExpiry(before.expiresAt);
  const addresses = before.addressRanges.join('\n');

  it('contain only the changed fields, so that concurrent changes of the others are kept', () => {
    expect(keyChanges(before, expiry, `${addresses}\n`)).toEqual({});
    expect(keyChanges(before, '2027-01-31', addresses)).toEqual({ expiresAt: endOfDay('2027-01-31') });
    expect(keyChanges(before, 'never', addresses)).toEqual({ neverExpires: true });
    expect(keyChanges(before, expiry, '')).toEqual({ addressRanges: [] });
  });
});
