import { randomUUID } from 'node:crypto';

/**
 * The id of a new row: a UUIDv7 (RFC 9562, section 5.7), which starts with the time. Rows that are inserted in sequence
 * are adjacent in every index with the id, so that inserts stay fast in a fleet of a million.
 */
export function newResourceId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  const random = randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}
