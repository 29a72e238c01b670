import { storePassword } from '../src/auth/sign-in/password.js';
import type { Database } from '../src/database/open.js';

/** Sets the password of a user, by email address. */
export async function setPassword(db: Database, name: string, password: string, now: Date): Promise<void> {
  const { id } = await db.principal.findUniqueOrThrow({ where: { name } });
  await storePassword(db, id, password, now);
}
