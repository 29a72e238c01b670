// How often somebody may try to sign in, counted in the database, so that it holds over all processes. An attempt
// counts before its password is looked at: many at once are no way around it.
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Database } from '../../database/open.js';

const windowMs = 15 * 60_000;

/** Of one user name, known or not; and of one network address, behind which many people can sit. */
export const attemptsMax = { user: 10, address: 100 } as const;

type SubjectKind = keyof typeof attemptsMax;

/**
 * Counts an attempt.
 *
 * @returns undefined when it may go on, or else when the next one may.
 */
export async function countAttempt(
  db: Database,
  name: string,
  address: string,
  now: Date,
): Promise<{ retryAfterSeconds: number } | undefined> {
  const waits = [await count(db, 'address', addressKey(address), now), await count(db, 'user', userKey(name), now)];
  const waitMs = Math.max(...waits);
  return waitMs === 0 ? undefined : { retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

/** Forgets the attempts of a user who signed in; those of the address stay, less this one. */
export async function forgiveAttempts(db: Database, name: string, address: string): Promise<void> {
  await db.signInAttempt.deleteMany({ where: { subject: subjectOf('user', userKey(name)) } });
  await db.signInAttempt.updateMany({
    where: { subject: subjectOf('address', addressKey(address)) },
    data: { count: { decrement: 1 } },
  });
}

/** @returns how long to wait, in milliseconds; 0 when the attempt is within the limit. */
async function count(db: Database, kind: SubjectKind, key: string, now: Date): Promise<number> {
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

function userKey(name: string): string {
  return name.trim().toLowerCase();
}

/** One customer has a whole /64 of IPv6; an IPv4 address in the form of IPv6 is that of IPv4. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = tail.split(':').filter((group) => group !== '');
  const zeros = plain.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
