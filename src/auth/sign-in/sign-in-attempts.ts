// Rate limits of sign-in attempts, device codes, registrations and questions for names of other accounts, counted in the
// database for all processes. An attempt to sign in is counted before it is checked, so that concurrent attempts cannot
// exceed the limit.
import { createHash } from 'node:crypto';
import type { Transaction } from '../../database/open.js';
import { clientNetwork } from '../client-address.js';

const windowMs = 15 * 60_000;

export const attemptsMax = {
  /** Per user name (known or unknown) and network address, so that an attacker uses up only their own attempts. */
  'user at address': 10,
  /** Per user name, from any address. */
  user: 50,
  /** Per network address, which many people may share. */
  address: 100,
  /** Per browser that the user has signed in with before, independent of other attempts. */
  'known browser': 10,
  /** Device codes typed, per user and per address. */
  'device code of user': 10,
  'device code of address': 100,
  /** Device codes requested, per address. */
  'device of address': 100,
  /** Clients that register themselves, per address. An assistant in the cloud registers for many users. */
  'registration of address': 100,
  /** Names tried that another account may have, per account that asks (auth/foreign-names.ts). */
  'name asked by account': 50,
} as const;

type SubjectKind = keyof typeof attemptsMax;

export interface Attempt {
  /** In its canonical form; undefined when no user can have it, then only the address counts. */
  name: string | undefined;
  address: string;
  /** The key of a known browser; if set, only it counts. */
  knownBrowser: string | undefined;
}

/**
 * Counts an attempt. An attempt over one limit does not count against the others, so that an attacker at one address
 * cannot use up the user's attempts elsewhere.
 *
 * @returns undefined when the attempt may proceed, else the time of the next allowed one.
 */
export async function countAttempt(
  db: Transaction,
  attempt: Attempt,
  now: Date,
): Promise<{ retryAfterSeconds: number } | undefined> {
  for (const { kind, key } of subjectsOf(attempt)) {
    const waitMs = await count(db, kind, key, now);
    if (waitMs > 0) return { retryAfterSeconds: Math.ceil(waitMs / 1000) };
  }
  return undefined;
}

/** Resets the attempts of the user at this address or browser after a sign-in. Attempts from elsewhere still count. */
export async function forgiveAttempts(db: Transaction, { name = '', address, knownBrowser }: Attempt): Promise<void> {
  if (knownBrowser !== undefined) {
    await db.signInAttempt.deleteMany({ where: { subject: subjectOf('known browser', knownBrowser) } });
    return;
  }
  const network = clientNetwork(address);
  await db.$executeRaw`
    WITH "own" AS (
      DELETE FROM "sign_in_attempt" WHERE "subject" = ${subjectOf('user at address', pairOf(name, network))}
      RETURNING "count")
    UPDATE "sign_in_attempt" SET "count" = greatest(0, "count" - coalesce((SELECT "count" FROM "own"), 1))
    WHERE "subject" = ${subjectOf('user', name)}`;
  await db.signInAttempt.updateMany({
    where: { subject: subjectOf('address', network), count: { gt: 0 } },
    data: { count: { decrement: 1 } },
  });
}

function subjectsOf({ name, address, knownBrowser }: Attempt): { kind: SubjectKind; key: string }[] {
  if (knownBrowser !== undefined) return [{ kind: 'known browser', key: knownBrowser }];
  const network = clientNetwork(address);
  const ofAddress = { kind: 'address', key: network } as const;
  if (name === undefined) return [ofAddress];
  return [ofAddress, { kind: 'user at address', key: pairOf(name, network) }, { kind: 'user', key: name }];
}

function pairOf(name: string, network: string): string {
  return JSON.stringify([name, network]);
}

/**
 * Counts a device code typed by a signed-in user. @returns undefined when it may be checked, else the time of the next
 * allowed one.
 */
export async function countDeviceCode(
  db: Transaction,
  principalId: string,
  address: string,
  now: Date,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const addressWaitMs = await count(db, 'device code of address', clientNetwork(address), now);
  const userWaitMs = await count(db, 'device code of user', principalId, now);
  const waitMs = Math.max(addressWaitMs, userWaitMs);
  return waitMs === 0 ? undefined : { retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

/** Undoes the count of a correct device code. */
export async function forgiveDeviceCode(db: Transaction, principalId: string, address: string): Promise<void> {
  const subjects = [
    subjectOf('device code of user', principalId),
    subjectOf('device code of address', clientNetwork(address)),
  ];
  await db.signInAttempt.updateMany({
    where: { subject: { in: subjects }, count: { gt: 0 } },
    data: { count: { decrement: 1 } },
  });
}

/**
 * Counts a request of an address: for a device code, or to register a client. @returns undefined when it may proceed,
 * else the time of the next allowed one.
 */
export async function countRequest(
  db: Transaction,
  kind: 'device of address' | 'registration of address',
  address: string,
  now: Date,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const waitMs = await count(db, kind, clientNetwork(address), now);
  return waitMs === 0 ? undefined : { retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

/** Counts a question of an account for a name that another account may have. */
export async function countNameQuestion(db: Transaction, accountId: string, now: Date): Promise<void> {
  await count(db, 'name asked by account', accountId, now);
}

/** @returns undefined when an account may ask for another name, else the time of the next allowed question. */
export async function nameQuestionsWait(
  db: Transaction,
  accountId: string,
  now: Date,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const kind = 'name asked by account';
  const row = await db.signInAttempt.findFirst({
    where: { subject: subjectOf(kind, accountId), count: { gte: attemptsMax[kind] }, endsAt: { gt: now } },
  });
  return row === null ? undefined : { retryAfterSeconds: Math.ceil((row.endsAt.getTime() - now.getTime()) / 1000) };
}

/** @returns how long to wait (ms); 0 within the limit. */
async function count(db: Transaction, kind: SubjectKind, key: string, now: Date): Promise<number> {
  const endsAt = new Date(now.getTime() + windowMs);
  const [row] = await db.$queryRaw<{ count: number; endsAt: Date }[]>`
    INSERT INTO "sign_in_attempt" AS known ("subject", "count", "ends_at")
    VALUES (${subjectOf(kind, key)}, 1, ${endsAt})
    ON CONFLICT ("subject") DO UPDATE SET
      "count" = CASE WHEN known."ends_at" <= ${now} THEN 1 ELSE known."count" + 1 END,
      "ends_at" = CASE WHEN known."ends_at" <= ${now} THEN excluded."ends_at" ELSE known."ends_at" END
    RETURNING "count", "ends_at" AS "endsAt"`;
  return row === undefined || row.count <= attemptsMax[kind] ? 0 : row.endsAt.getTime() - now.getTime();
}

function subjectOf(kind: SubjectKind, key: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(`${kind}:${key}`).digest());
}
