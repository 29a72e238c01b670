// How often somebody may try to sign in, or to guess the code of a device, counted in the database, so that it holds over
// all processes. An attempt counts before what was typed is looked at: many at once are no way around it.
import { createHash } from 'node:crypto';
import type { Transaction } from '../../database/open.js';
import { clientNetwork } from '../client-address.js';

const windowMs = 15 * 60_000;

export const attemptsMax = {
  /** Of one user name, known or not, at one network address: who guesses there uses up their own. */
  'user at address': 10,
  /** Of one user name, wherever the attempts come from. */
  user: 50,
  /** Of one network address, behind which many people can sit. */
  address: 100,
  /** Of one browser that the user has signed in with before, whatever others do. */
  'known browser': 10,
  /** Of one user, and of one address: codes of devices that were typed. */
  'device code of user': 10,
  'device code of address': 100,
  /** Of one address: codes that devices asked for. */
  'device of address': 100,
} as const;

type SubjectKind = keyof typeof attemptsMax;

export interface Attempt {
  /** In its canonical form; undefined when nobody can have it, and then the address alone counts. */
  name: string | undefined;
  address: string;
  /** What a browser is known by that the user has signed in with before; it alone counts then. */
  knownBrowser: string | undefined;
}

/**
 * Counts an attempt. What is over one limit counts for none of the others: who guesses on from one address does not use up
 * what the user has everywhere else.
 *
 * @returns undefined when it may go on, or else when the next one may.
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

/** Forgets the attempts of whoever signed in, where they did; those that others made stay. */
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

/** Counts a code that a signed-in user typed. @returns undefined when it may be looked at, or else when the next one may. */
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

/** Takes back what a code counted that was right. */
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

/** Counts a device that asks for a code. @returns undefined when it may have one, or else when the next one may. */
export async function countDevice(
  db: Transaction,
  address: string,
  now: Date,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const waitMs = await count(db, 'device of address', clientNetwork(address), now);
  return waitMs === 0 ? undefined : { retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

/** @returns how long to wait, in milliseconds; 0 when the attempt is within the limit. */
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
