// Address ranges in CIDR notation (RFC 4632), such as 203.0.113.0/24 or 2001:db8::/48. They restrict from where an API
// key or an executor key can be used.
import { BlockList, isIPv4 } from 'node:net';
import { plainAddress } from './client-address.js';

/**
 * Returns the canonical form of a range. A single address becomes a range with full prefix length.
 *
 * @returns undefined when the text is not a range.
 */
export function canonicalRange(text: string): string | undefined {
  const [first = '', length, ...rest] = text.trim().split('/');
  const address = /[[\]"%]/.test(first) ? undefined : plainAddress(first);
  // Parsing an address drops its port, so reject a range with a port here.
  if (address === undefined || rest.length > 0 || (isIPv4(address) && first !== address)) return undefined;
  const bits = isIPv4(address) ? 32 : 128;
  if (length === undefined) return `${address}/${bits}`;
  return /^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= bits ? `${address}/${length}` : undefined;
}

/** Whether an address is in one of the ranges. An empty list allows every address. */
export function isInRanges(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true;
  const plain = plainAddress(address);
  return plain !== undefined && blockListOf(ranges).check(plain, familyOf(plain));
}

/** Whether each range is contained in one of `others`. An empty list of others contains everything. */
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
