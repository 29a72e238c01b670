// Which network addresses webhooks may reach: public ones, and networks that the operator allows.
import { BlockList, isIPv4 } from 'node:net';
import { isInRanges } from '../auth/address-range.js';
import { plainAddress } from '../auth/client-address.js';

/** IANA's special-purpose address registries (RFC 6890), except for ranges with public hosts, and multicast. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // A public number, but on Azure the host of the virtual machine answers there.
  '168.63.129.16/32',
];

/**
 * Special ranges within 2000::/3: Teredo and its neighbors, documentation, 6to4. Nothing outside 2000::/3 is public.
 */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const refused = new BlockList();
for (const range of special4) refused.addSubnet(...partsOf(range), 'ipv4');
for (const range of special6) refused.addSubnet(...partsOf(range), 'ipv6');

const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

function partsOf(range: string): [string, number] {
  const [address = '', length] = range.split('/');
  return [address, Number(length)];
}

/**
 * Whether a webhook may reach an address.
 *
 * @param allowed non-public ranges that are allowed, in CIDR notation.
 */
export function isAllowedAddress(address: string, allowed: readonly string[]): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || address.includes('%')) return false;
  if (allowed.length > 0 && isInRanges(allowed, plain)) return true;
  if (isIPv4(plain)) return !refused.check(plain, 'ipv4');
  const translated = translatedIpv4(plain);
  if (translated !== undefined) return isAllowedAddress(translated, allowed);
  return global6.check(plain, 'ipv6') && !refused.check(plain, 'ipv6');
}

/** Returns the IPv4 address embedded in an IPv6 address of a translator (RFC 6052, section 2.1). */
function translatedIpv4(address: string): string | undefined {
  const text = URL.parse(`http://[${address}]`)?.hostname ?? '';
  const found = /^\[64:ff9b::([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(text);
  if (found === null) return undefined;
  const [high = 0, low = 0] = found.slice(1).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
