import { describe, expect, it } from 'vitest';
import { isAllowedAddress } from '../../src/webhooks/public-address.js';

describe('Webhooks can be delivered to', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(true);
  });

  it('addresses that the operator allows, and no others', () => {
    expect(isAllowedAddress('10.20.1.1', ['10.20.0.0/16'])).toBe(true);
    expect(isAllowedAddress('::ffff:10.20.1.1', ['10.20.0.0/16'])).toBe(true);
    expect(isAllowedAddress('10.21.1.1', ['10.20.0.0/16'])).toBe(false);
    expect(isAllowedAddress('fd00::1', ['fd00::/64'])).toBe(true);
    expect(isAllowedAddress('fd00:0:0:1::1', ['fd00::/64'])).toBe(false);
  });
});

describe('Webhooks cannot be delivered to', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.5',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    'not an address',
    '',
  ])('%s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });
});
