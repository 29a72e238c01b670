// The RSA keys that sign access tokens. The private halves are kept in the database, sealed; a key that
// was rotated out signs nothing more, and verifies for as long as a token that it signed can live.
import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SigningKey as SigningKeyRow } from '../database/client/client.js';
import type { Database, Transaction } from '../database/open.js';
import type { Seal } from '../encryption.js';

/** What private halves are sealed for. */
export const signingKeyPurpose = 'signing key';

/** How often an unknown `kid` may ask the database again. */
const reloadIntervalMs = 1_000;

/** How long the next key is published before it signs: longer than anybody keeps a key set. */
const publishedAheadMs = 60 * 60_000;

const dayMs = 24 * 60 * 60_000;

/** Any number that nothing else locks by. */
const advisoryLock = 72_707_370;

/** Limit of the rotation's transaction, and of the wait for it (ms). A first start on a busy machine needs more than Prisma's 5 s. */
const rotationMsMax = 60_000;

/** How long a key is trusted before the database is asked whether it still stands. */
const keyAgeMsMax = 60_000;

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** The key that signs now. The first one is made when it is first needed. */
export async function currentSigningKey(db: Transaction, seal: Seal, now: Date): Promise<SigningKey> {
  const row = await db.signingKey.findFirst({
    where: { signsFrom: { lte: now }, OR: [{ retiredAt: null }, { retiredAt: { gt: now } }] },
    orderBy: [{ signsFrom: 'desc' }, { createdAt: 'desc' }],
  });
  if (row === null) return insertSigningKey(db, seal, await generateSigningKey(), now, now);
  const pem = openedPem(seal, row);
  if (pem === undefined) {
    throw new Error(`SERVICE_SECRETS: none of the secrets decrypts the signing key ${row.kid}`);
  }
  return { kid: row.kid, privateKey: createPrivateKey(pem) };
}

function openedPem(seal: Seal, { kid, sealedPrivateKey }: SigningKeyRow): string | undefined {
  const sealed = Buffer.from(sealedPrivateKey).toString('utf8');
  return seal.ofRow('signing_key', kid).open(signingKeyPurpose, sealed);
}

/**
 * Checks that the secrets of this process open every key that signs now or later.
 *
 * @returns undefined while there is no key.
 */
export async function opensSigningKeys(db: Transaction, seal: Seal, now: Date): Promise<boolean | undefined> {
  const rows = await db.signingKey.findMany({ where: { OR: [{ retiredAt: null }, { retiredAt: { gt: now } }] } });
  return rows.length === 0 ? undefined : rows.every((row) => openedPem(seal, row) !== undefined);
}

/** Makes a new key the one that signs, at once, and retires the others. */
export async function rotateSigningKey(db: Transaction, seal: Seal, now: Date): Promise<SigningKey> {
  const key = await insertSigningKey(db, seal, await generateSigningKey(), now, now);
  await retireOthers(db, key.kid, now);
  return key;
}

/**
 * Creates the first key, and the next one when the newest is about to be too old. The next key is published an hour before
 * it signs, so that verifiers have it by then. If several processes call this at the same time, one creates the key.
 *
 * @returns the new key, or undefined when none is due.
 */
export async function rotateSigningKeyWhenDue(
  db: Database,
  seal: Seal,
  now: Date,
  keyAgeDaysMax: number,
): Promise<{ kid: string; signsFrom: Date } | undefined> {
  if ((await dueFrom(db, now, keyAgeDaysMax)) === undefined) return undefined;
  // Generating a key takes seconds on a busy machine: longer than a transaction should hold its lock.
  const key = await generateSigningKey();
  return db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT set_config('lock_timeout', ${String(rotationMsMax)}, true)`;
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLock}::bigint)`;
      const signsFrom = await dueFrom(tx, now, keyAgeDaysMax);
      if (signsFrom === undefined) return undefined;
      const { kid } = await insertSigningKey(tx, seal, key, now, signsFrom);
      if (signsFrom > now) await retireOthers(tx, kid, signsFrom);
      return { kid, signsFrom };
    },
    { maxWait: rotationMsMax, timeout: rotationMsMax },
  );
}

/** When the next key has to sign; undefined while none is due. The first key signs at once. */
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
  seal: Seal,
  { publicKey, privateKey }: GeneratedKey,
  now: Date,
  signsFrom: Date,
): Promise<SigningKey> {
  const kid = randomUUID();
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const encrypted = seal.ofRow('signing_key', kid).seal(signingKeyPurpose, pem);
  await db.signingKey.create({
    data: {
      kid,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      sealedPrivateKey: Uint8Array.from(Buffer.from(encrypted, 'utf8')),
      createdAt: now,
      signsFrom,
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
 * The public keys, read from the database when an unknown one is asked for, at most once a second: who asks
 * for another unknown one within that second waits. The published set is read for whoever asks, once for all who ask at
 * the same time: who was just given a token finds its key there, whichever process signed it.
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
  /** Reads again, when that is due. What began before somebody asked may have missed a key that was just made. */
  const reloadFor = async (askedAtMs: number): Promise<void> => {
    if (readAtMs >= askedAtMs) return undefined;
    const dueInMs = readAtMs + reloadIntervalMs - performance.now();
    await (dueInMs > 0 ? setTimeout(dueInMs) : reload());
    return reloadFor(askedAtMs);
  };
  /** What was being read already when somebody asked may have missed a key, so that is followed by another. */
  const reloadAfter = async (askedAtMs: number): Promise<void> => {
    if (readAtMs < askedAtMs) await reload();
    if (readAtMs < askedAtMs) await reload();
  };
  return {
    find: async (kid) => {
      // A key that was rotated out since it was loaded is noticed because loading again is due by then.
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
