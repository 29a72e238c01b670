// Redirect URIs must match a registered one exactly. The only exception is the port of a loopback address, because
// programs on the user's machine use any free port (RFC 8252, section 7.3).

/** Characters that users cannot see, or that change the direction of an address on the consent page, and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);
const lengthMax = 2_000;
const portMax = 65_535;

/** Returns why a redirect URI cannot be registered; undefined when it can. */
export function redirectUriProblem(text: string): string | undefined {
  const uri = URL.parse(text);
  if (uri === null || text.length > lengthMax || /[\s\\]/.test(text)) return 'must be an absolute URI';
  if (invisible.test(text)) return 'must not contain invisible characters';
  if (text.includes('#')) return 'must not have a fragment';
  if (uri.username !== '' || uri.password !== '') return 'must not have a user name';
  if (uri.protocol === 'https:') return undefined;
  if (uri.protocol === 'http:') {
    return loopbackHosts.has(uri.hostname) ? undefined : 'must be https, unless it is a loopback address';
  }
  // A private-use scheme is a reversed domain name, so it has a dot (RFC 8252, section 7.1).
  return uri.protocol.includes('.') ? undefined : 'must be https, or a scheme such as com.example.app:';
}

/** Whether a redirect URI is registered. Compares bytes, except for the port of a literal loopback address. */
export function isRegisteredRedirectUri(registered: readonly string[], requested: string): boolean {
  return registered.some((uri) => uri === requested || isSameButForPort(uri, requested));
}

function isSameButForPort(registered: string, requested: string): boolean {
  const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(\/.*)?$/;
  const [, host, path = ''] = loopback.exec(registered) ?? [];
  if (host === undefined || !requested.startsWith(`${host}:`)) return false;
  const port = requested.slice(host.length + 1, requested.length - path.length);
  return /^[1-9]\d{0,4}$/.test(port) && Number(port) <= portMax && requested.endsWith(path);
}
