import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientNetwork, plainAddress } from '../../src/auth/client-address.js';

describe('The network of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:5678', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:51004', '2001:db8:1:2::/64'],
    ['"[2001:db8:1:2::9]:51004"', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['[::1]:99', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it('is the same for every port of the client and every address of its /64', () => {
    const port = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(fc.ipV4(), port, (address, number) => {
        expect(clientNetwork(`${address}:${number}`)).toBe(clientNetwork(address));
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), port, (address, number) => {
        expect(clientNetwork(`[${address}]:${number}`)).toBe(clientNetwork(address));
        // An address is its own canonical form as well.
        expect(clientNetwork(new URL(`http://[${address}]`).hostname)).toBe(clientNetwork(address));
      }),
    );
  });

  it.each(['', 'unknown', '_hidden', '203.0.113', '01.2.3.4', '1.2.3.4:999999', '[1.2.3.4', 'evil.example.com:80'])(
    'is unknown for %j',
    (text) => {
      expect(plainAddress(text)).toBeUndefined();
    },
  );
});
