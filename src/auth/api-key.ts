// API keys and executor keys: `wcp_` or `wce_`, 40 random base62 characters, and 6 characters with their CRC32, so that
// a mistyped key is rejected without a lookup (decision 15).
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const marks = { 'API key': 'wcp_', 'executor key': 'wce_' } as const;
const randomLength = 40;
const checksumLength = 6;
const shape = new RegExp(`^wc[pe]_[0-9A-Za-z]{${randomLength + checksumLength}}$`);
const markLength = 4;

/** The length of the prefix that may be displayed to identify a key. */
export const prefixLength = markLength + 6;

/** Who uses the key: a principal of an account, or an executor of the platform. */
export type KeyKind = keyof typeof marks;

export interface NewApiKey {
  /** Returned once, never stored. */
  key: string;
  prefix: string;
  hash: Uint8Array<ArrayBuffer>;
}

export function createApiKey(kind: KeyKind = 'API key'): NewApiKey {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const key = `${marks[kind]}${random}${checksum(random)}`;
  return { key, prefix: key.slice(0, prefixLength), hash: hashApiKey(key) };
}

/** Returns the kind of key that a bearer value looks like, even an invalid one; undefined when it is no key. */
export function keyKindOf(bearer: string): KeyKind | undefined {
  if (bearer.startsWith(marks['API key'])) return 'API key';
  return bearer.startsWith(marks['executor key']) ? 'executor key' : undefined;
}

/** Whether a key has the right form and checksum. It may still be unknown. */
export function isApiKey(bearer: string): boolean {
  if (!shape.test(bearer)) return false;
  return checksum(bearer.slice(markLength, markLength + randomLength)) === bearer.slice(-checksumLength);
}

/** SHA-256 is enough: keys are long and random, so a slow hash would add no protection. */
export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(key).digest());
}

function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index++) {
    digits = `${alphabet[remainder % alphabet.length]}${digits}`;
    remainder = Math.floor(remainder / alphabet.length);
  }
  return digits;
}
