import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appliedVersion, hasPagedLists } from '../../../src/api/rest/version.js';

describe('appliedVersion', () => {
  it('is the default when the header is absent', () => {
    expect(appliedVersion('service-version', undefined, '2026-01-01')).toBe('2026-01-01');
  });

  it('accepts any existing calendar date', () => {
    const dates = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        const version = date.toISOString().slice(0, 10);
        expect(appliedVersion('service-version', version, '2026-01-01')).toBe(version);
      }),
    );
  });

  it.each(['', '2026-02-29', '2026-00-10', '2026-01-32', '26-01-01', '2026-04-28 ', 'v1', '٢٠٢٦-٠٤-٢٨'])(
    'rejects %j with invalid_api_version',
    (version) => {
      expect(() => appliedVersion('service-version', version, '2026-01-01')).toThrow(
        expect.objectContaining({ error: 'invalid_api_version', status: 400, field: 'service-version' }),
      );
    },
  );
});

describe('hasPagedLists', () => {
  it.each([
    ['2026-04-27', false],
    ['2026-04-28', true],
    ['2027-01-01', true],
    ['1999-12-31', false],
  ])('of %s is %s', (version, isPaged) => {
    expect(hasPagedLists(version)).toBe(isPaged);
  });
});
