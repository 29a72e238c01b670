// Where an answer may be sent: exactly the addresses that a client registered. One difference is allowed, for
// programs on a user's machine that take whichever port is free (RFC 8252, section 7.3).

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);
const lengthMax = 2_000;
const portMax = 65_535;

/** What is wrong with an address that somebody wants to register; undefined when nothing is. */
export function redirectUriProblem(text: string): string | undefined {
  const uri = URL.parse(text);
  if (uri === null || text.length > lengthMax || /[\s\\]/.test(text)) return 'is not an absolute address';
  if (text.includes('#')) return 'has a fragment';
  if (uri.username !== '' || uri.password !== '') return 'has a user name';
  if (uri.protocol === 'https:') return undefined;
  if (uri.protocol === 'http:') {
    return loopbackHosts.has(uri.hostname) ? undefined : 'must be https, but on the user’s own machine';
  }
  // RFC 8252, section 7.1: a program's own scheme is a domain name in reverse, so it has a dot.
  return uri.protocol.includes('.') ? undefined : 'must be https, or a scheme such as com.example.app:';
}

/** Whether an answer may be sent to an address. Byte for byte, but for the port of a literal loopback address. */
export function isRegisteredRedirectUri(registered: readonly string[], given: string): boolean {
  return registered.some((uri) => uri === given || isSameButForPort(uri, given));
}

function isSameButForPort(registered: string, given: string): boolean {
  const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(\/.*)?$/;
  const [, host, path = ''] = loopback.exec(registered) ?? [];
  if (host === undefined || !given.startsWith(`${host}:`)) return false;
  const port = given.slice(host.length + 1, given.length - path.length);
  return /^[1-9]\d{0,4}$/.test(port) && Number(port) <= portMax && given.endsWith(path);
}
