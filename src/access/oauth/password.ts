// Passwords of users, with argon2id at the parameters that OWASP asks for: 19 MiB, two passes, one lane.
import { hash, verify } from '@node-rs/argon2';
import type { Database } from '../../database/open.js';
import { ApiError, notFound } from '../../errors.js';

const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** How a hash begins that was made with them. */
const currentForm = '$argon2id$v=19$m=19456,t=2,p=1$';

export const passwordLengthMin = 12;
export const passwordLengthMax = 200;

/** A hash that no password has: comparing with it takes as long as with that of a user. */
let nobodysHash: Promise<string> | undefined;

/**
 * Finds the user of a name and a password. An unknown name takes as long as a wrong password.
 *
 * @returns undefined for an unknown or disabled user, one without a password, and a wrong password.
 */
export async function findUserByPassword(
  db: Database,
  name: string,
  password: string,
): Promise<{ id: string; name: string } | undefined> {
  const user = await db.principal.findFirst({
    // PostgreSQL knows no text with a NUL in it.
    where: { name: name.replaceAll('\0', '').trim().toLowerCase(), kind: 'user' },
    include: { password: true },
  });
  const known = user?.password?.hash;
  nobodysHash ??= hash('', parameters);
  const isRight = password.length <= passwordLengthMax && (await verify(known ?? (await nobodysHash), password));
  if (!isRight || user === null || known === undefined || user.disabledAt !== null) return undefined;
  if (!known.startsWith(currentForm)) {
    await db.userPassword.update({ where: { principalId: user.id }, data: { hash: await hash(password, parameters) } });
  }
  return { id: user.id, name: user.name };
}

/**
 * Gives a user a password, and ends their sessions: who knew the old one is out.
 *
 * @throws 404 `not_found` for an unknown user.
 * @throws 400 `invalid_parameter` for a password that is too short or too long.
 */
export async function setPassword(db: Database, name: string, password: string, now: Date): Promise<void> {
  if (password.length < passwordLengthMin || password.length > passwordLengthMax) {
    const message = `A password has ${passwordLengthMin} to ${passwordLengthMax} characters.`;
    throw new ApiError('invalid_parameter', message);
  }
  const user = await db.principal.findFirst({ where: { name, kind: 'user' } });
  if (user === null) throw notFound('user', name);
  const stored = { hash: await hash(password, parameters), changedAt: now };
  await db.$transaction([
    db.userPassword.upsert({
      where: { principalId: user.id },
      create: { principalId: user.id, ...stored },
      update: stored,
    }),
    db.signInSession.deleteMany({ where: { principalId: user.id } }),
  ]);
}
