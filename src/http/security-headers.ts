/** One year, the minimum of preload lists and scanners. */
const httpsAgeSeconds = 31_536_000;

/**
 * The headers of every response, which keep a browser from doing anything but reading it. HTML pages override some.
 * With https, browsers use only https from then on (RFC 6797).
 *
 * @param publicUrl the URL by which clients reach this service.
 */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${httpsAgeSeconds}` } : {}),
  };
}
