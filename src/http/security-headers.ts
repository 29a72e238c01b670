/** A year, as preload lists and scanners ask for at least. */
const httpsAgeSeconds = 31_536_000;

/**
 * What every answer carries, so that a browser that is led to it does nothing with it but read it. A page says
 * more of its own in their place. Under https a browser stays there from then on (RFC 6797).
 *
 * @param publicUrl the address by which clients reach this service.
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
