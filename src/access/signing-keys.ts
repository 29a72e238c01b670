// The RSA keys that sign access tokens. The private halves are kept in the database, sealed; a key that
// was rotated out signs nothing more, and verifies for as long as a token that it signed can live.
import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../database/open.js';
import type { Seal } from '../seal.js';

const purpose = 'signing key';

/** How often an unknown `kid` may ask the database again. */
const reloadIntervalMs = 1_000;

/** How long a key is trusted before the database is asked whether it still stands. */
const keyAgeMsMax = 60_000;

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** The key that signs now. The first one is made when it is first needed. */
export async function currentSigningKey(db: Database, seal: Seal): Promise<SigningKey> {
  const row = await db.signingKey.findFirst({ where: { retiredAt: null }, orderBy: { createdAt: 'desc' } });
  if (row === null) return createSigningKey(db, seal);
  const pem = seal.open(purpose, Buffer.from(row.sealedPrivateKey).toString('utf8'));
  if (pem === undefined) {
    throw new Error(`SERVICE_SECRETS: none of the secrets opens the signing key ${row.kid}`);
  }
  return { kid: row.kid, privateKey: createPrivateKey(pem) };
}

/** Makes a new key the one that signs, and retires the others. */
export async function rotateSigningKey(db: Database, seal: Seal, now: Date): Promise<SigningKey> {
  const key = await createSigningKey(db, seal);
  await db.signingKey.updateMany({ where: { retiredAt: null, kid: { not: key.kid } }, data: { retiredAt: now } });
  return key;
}

async function createSigningKey(db: Database, seal: Seal): Promise<SigningKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const kid = randomUUID();
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await db.signingKey.create({
    data: {
      kid,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      sealedPrivateKey: Uint8Array.from(Buffer.from(seal.seal(purpose, pem), 'utf8')),
    },
  });
  return { kid, privateKey };
}

export interface VerificationKeys {
  /** The public key of a `kid`; undefined when it is unknown, or retired for longer than a token lives. */
  find: (kid: string) => Promise<KeyObject | undefined>;
  /** The JSON Web Key Set of RFC 7517, section 5. */
  toJwks: () => Promise<{ keys: JsonWebKey[] }>;
}

/**
 * The public keys, read from the database when an unknown one is asked for, at most once a second.
 *
 * @param tokenLifeMs how long a retired key still verifies.
 */
export function verificationKeys(db: Database, now: () => Date, tokenLifeMs: number): VerificationKeys {
  let keys = new Map<string, { key: KeyObject; endsAtMs: number }>();
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let loadedFor = new Date(0);
  let loading: Promise<void> | undefined;
  const load = async () => {
    const rows = await db.signingKey.findMany({
      where: { OR: [{ retiredAt: null }, { retiredAt: { gt: new Date(now().getTime() - tokenLifeMs) } }] },
      orderBy: { createdAt: 'desc' },
    });
    keys = new Map(
      rows.map((row) => {
        const endsAtMs = row.retiredAt === null ? Number.POSITIVE_INFINITY : row.retiredAt.getTime() + tokenLifeMs;
        return [row.kid, { key: createPublicKey(row.publicKey), endsAtMs }];
      }),
    );
    loadedAtMs = performance.now();
    loadedFor = now();
  };
  const reload = async (isDue = false) => {
    if (!isDue && performance.now() - loadedAtMs < reloadIntervalMs) return;
    loading ??= load().finally(() => {
      loading = undefined;
    });
    await loading;
  };
  return {
    find: async (kid) => {
      // A key that was rotated out since it was loaded is noticed because loading again is due by then.
      const isOld = now().getTime() - loadedFor.getTime() > keyAgeMsMax;
      if (isOld || !keys.has(kid)) await reload(isOld);
      const known = keys.get(kid);
      return known !== undefined && known.endsAtMs > now().getTime() ? known.key : undefined;
    },
    toJwks: async () => {
      await reload();
      return {
        keys: Array.from(keys, ([kid, { key }]) => ({
          ...key.export({ format: 'jwk' }),
          kid,
          alg: 'RS256',
          use: 'sig',
        })),
      };
    },
  };
}
