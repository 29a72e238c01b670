// The RSA keys that sign access tokens. Private keys are stored encrypted in the database. A retired key no longer
// signs, and verifies until the last token it signed has expired.
import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SigningKey as SigningKeyRow } from '../database/client/client.js';
import type { Database, Transaction } from '../database/open.js';
import type { Encryption } from '../encryption.js';

/** The purpose for which private keys are encrypted. */
export const signingKeyPurpose = 'signing key';

/** The minimum interval between reloads for an unknown `kid` (ms). */
const reloadIntervalMs = 1_000;

/** How long the next key is published before it signs (ms). Longer than verifiers cache a key set. */
const publishedAheadMs = 60 * 60_000;

const dayMs = 24 * 60 * 60_000;

/** An arbitrary number that no other lock uses. */
const advisoryLock = 72_707_370;

/**
 * Limit of the rotation's transaction, and of the wait for it (ms). A first start on a busy machine needs more than
 * Prisma's 5 s.
 */
const rotationMsMax = 60_000;

/** How long a key is used before the database is checked for its retirement (ms). */
const keyAgeMsMax = 60_000;

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** Returns the current signing key. Creates the first one on demand. */
export async function currentSigningKey(db: Transaction, encryption: Encryption, now: Date): Promise<SigningKey> {
  const row = await db.signingKey.findFirst({
    where: { signsFrom: { lte: now }, OR: [{ retiredAt: null }, { retiredAt: { gt: now } }] },
    orderBy: [{ signsFrom: 'desc' }, { createdAt: 'desc' }],
  });
  if (row === null) return insertSigningKey(db, encryption, await generateSigningKey(), now, now);
  const pem = openedPem(encryption, row);
  if (pem === undefined) {
    throw new Error(`SERVICE_SECRETS: none of the secrets decrypts the signing key ${row.kid}`);
  }
  return { kid: row.kid, privateKey: createPrivateKey(pem) };
}

function openedPem(encryption: Encryption, { kid, encryptedPrivateKey }: SigningKeyRow): string | undefined {
  const encryptedText = Buffer.from(encryptedPrivateKey).toString('utf8');
  return encryption.ofRow('signing_key', kid).decrypt(signingKeyPurpose, encryptedText);
}

/**
 * Checks that the secrets of this process decrypt all current and future keys.
 *
 * @returns undefined when there is no key.
 */
export async function opensSigningKeys(
  db: Transaction,
  encryption: Encryption,
  now: Date,
): Promise<boolean | undefined> {
  const rows = await db.signingKey.findMany({ where: { OR: [{ retiredAt: null }, { retiredAt: { gt: now } }] } });
  return rows.length === 0 ? undefined : rows.every((row) => openedPem(encryption, row) !== undefined);
}

/** Creates a signing key that is used at once, and retires the others. */
export async function rotateSigningKey(db: Transaction, encryption: Encryption, now: Date): Promise<SigningKey> {
  const key = await insertSigningKey(db, encryption, await generateSigningKey(), now, now);
  await retireOthers(db, key.kid, now);
  return key;
}

/**
 * Creates the first key, and the next one when the newest is about to be too old. The next key is published an hour
 * before it signs, so that verifiers have it by then. If several processes call this at the same time, one creates the
 * key.
 *
 * @returns the new key; undefined when none is due.
 */
export async function rotateSigningKeyWhenDue(
  db: Database,
  encryption: Encryption,
  now: Date,
  keyAgeDaysMax: number,
): Promise<{ kid: string; signsFrom: Date } | undefined> {
  if ((await dueFrom(db, now, keyAgeDaysMax)) === undefined) return undefined;
  // Generating a key takes seconds on a busy machine, too long to hold the transaction's lock.
  const key = await generateSigningKey();
  return db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT set_config('lock_timeout', ${String(rotationMsMax)}, true)`;
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLock}::bigint)`;
      const signsFrom = await dueFrom(tx, now, keyAgeDaysMax);
      if (signsFrom === undefined) return undefined;
      const { kid } = await insertSigningKey(tx, encryption, key, now, signsFrom);
      if (signsFrom > now) await retireOthers(tx, kid, signsFrom);
      return { kid, signsFrom };
    },
    { maxWait: rotationMsMax, timeout: rotationMsMax },
  );
}

/** Returns when the next key starts to sign; undefined when none is due. The first key signs at once. */
async function dueFrom(db: Transaction, now: Date, keyAgeDaysMax: number): Promise<Date | undefined> {
  const newest = await db.signingKey.findFirst({ orderBy: { signsFrom: 'desc' } });
  if (newest === null) return now;
  const signsFrom = new Date(now.getTime() + publishedAheadMs);
  return signsFrom.getTime() - newest.signsFrom.getTime() < keyAgeDaysMax * dayMs ? undefined : signsFrom;
}

async function retireOthers(db: Transaction, kid: string, retiredAt: Date): Promise<void> {
  const stillSigns = { OR: [{ retiredAt: null }, { retiredAt: { gt: retiredAt } }] };
  await db.signingKey.updateMany({ where: { kid: { not: kid }, ...stillSigns }, data: { retiredAt } });
}

interface GeneratedKey {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

async function generateSigningKey(): Promise<GeneratedKey> {
  return promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
}

async function insertSigningKey(
  db: Transaction,
  encryption: Encryption,
  { publicKey, privateKey }: GeneratedKey,
  now: Date,
  signsFrom: Date,
): Promise<SigningKey> {
  const kid = randomUUID();
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const encrypted = encryption.ofRow('signing_key', kid).encrypt(signingKeyPurpose, pem);
  await db.signingKey.create({
    data: {
      kid,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      encryptedPrivateKey: Uint8Array.from(Buffer.from(encrypted, 'utf8')),
      createdAt: now,
      signsFrom,
    },
  });
  return { kid, privateKey };
}

export interface VerificationKeys {
  /** Returns the public key of a `kid`; undefined when it is unknown or retired longer than the lifetime of a token. */
  find: (kid: string) => Promise<KeyObject | undefined>;
  /** Returns the JSON Web Key Set (RFC 7517, section 5). */
  toJwks: () => Promise<{ keys: JsonWebKey[] }>;
}

/**
 * Caches the public keys. An unknown `kid` reloads them, at most once per second; further requests wait. The published
 * set is always read from the database, once for concurrent requests, so that it has every key that already signs,
 * whichever process created it.
 *
 * @param tokenLifeMs how long a retired key still verifies.
 */
export function verificationKeys(db: Database, now: () => Date, tokenLifeMs: number): VerificationKeys {
  let keys = new Map<string, { key: KeyObject; endsAtMs: number }>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let loadedFor = new Date(0);
  let loading: Promise<void> | undefined;
  const load = async () => {
    const startedAtMs = performance.now();
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
    readAtMs = startedAtMs;
    loadedFor = now();
  };
  const reload = async () => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    await loading;
  };
  /** Reloads if due. A reload that started before the request may have missed a new key. */
  const reloadFor = async (askedAtMs: number): Promise<void> => {
    if (readAtMs >= askedAtMs) return undefined;
    const dueInMs = readAtMs + reloadIntervalMs - performance.now();
    await (dueInMs > 0 ? setTimeout(dueInMs) : reload());
    return reloadFor(askedAtMs);
  };
  /**
   * Reloads after `askedAtMs`. If a reload is in progress, waits for it and starts another, because it may have missed
   * a new key.
   */
  const reloadAfter = async (askedAtMs: number): Promise<void> => {
    if (readAtMs < askedAtMs) await reload();
    if (readAtMs < askedAtMs) await reload();
  };
  return {
    find: async (kid) => {
      // Reloads when the cached keys are too old, to notice a retired key.
      if (now().getTime() - loadedFor.getTime() > keyAgeMsMax) await reload();
      if (!keys.has(kid)) await reloadFor(performance.now());
      const known = keys.get(kid);
      return known !== undefined && known.endsAtMs > now().getTime() ? known.key : undefined;
    },
    toJwks: async () => {
      await reloadAfter(performance.now());
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
