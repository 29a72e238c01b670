// Cookies of the pages: no script sees them, and no other host can plant them.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Cookie {
  name: string;
  /** Where the service is known to be: over TLS, or not. */
  publicUrl: string;
}

/** The value that the browser sent; undefined if it sent none. */
export function cookieOf(request: IncomingMessage, cookie: Cookie): string | undefined {
  const prefix = `${fullName(cookie)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(prefix))?.slice(prefix.length);
}

/** Adds a cookie to the response. @param attributes its attributes in addition to the common ones. */
export function setCookie(response: ServerResponse, cookie: Cookie, value: string, attributes: string[]): void {
  const prefix = `${fullName(cookie)}=`;
  const isSecure = cookie.publicUrl.startsWith('https:');
  const text = [`${prefix}${value}`, 'Path=/', 'HttpOnly', ...attributes, ...(isSecure ? ['Secure'] : [])];
  const others = [response.getHeader('set-cookie') ?? []].flat().map(String);
  response.setHeader('set-cookie', [...others.filter((other) => !other.startsWith(prefix)), text.join('; ')]);
}

/** With the prefix __Host-, a browser accepts the cookie only from this host and over TLS. */
function fullName({ name, publicUrl }: Cookie): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name;
}
