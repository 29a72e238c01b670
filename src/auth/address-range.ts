// Ranges of addresses in CIDR notation (RFC 4632), such as 203.0.113.0/24 or 2001:db8::/48, by which a key is confined to
// where it is used from.
import { BlockList, isIPv4 } from 'node:net';
import { plainAddress } from './client-address.js';

/**
 * A range as it is kept, with a length: an address alone is a range of one.
 *
 * @returns undefined for text that is no range.
 */
export function canonicalRange(text: string): string | undefined {
  const [first = '', length, ...rest] = text.trim().split('/');
  const address = /[[\]"%]/.test(first) ? undefined : plainAddress(first);
  // A port would be taken off an address, and stands in no range.
  if (address === undefined || rest.length > 0 || (isIPv4(address) && first !== address)) return undefined;
  const bits = isIPv4(address) ? 32 : 128;
  if (length === undefined) return `${address}/${bits}`;
  return /^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= bits ? `${address}/${length}` : undefined;
}

/** Whether an address lies in one of some ranges; there being none confines nothing. */
export function isInRanges(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true;
  const plain = plainAddress(address);
  return plain !== undefined && blockListOf(ranges).check(plain, familyOf(plain));
}

/** Whether each of some ranges lies wholly in one of others; there being none of the others confines nothing. */
export function areWithin(ranges: readonly string[], others: readonly string[]): boolean {
  if (others.length === 0) return true;
  return ranges.length > 0 && ranges.every((range) => others.some((other) => isWithin(range, other)));
}

function isWithin(range: string, other: string): boolean {
  const [address = '', length] = range.split('/');
  const [otherAddress = '', otherLength] = other.split('/');
  if (familyOf(address) !== familyOf(otherAddress) || Number(length) < Number(otherLength)) return false;
  return blockListOf([other]).check(address, familyOf(address));
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    list.addSubnet(address, Number(length), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
