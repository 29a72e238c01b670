// Passwords of users, hashed with argon2id and the parameters recommended by OWASP: 19 MiB, two passes, one lane.
import { hash, verify } from '@node-rs/argon2';
import type { Database, Transaction } from '../../database/open.js';
import { ApiError, unauthorized } from '../../errors.js';
import { endAuthorizations } from '../grants/authorization.js';

const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** The prefix of a hash with these parameters. */
const currentForm = '$argon2id$v=19$m=19456,t=2,p=1$';

export const passwordLengthMin = 12;
export const passwordLengthMax = 200;

/** A hash that matches no password. Comparing with it takes as long as with a user's hash. */
let nobodysHash: string | undefined;

/** A user who just proved to know the password that was set at that time. */
export interface UserByPassword {
  id: string;
  name: string;
  passwordSetAt: Date;
}

/**
 * Finds a user by name and password. An unknown name takes as long as a wrong password.
 *
 * @param name in its canonical form; undefined when no user can have it.
 * @returns undefined for an unknown or disabled user, one without a password, and a wrong password.
 */
export async function findUserByPassword(
  db: Transaction,
  name: string | undefined,
  password: string,
): Promise<UserByPassword | undefined> {
  const user =
    name === undefined
      ? null
      : await db.principal.findFirst({ where: { name, kind: 'user' }, include: { password: true } });
  const stored = user?.password ?? undefined;
  const known = stored?.hash;
  nobodysHash ??= await hash('', parameters);
  const isRight = password.length <= passwordLengthMax && (await verify(known ?? nobodysHash, password));
  if (!isRight || user === null || stored === undefined || user.disabledAt !== null) return undefined;
  if (!stored.hash.startsWith(currentForm)) {
    // Not if it was just changed.
    const where = { principalId: user.id, hash: stored.hash };
    await db.userPassword.updateMany({ where, data: { hash: await hash(password, parameters) } });
  }
  return { id: user.id, name: user.name, passwordSetAt: stored.changedAt };
}

/**
 * Locks a password until the transaction ends: a change of it ends the session that begins in the transaction, and a
 * change by its user replaces no other change.
 *
 * @throws 401 `unauthorized` if it was changed after it was checked.
 */
export async function requirePassword(
  tx: Transaction,
  { id, passwordSetAt }: Omit<UserByPassword, 'name'>,
): Promise<void> {
  const [found] = await tx.$queryRaw<{ changedAt: Date }[]>`
    SELECT "changed_at" AS "changedAt" FROM "user_password" WHERE "principal_id" = ${id}::uuid FOR NO KEY UPDATE`;
  if (found?.changedAt.getTime() !== passwordSetAt.getTime())
    throw unauthorized('The password has just been changed. Sign in again.');
}

/**
 * Sets a user's password, and ends sessions and consents, so that somebody with the old password loses access.
 *
 * @throws 400 `invalid_parameter` for a password that is too short or too long.
 */
export async function storePassword(db: Database, principalId: string, password: string, now: Date): Promise<void> {
  const hashed = await hashPassword(password);
  await db.$transaction((tx) => writePassword(tx, principalId, hashed, now));
}

/** @throws 400 `invalid_parameter` for a password that is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length >= passwordLengthMin && password.length <= passwordLengthMax) return hash(password, parameters);
  const message = `The password must be ${passwordLengthMin} to ${passwordLengthMax} characters.`;
  throw new ApiError('invalid_parameter', message, { field: 'password' });
}

/** Stores a hash of hashPassword(), and ends sessions and consents. */
export async function writePassword(tx: Transaction, principalId: string, hashed: string, now: Date): Promise<void> {
  const stored = { hash: hashed, changedAt: now };
  await tx.userPassword.upsert({ where: { principalId }, create: { principalId, ...stored }, update: stored });
  await tx.signInSession.deleteMany({ where: { principalId } });
  await endAuthorizations(tx, { principalId }, now);
}

/** Whether a user has a password, and does not only sign in with an identity provider. */
export async function hasPassword(db: Transaction, principalId: string): Promise<boolean> {
  return (await db.userPassword.count({ where: { principalId } })) > 0;
}
