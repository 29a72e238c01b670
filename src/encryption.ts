// Encryption of stored values and cursors: AES-256-GCM with a key that is derived from the service's secret for one
// purpose (HKDF). A text that was encrypted for one purpose cannot be decrypted for another.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The tables that store encrypted values. */
export const encryptedTables = [
  'signing_key',
  'agent',
  'sandbox',
  'sandbox_preview',
  'job',
  'job_execution',
  'webhook',
  'idempotency_key',
] as const;

export type EncryptedTable = (typeof encryptedTables)[number];

export function isEncryptedTable(table: string): table is EncryptedTable {
  return encryptedTables.some((each) => each === table);
}

export interface Encryption {
  /** Encrypts the content as URL-safe text. Decryption requires the same secret and the same purpose. */
  encrypt: (purpose: string, content: string) => string;
  /** Encrypts equal contents as equal texts, which reveals that they are equal. */
  encryptDeterministically: (purpose: string, content: string) => string;
  /** Returns the content, or undefined for a text that was not encrypted for this purpose with one of the secrets. */
  decrypt: (purpose: string, encryptedText: string) => string | undefined;
  /** The encryption of the values of one row, by its key in its table. */
  ofRow: (table: EncryptedTable, key: string) => RowEncryption;
}

/**
 * Binds the values that it encrypts to one row: a value that is copied into another row cannot be decrypted there. It
 * also decrypts values that are not bound to a row.
 */
export interface RowEncryption extends Pick<Encryption, 'encrypt' | 'decrypt'> {
  readonly row: string;
  /** Like `decrypt`, and returns a value that is still stored in clear as it is (see `isInClear`). */
  open: (purpose: string, stored: string) => string | undefined;
  /** Like `open`, and caches the last 4,000 contents, for values that many requests read. */
  openCached: (purpose: string, stored: string) => string | undefined;
  /** Whether the value is bound to a row and encrypted with the first secret, so it needs no re-encryption. */
  isCurrent: (purpose: string, encryptedText: string) => boolean;
}

const rememberedMax = 4_000;

const nonceBytes = 12;
const tagBytes = 16;
const keyIdBytes = 4;
const headerBytes = keyIdBytes + nonceBytes;

/** The first character of texts that are bound to a row. Base64url does not have it. */
const boundMark = '~';

/** The purposes of values that were stored in clear at first. `secrets reencrypt` encrypts the values of that time. */
const formerlyClear: readonly string[] = ['preview header', 'callback URL', 'webhook URL'];

/** Whether a stored value is from the time in which values of its purpose were not encrypted. */
export function isInClear(purpose: string, stored: string): boolean {
  return formerlyClear.includes(purpose) && !isBoundText(stored);
}

function isBoundText(stored: string): boolean {
  const text = stored.slice(boundMark.length);
  const bytes = bytesOf(text);
  return stored.startsWith(boundMark) && bytes.length >= headerBytes + tagBytes && bytes.toString('base64url') === text;
}

/** @param secrets the first one encrypts and all of them decrypt, so that a secret can be rotated. */
export function createEncryption(secrets: string[]): Encryption {
  const keyrings = new Map<string, EncryptionKey[]>();
  const keysFor = (purpose: string): EncryptionKey[] => {
    const known = keyrings.get(purpose) ?? secrets.map((secret) => deriveKey(secret, purpose));
    keyrings.set(purpose, known);
    return known;
  };
  const currentKey = (purpose: string): EncryptionKey => {
    const [current] = keysFor(purpose);
    if (current === undefined) throw new Error('there is no secret to encrypt with');
    return current;
  };
  const encryptText = (purpose: string, content: string, row?: string) =>
    encryptWith(currentKey(purpose), randomBytes(nonceBytes), content, row);
  const decryptText = (purpose: string, encryptedText: string, row?: string) =>
    decryptWith(keysFor(purpose), encryptedText, row);
  const remembered = new LRUCache<string, string>({ max: rememberedMax });
  const openText = (purpose: string, stored: string, row: string) =>
    isInClear(purpose, stored) ? stored : decryptText(purpose, stored, row);
  const openTextCached = (purpose: string, stored: string, row: string) => {
    const key = `${stored}\n${purpose}\n${row}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const opened = openText(purpose, stored, row);
    if (opened !== undefined) remembered.set(key, opened);
    return opened;
  };
  return {
    encrypt: (purpose, content) => encryptText(purpose, content),
    // The nonce is derived from the content, so no two contents share a nonce (a synthetic IV, as in RFC 5297).
    encryptDeterministically: (purpose, content) => {
      const key = currentKey(purpose);
      const nonce = createHmac('sha256', key.nonceKey).update(content).digest().subarray(0, nonceBytes);
      return encryptWith(key, nonce, content);
    },
    decrypt: (purpose, encryptedText) => decryptText(purpose, encryptedText),
    ofRow: (table, key) => {
      const row = `${table} ${key}`;
      return {
        row,
        encrypt: (purpose, content) => encryptText(purpose, content, row),
        decrypt: (purpose, encryptedText) => decryptText(purpose, encryptedText, row),
        open: (purpose, stored) => openText(purpose, stored, row),
        openCached: (purpose, stored) => openTextCached(purpose, stored, row),
        isCurrent: (purpose, encryptedText) =>
          isBoundText(encryptedText) && keyIdOf(bytesOf(encryptedText.slice(1))).equals(currentKey(purpose).id),
      };
    },
  };
}

interface EncryptionKey {
  id: Buffer;
  key: Buffer;
  /** Derives nonces from contents. */
  nonceKey: Buffer;
}

/** @param row is authenticated with the content (as additional data). The text does not contain it. */
function encryptWith({ id, key }: EncryptionKey, nonce: Buffer, content: string, row?: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  if (row !== undefined) cipher.setAAD(Buffer.from(row, 'utf8'));
  const encrypted = cipher.update(content, 'utf8');
  const last = cipher.final();
  const text = Buffer.concat([id, nonce, encrypted, last, cipher.getAuthTag()]).toString('base64url');
  return row === undefined ? text : `${boundMark}${text}`;
}

/** @param row the row that the text was read from. A bound text cannot be decrypted with another row or without one. */
function decryptWith(keys: EncryptionKey[], encryptedText: string, row?: string): string | undefined {
  const boundTo = encryptedText.startsWith(boundMark) ? row : undefined;
  const text = boundTo === undefined ? encryptedText : encryptedText.slice(boundMark.length);
  const bytes = bytesOf(text);
  if (bytes.length < headerBytes + tagBytes || bytes.toString('base64url') !== text) return undefined;
  const key = keys.find(({ id }) => id.equals(keyIdOf(bytes)));
  if (key === undefined) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(keyIdBytes, headerBytes));
  if (boundTo !== undefined) decipher.setAAD(Buffer.from(boundTo, 'utf8'));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const content = decipher.update(bytes.subarray(headerBytes, -tagBytes));
    return Buffer.concat([content, decipher.final()]).toString('utf8');
  } catch {
    // The tag does not match: the text is from elsewhere, from another row, or was changed.
    return undefined;
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

function keyIdOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, keyIdBytes);
}

function deriveKey(secret: string, purpose: string): EncryptionKey {
  const key = Buffer.from(hkdfSync('sha256', secret, 'workload-control-plane', purpose, 32));
  const nonceKey = createHmac('sha256', key).update('nonce').digest();
  return { id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes), key, nonceKey };
}
