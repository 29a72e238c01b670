// Sealed text: encrypted and authenticated (AES-256-GCM) with a key derived from the service's secret for
// one purpose, so that what was sealed for one thing opens for nothing else.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export interface Seal {
  /** URL-safe text that only an instance with the same secret can open, and only for the same purpose. */
  seal: (purpose: string, content: string) => string;
  /** The same text for the same content, which tells that two are the same, and nothing more. */
  sealAlike: (purpose: string, content: string) => string;
  /** The content, or undefined for anything that was not sealed for this purpose with one of the secrets. */
  open: (purpose: string, sealed: string) => string | undefined;
  /** The same for what is read again and again: the last few thousand are remembered. */
  openAgain: (purpose: string, sealed: string) => string | undefined;
}

const rememberedMax = 4_000;

const nonceBytes = 12;
const tagBytes = 16;
const keyIdBytes = 4;
const headerBytes = keyIdBytes + nonceBytes;

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
    if (current === undefined) throw new Error('there is no secret to seal with');
    return current;
  };
  const remembered = new LRUCache<string, string>({ max: rememberedMax });
  const seal: Seal = {
    seal: (purpose, content) => sealWith(currentKey(purpose), randomBytes(nonceBytes), content),
    // A nonce that follows from the content comes again with that content alone (synthetic, as in RFC 5297).
    sealAlike: (purpose, content) => {
      const key = currentKey(purpose);
      const nonce = createHmac('sha256', key.nonceKey).update(content).digest().subarray(0, nonceBytes);
      return sealWith(key, nonce, content);
    },
    open: (purpose, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < headerBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined;
      const key = keysFor(purpose).find(({ id }) => id.equals(bytes.subarray(0, keyIdBytes)));
      if (key === undefined) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(keyIdBytes, headerBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const content = decipher.update(bytes.subarray(headerBytes, -tagBytes));
        return Buffer.concat([content, decipher.final()]).toString('utf8');
      } catch {
        // The tag does not match: it was not sealed here, or it was changed.
        return undefined;
      }
    },
    openAgain: (purpose, sealed) => {
      const key = `${purpose} ${sealed}`;
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const opened = seal.open(purpose, sealed);
      if (opened !== undefined) remembered.set(key, opened);
      return opened;
    },
  };
  return seal;
}

interface SealingKey {
  id: Buffer;
  key: Buffer;
  /** Makes nonces of contents, and nothing else. */
  nonceKey: Buffer;
}

function sealWith({ id, key }: SealingKey, nonce: Buffer, content: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const encrypted = cipher.update(content, 'utf8');
  const rest = cipher.final();
  return Buffer.concat([id, nonce, encrypted, rest, cipher.getAuthTag()]).toString('base64url');
}

function deriveKey(secret: string, purpose: string): SealingKey {
  const key = Buffer.from(hkdfSync('sha256', secret, 'workload-control-plane', purpose, 32));
  const nonceKey = createHmac('sha256', key).update('nonce').digest();
  return { id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes), key, nonceKey };
}
