// Browser sessions. Each sign-in creates a new one, so that a planted cookie is never used (session fixation).
import type { Database, Transaction } from '../../database/open.js';
import { createOpaqueToken, hashOpaqueToken } from '../grants/opaque-token.js';

const sessionHoursMax = 12;

/** The last use is stored with this precision (ms). */
const lastUseAgeMs = 60_000;
const userAgentLengthMax = 300;

export interface Session {
  id: string;
  principal: { id: string; name: string; displayName: string | null };
  signedInAt: Date;
}

/** Finds the session of a cookie; undefined when it is unknown or ended, or its user is disabled. */
export async function findSession(db: Database, cookie: string, now: Date): Promise<Session | undefined> {
  const row = await db.signInSession.findUnique({
    where: { hash: hashOpaqueToken(cookie) },
    include: { principal: true },
  });
  if (row === null || row.expiresAt <= now || row.principal.disabledAt !== null) return undefined;
  const { id, name, displayName } = row.principal;
  if (row.lastUsedAt === null || now.getTime() - row.lastUsedAt.getTime() > lastUseAgeMs) {
    await db.signInSession.updateMany({ where: { hash: row.hash }, data: { lastUsedAt: now } });
  }
  return { id: row.id, principal: { id, name, displayName }, signedInAt: row.createdAt };
}

/**
 * @param browser the browser's description for the user.
 * @param signedInAt when the user authenticated, if earlier than now. It is never later.
 * @returns the cookie of the new session.
 */
export async function startSession(
  db: Transaction,
  principalId: string,
  now: Date,
  browser: { address: string; userAgent: string | undefined },
  signedInAt = now,
): Promise<string> {
  const { token, hash } = createOpaqueToken('');
  const details = { address: browser.address, userAgent: browser.userAgent?.slice(0, userAgentLengthMax) ?? null };
  const createdAt = signedInAt < now ? signedInAt : now;
  const expiresAt = new Date(now.getTime() + sessionHoursMax * 60 * 60_000);
  await db.signInSession.create({ data: { hash, principalId, createdAt, expiresAt, lastUsedAt: now, ...details } });
  return token;
}

/** @returns whether there was a session. */
export async function endSession(db: Transaction, cookie: string): Promise<boolean> {
  const { count } = await db.signInSession.deleteMany({ where: { hash: hashOpaqueToken(cookie) } });
  return count > 0;
}
