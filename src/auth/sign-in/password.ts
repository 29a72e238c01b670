// Passwords of users, hashed with argon2id and the parameters recommended by OWASP: 19 MiB, two passes, one lane.
import { hash, verify } from '@node-rs/argon2';
import type { Database, Transaction } from '../../database/open.js';
import { ApiError } from '../../errors.js';
import { endAuthorizations } from '../grants/authorization.js';

const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** The prefix of a hash with these parameters. */
const currentForm = '$argon2id$v=19$m=19456,t=2,p=1$';

export const passwordLengthMin = 12;
export const passwordLengthMax = 200;

/** A hash that matches no password. Comparing with it takes as long as with a user's hash. */
let nobodysHash: string | undefined;

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
): Promise<{ id: string; name: string } | undefined> {
  const user =
    name === undefined
      ? null
      : await db.principal.findFirst({ where: { name, kind: 'user' }, include: { password: true } });
  const known = user?.password?.hash;
  nobodysHash ??= await hash('', parameters);
  const isRight = password.length <= passwordLengthMax && (await verify(known ?? nobodysHash, password));
  if (!isRight || user === null || known === undefined || user.disabledAt !== null) return undefined;
  if (!known.startsWith(currentForm)) {
    await db.userPassword.update({ where: { principalId: user.id }, data: { hash: await hash(password, parameters) } });
  }
  return { id: user.id, name: user.name };
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
