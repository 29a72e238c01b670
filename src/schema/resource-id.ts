import { randomUUID } from 'node:crypto';

/**
 * The id of something new: a UUIDv7 (RFC 9562, section 5.7), which begins with the time. What comes in one after the
 * other stands side by side in every index that has the id in it, so that a fleet of a million takes one more as quickly
 * as one of a thousand.
 */
export function newResourceId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  const random = randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}
