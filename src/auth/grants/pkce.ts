// Proof Key for Code Exchange (RFC 7636). Only S256 is supported, because a leaked `plain` challenge is the verifier
// (decision 20).
import { createHash, timingSafeEqual } from 'node:crypto';

export const challengeMethod = 'S256';

/** Whether a challenge is the base64url of a SHA-256 (RFC 7636, section 4.2). */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Verifies a challenge (RFC 7636, section 4.6). A verifier has 43 to 128 unreserved characters (section 4.1). */
export function verifiesChallenge(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const computed = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const expected = Buffer.from(challenge);
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
