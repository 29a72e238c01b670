const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a browser used a host name of this service: its public one, or one of the local machine. Another site can
 * point its name here (DNS rebinding), and could then read the responses for that name.
 *
 * @param host the `Host` header.
 */
export function isOwnHost(publicUrl: string, host: string | undefined): boolean {
  const address = URL.parse(`http://${host ?? ''}`);
  if (address === null) return false;
  return loopbackHosts.has(address.hostname) || address.hostname === new URL(publicUrl).hostname;
}
