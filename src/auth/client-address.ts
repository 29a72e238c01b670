// The network address of a client. Proxies write addresses in many forms: with a port, in brackets, with a zone, and
// IPv4 mapped to IPv6.
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the address of the client: that of the connection or, behind a proxy, the one in the proxy's header.
 *
 * @param header the name of the header in lower case; undefined without a proxy.
 * @param connection the address of the connection, if known.
 */
export function clientAddress(
  headers: IncomingHttpHeaders,
  header: string | undefined,
  connection: string | undefined,
): string {
  if (header === undefined) return plainAddress(connection ?? '') ?? 'unknown';
  const named = headers[header];
  // The nearest proxy added the last address. The client may have sent the ones before it.
  const last =
    String(named ?? '')
      .split(',')
      .at(-1) ?? '';
  // If the proxy sends no address, use the address of the proxy itself.
  return plainAddress(last.trim()) ?? plainAddress(connection ?? '') ?? 'unknown';
}

/**
 * Removes port, brackets and zone, and unmaps IPv4.
 *
 * @returns undefined when the text is not an address.
 */
export function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const [, inBrackets] = /^"?\[([^\]]*)\](?::\d{1,5})?"?$/.exec(text) ?? [];
  const [, beforePort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const [address = ''] = (inBrackets ?? beforePort ?? text).split('%', 1);
  if (isIPv4(address)) return address;
  return isIPv6(address) ? (mappedIPv4(address) ?? address) : undefined;
}

/** Returns the network of one customer: an IPv4 address or an IPv6 /64. Other text is returned unchanged. */
export function clientNetwork(text: string): string {
  const address = plainAddress(text.trim());
  if (address === undefined) return text.trim().slice(0, 100);
  if (isIPv4(address)) return address;
  const network = groupsOf(address).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** Unmaps an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
function mappedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined;
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right = []] = hexadecimal.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}
