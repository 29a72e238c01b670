import { describe, expect, it } from 'vitest';
import { duration } from '../../src/schema/values.js';

describe('A duration', () => {
  it.each(['24h', '15m', '90s', '7d', '1h30m', '1d2h3m4s', '0h5m', '999999s'])('can be %s', (value) => {
    expect(duration.safeParse(value).success).toBe(true);
  });

  it.each(['', '0s', '0d0h', '24', 'h', '-1h', '1.5h', '1h ', ' 1h', '1H', '1w', '30m1h', '1h1h', '1234567s', '١h'])(
    'cannot be %j',
    (value) => {
      expect(duration.safeParse(value).success).toBe(false);
    },
  );
});
