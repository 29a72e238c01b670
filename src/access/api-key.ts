// API keys: `wcp_`, 40 random base62 characters, and 6 more that hold the CRC32 of those, so that a
// mistyped key is refused without a look-up (decision 15).
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const mark = 'wcp_';
const randomLength = 40;
const checksumLength = 6;
const shape = new RegExp(`^${mark}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** How much of a key may be shown again, to tell one from another. */
const prefixLength = mark.length + 6;

export interface NewApiKey {
  /** Shown once, never stored. */
  key: string;
  prefix: string;
  hash: Uint8Array<ArrayBuffer>;
}

export function createApiKey(): NewApiKey {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const key = `${mark}${random}${checksum(random)}`;
  return { key, prefix: key.slice(0, prefixLength), hash: hashApiKey(key) };
}

/** Whether a bearer value is meant to be an API key, however wrong it is. */
export function looksLikeApiKey(bearer: string): boolean {
  return bearer.startsWith(mark);
}

/** Whether a key has the form and the checksum of one; it may still be unknown. */
export function isApiKey(bearer: string): boolean {
  if (!shape.test(bearer)) return false;
  return checksum(bearer.slice(mark.length, mark.length + randomLength)) === bearer.slice(-checksumLength);
}

/** SHA-256: the keys are long and random, so a slow hash would protect nothing more. */
export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(key).digest());
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index++) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
