// Where a request comes from. Proxies write addresses in many ways: with a port, in brackets, with a zone, and an IPv4
// address in the form of IPv6.
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The address of the client that sent a request: that of its connection or, behind a proxy, the one that the proxy
 * tells in a header.
 *
 * @param header the name of that header in lower case; undefined without a proxy.
 * @param connection the address that the connection comes from, where it is known.
 */
export function clientAddress(
  headers: IncomingHttpHeaders,
  header: string | undefined,
  connection: string | undefined,
): string {
  if (header === undefined) return plainAddress(connection ?? '') ?? 'unknown';
  const named = headers[header];
  // The last address is the one that the nearest proxy added; those before it are whatever the client sent.
  const last =
    String(named ?? '')
      .split(',')
      .at(-1) ?? '';
  // A proxy that tells no address stands for its clients itself.
  return plainAddress(last.trim()) ?? plainAddress(connection ?? '') ?? 'unknown';
}

/**
 * The address alone: without port, brackets and zone, and IPv4 in its own form.
 *
 * @returns undefined for text that is no address.
 */
export function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const [, inBrackets] = /^"?\[([^\]]*)\](?::\d{1,5})?"?$/.exec(text) ?? [];
  const [, beforePort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const [address = ''] = (inBrackets ?? beforePort ?? text).split('%', 1);
  if (isIPv4(address)) return address;
  return isIPv6(address) ? (mappedIPv4(address) ?? address) : undefined;
}

/** What one customer has: an IPv4 address, or a whole /64 of IPv6. Text that is no address counts as it stands. */
export function clientNetwork(text: string): string {
  const address = plainAddress(text.trim());
  if (address === undefined) return text.trim().slice(0, 100);
  if (isIPv4(address)) return address;
  const network = groupsOf(address).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** RFC 4291, section 2.5.5.2: an IPv4 address in the form of IPv6. */
function mappedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const whole = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right = []] = whole.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}
