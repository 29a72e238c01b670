// Who is signed in in a browser. A session is made anew at each sign-in, so that a cookie which somebody planted
// before never becomes one.
import type { Database } from '../../database/open.js';
import { createOpaqueToken, hashOpaqueToken } from './opaque-token.js';

const sessionHoursMax = 12;

export interface Session {
  principal: { id: string; name: string; displayName: string | null };
}

/** The session of a cookie; undefined when it has none, or none any more, or its user is disabled. */
export async function findSession(db: Database, cookie: string, now: Date): Promise<Session | undefined> {
  const row = await db.signInSession.findUnique({
    where: { hash: hashOpaqueToken(cookie) },
    include: { principal: true },
  });
  if (row === null || row.expiresAt <= now || row.principal.disabledAt !== null) return undefined;
  const { id, name, displayName } = row.principal;
  return { principal: { id, name, displayName } };
}

/** @returns the cookie of a new session. */
export async function startSession(db: Database, principalId: string, now: Date): Promise<string> {
  const { token, hash } = createOpaqueToken('');
  const expiresAt = new Date(now.getTime() + sessionHoursMax * 60 * 60_000);
  await db.signInSession.create({ data: { hash, principalId, createdAt: now, expiresAt } });
  return token;
}

export async function endSession(db: Database, cookie: string): Promise<void> {
  await db.signInSession.deleteMany({ where: { hash: hashOpaqueToken(cookie) } });
}
