// Browser sessions. Each sign-in creates a new one, so that a planted cookie is never used (session fixation).
import type { Database, Transaction } from '../../database/open.js';
import { unauthorized } from '../../errors.js';
import { createOpaqueToken, hashOpaqueToken } from '../grants/opaque-token.js';
import { lockEnabledPrincipal } from '../lock-principal.js';
import type { ProviderSession } from './provider.js';

const sessionHoursMax = 12;

/** The last use is stored with this precision (ms). */
const lastUseAgeMs = 60_000;
const userAgentLengthMax = 300;

export interface Session {
  id: string;
  principal: { id: string; name: string; displayName: string | null };
  signedInAt: Date;
  /** The session at the identity provider that the user signed in with; null for a password. */
  provider: ProviderSession | null;
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
  const { provider, providerSubject: subject, providerSession: sessionId } = row;
  return {
    id: row.id,
    principal: { id, name, displayName },
    signedInAt: row.createdAt,
    provider: provider === null || subject === null ? null : { provider, subject, sessionId },
  };
}

/**
 * @param browser the browser's description for the user.
 * @param how when the user authenticated, if earlier than now (it is never later), and with which provider.
 * @returns the cookie of the new session.
 * @throws 401 `unauthorized` if the user was disabled or deleted after the user authenticated.
 */
export async function startSession(
  db: Transaction,
  principalId: string,
  now: Date,
  browser: { address: string; userAgent: string | undefined },
  { signedInAt = now, provider = null }: { signedInAt?: Date | undefined; provider?: ProviderSession | null } = {},
): Promise<string> {
  if (!(await lockEnabledPrincipal(db, principalId))) throw unauthorized('The user is disabled or does not exist.');
  const { token, hash } = createOpaqueToken('');
  const details = { address: browser.address, userAgent: browser.userAgent?.slice(0, userAgentLengthMax) ?? null };
  const createdAt = signedInAt < now ? signedInAt : now;
  const expiresAt = new Date(now.getTime() + sessionHoursMax * 60 * 60_000);
  const data = { hash, principalId, createdAt, expiresAt, lastUsedAt: now, ...details, ...providerColumns(provider) };
  await db.signInSession.create({ data });
  return token;
}

/** The columns of a session or an authorization that name the session at the provider. */
export function providerColumns(provider: ProviderSession | null) {
  return {
    provider: provider?.provider ?? null,
    providerSubject: provider?.subject ?? null,
    providerSession: provider?.sessionId ?? null,
  };
}

/** Replaces the session of a cookie by a new one of the same user, which takes over its authorizations. */
export async function replaceSession(db: Transaction, replaced: EndedSession, cookie: string): Promise<void> {
  const { id } = await db.signInSession.findUniqueOrThrow({ where: { hash: hashOpaqueToken(cookie) } });
  await db.oauthAuthorization.updateMany({ where: { sessionId: replaced.id }, data: { sessionId: id } });
}

export interface EndedSession {
  id: string;
  principalId: string;
}

/** Deletes the session of a cookie. Its authorizations stay: see endAuthorizations(). */
export async function deleteSession(db: Transaction, cookie: string): Promise<EndedSession | undefined> {
  const [session] = await db.$queryRaw<EndedSession[]>`
    DELETE FROM "sign_in_session" WHERE "hash" = ${hashOpaqueToken(cookie)}
    RETURNING "id"::text AS "id", "principal_id"::text AS "principalId"`;
  return session;
}
