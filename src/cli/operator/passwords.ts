// Passwords of users, for operators. This function does not authorize the caller.
import { storePassword } from '../../auth/sign-in/password.js';
import type { Database } from '../../database/open.js';
import { notFound } from '../../errors.js';

/**
 * Sets the password of a user.
 *
 * @throws 404 `not_found` for an unknown user.
 * @throws 400 `invalid_parameter` for a password that is too short or too long.
 */
export async function setPassword(db: Database, name: string, password: string, now: Date): Promise<void> {
  const user = await db.principal.findFirst({ where: { name, kind: 'user' } });
  if (user === null) throw notFound('user', name);
  await storePassword(db, user.id, password, now);
}
