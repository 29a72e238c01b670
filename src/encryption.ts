// Sealed text: encrypted and authenticated (AES-256-GCM) with a key derived from the service's secret for
// one purpose, so that what was sealed for one thing opens for nothing else.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The tables whose rows keep what is sealed. */
export const sealedTables = [
  'signing_key',
  'agent',
  'sandbox',
  'job',
  'job_execution',
  'webhook',
  'idempotency_key',
] as const;

export type SealedTable = (typeof sealedTables)[number];

export function isSealedTable(table: string): table is SealedTable {
  return sealedTables.some((each) => each === table);
}

export interface Seal {
  /** URL-safe text that only an instance with the same secret can open, and only for the same purpose. */
  seal: (purpose: string, content: string) => string;
  /** The same text for the same content, which tells that two are the same, and nothing more. */
  sealAlike: (purpose: string, content: string) => string;
  /** The content, or undefined for anything that was not sealed for this purpose with one of the secrets. */
  open: (purpose: string, sealed: string) => string | undefined;
  /** The same for what is read again and again: the last few thousand are remembered. */
  openAgain: (purpose: string, sealed: string) => string | undefined;
  /** For what one row keeps, by its key in its table. */
  ofRow: (table: SealedTable, key: string) => RowSeal;
}

/**
 * What it seals opens for this row alone: a value that somebody copied into another row stays closed there. What was sealed
 * before values were bound to rows opens too, until it is sealed again.
 */
export interface RowSeal extends Pick<Seal, 'seal' | 'open' | 'openAgain'> {
  readonly row: string;
  /** Whether a value that opens needs no sealing again: it is bound, and under the first secret. */
  isCurrent: (purpose: string, sealed: string) => boolean;
}

const rememberedMax = 4_000;

const nonceBytes = 12;
const tagBytes = 16;
const keyIdBytes = 4;
const headerBytes = keyIdBytes + nonceBytes;

/** What a sealed text begins with that is bound to a row. No other one holds this character. */
const boundMark = '~';

/** @param secrets the first one seals, all of them open: that is how a secret is rotated. */
export function createSeal(secrets: string[]): Seal {
  const keyrings = new Map<string, SealingKey[]>();
  const keysFor = (purpose: string): SealingKey[] => {
    const known = keyrings.get(purpose) ?? secrets.map((secret) => deriveKey(secret, purpose));
    keyrings.set(purpose, known);
    return known;
  };
  const currentKey = (purpose: string): SealingKey => {
    const [current] = keysFor(purpose);
    if (current === undefined) throw new Error('there is no secret to encrypt with');
    return current;
  };
  const sealText = (purpose: string, content: string, row?: string) =>
    sealWith(currentKey(purpose), randomBytes(nonceBytes), content, row);
  const openText = (purpose: string, sealed: string, row?: string) => openWith(keysFor(purpose), sealed, row);
  const remembered = new LRUCache<string, string>({ max: rememberedMax });
  const openTextAgain = (purpose: string, sealed: string, row?: string) => {
    const key = JSON.stringify([purpose, sealed, row]);
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const opened = openText(purpose, sealed, row);
    if (opened !== undefined) remembered.set(key, opened);
    return opened;
  };
  return {
    seal: (purpose, content) => sealText(purpose, content),
    // A nonce that follows from the content comes again with that content alone (synthetic, as in RFC 5297).
    sealAlike: (purpose, content) => {
      const key = currentKey(purpose);
      const nonce = createHmac('sha256', key.nonceKey).update(content).digest().subarray(0, nonceBytes);
      return sealWith(key, nonce, content);
    },
    open: (purpose, sealed) => openText(purpose, sealed),
    openAgain: (purpose, sealed) => openTextAgain(purpose, sealed),
    ofRow: (table, key) => {
      const row = `${table} ${key}`;
      return {
        row,
        seal: (purpose, content) => sealText(purpose, content, row),
        open: (purpose, sealed) => openText(purpose, sealed, row),
        openAgain: (purpose, sealed) => openTextAgain(purpose, sealed, row),
        isCurrent: (purpose, sealed) =>
          sealed.startsWith(boundMark) && keyIdOf(bytesOf(sealed.slice(1))).equals(currentKey(purpose).id),
      };
    },
  };
}

interface SealingKey {
  id: Buffer;
  key: Buffer;
  /** Makes nonces of contents, and nothing else. */
  nonceKey: Buffer;
}

/** @param row is authenticated with the content, and not contained in the text. */
function sealWith({ id, key }: SealingKey, nonce: Buffer, content: string, row?: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  if (row !== undefined) cipher.setAAD(Buffer.from(row, 'utf8'));
  const encrypted = cipher.update(content, 'utf8');
  const rest = cipher.final();
  const text = Buffer.concat([id, nonce, encrypted, rest, cipher.getAuthTag()]).toString('base64url');
  return row === undefined ? text : `${boundMark}${text}`;
}

/** @param row the one that it was read from; what is bound opens for no other, and not without one. */
function openWith(keys: SealingKey[], sealed: string, row?: string): string | undefined {
  const boundTo = sealed.startsWith(boundMark) ? row : undefined;
  const text = boundTo === undefined ? sealed : sealed.slice(boundMark.length);
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
    // The tag does not match: it was not sealed here, or not for this row, or it was changed.
    return undefined;
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

function keyIdOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, keyIdBytes);
}

function deriveKey(secret: string, purpose: string): SealingKey {
  const key = Buffer.from(hkdfSync('sha256', secret, 'workload-control-plane', purpose, 32));
  const nonceKey = createHmac('sha256', key).update('nonce').digest();
  return { id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes), key, nonceKey };
}
