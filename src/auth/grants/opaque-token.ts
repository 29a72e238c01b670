// Codes, device codes, refresh tokens, client secrets and session cookies: 256 random bits, of which only the SHA-256
// is stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export type OpaqueTokenMark = 'wcc_' | 'wcd_' | 'wcr_' | 'wcs_' | '';

/**
 * Creates a token of characters that need no escaping in URLs, forms and headers. The mark identifies a leaked token's
 * type.
 */
export function createOpaqueToken(mark: OpaqueTokenMark): { token: string; hash: Uint8Array<ArrayBuffer> } {
  const token = `${mark}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashOpaqueToken(token) };
}

/** SHA-256 is enough: tokens are long and random, so a slow hash would add no protection. */
export function hashOpaqueToken(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest());
}

/** Compares a token with a hash in constant time. */
export function isTokenOf(token: string, hash: Uint8Array): boolean {
  return timingSafeEqual(hashOpaqueToken(token), hash);
}
