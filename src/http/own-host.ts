const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a browser came by a name which is this service's own: its public one, or that of the machine it runs on. Another
 * site can point its name here (DNS rebinding), and then reads what this service answers to that name.
 *
 * @param host the header of that name.
 */
export function isOwnHost(publicUrl: string, host: string | undefined): boolean {
  const address = URL.parse(`http://${host ?? ''}`);
  if (address === null) return false;
  return loopbackHosts.has(address.hostname) || address.hostname === new URL(publicUrl).hostname;
}
