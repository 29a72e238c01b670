// Signing in and out in a browser. The session and its change record are written in one transaction.
import { endAuthorizations } from '../auth/grants/authorization.js';
import { deleteSession, findSession, replaceSession, startSession } from '../auth/sign-in/browser-session.js';
import type { EndedSession } from '../auth/sign-in/browser-session.js';
import { recordSignIn } from '../changes/record-in-browser.js';
import type { BrowserVisit } from '../changes/record-in-browser.js';
import { requirePassword } from '../auth/sign-in/password.js';
import type { ProviderSession } from '../auth/sign-in/provider.js';
import type { Database } from '../database/open.js';

/** How a user authenticated. */
export interface SignInMethod {
  message?: string;
  signedInAt?: Date | undefined;
  provider?: ProviderSession | null;
  /** When the password was set that the user gave, if it was a password. */
  passwordSetAt?: Date;
}

/** The browser of a request. */
export interface Browser {
  /** Its session cookie, which the new one replaces. */
  cookie: string | undefined;
  userAgent: string | undefined;
}

/**
 * Starts a session for an authenticated user; the browser's previous session ends. If it was of the same user, its
 * authorizations continue in the new session.
 *
 * @param how when the user authenticated, if that was not just now; the session at the identity provider, if one
 * authenticated the user; and a message for the change log, unless the user was signed in before.
 * @returns the cookie of the session.
 * @throws 401 `unauthorized` if the user was disabled or deleted, or the password was changed, in the meantime.
 */
export async function beginSignIn(
  db: Database,
  visit: BrowserVisit,
  browser: Browser,
  { message, passwordSetAt, ...how }: SignInMethod,
): Promise<string> {
  const { user, address, now } = visit;
  const details = { address, userAgent: browser.userAgent };
  return db.$begin(async (tx) => {
    // Locks the user first, as all changes of users do, so that the two cannot deadlock.
    const prisma = await tx.$prisma();
    const cookie = await startSession(prisma, user.id, now, details, how);
    if (passwordSetAt !== undefined) await requirePassword(prisma, { id: user.id, passwordSetAt });
    const previous = browser.cookie === undefined ? undefined : await deleteSession(prisma, browser.cookie);
    if (previous?.principalId === user.id) await replaceSession(prisma, previous, cookie);
    else if (previous !== undefined) await endAuthorizations(prisma, authorizationsOf(previous), now);
    if (message !== undefined) await recordSignIn(tx, visit, 'signed_in', message);
    return cookie;
  });
}

/**
 * Ends the session of a cookie, and the authorizations of programs that were given in it.
 *
 * @returns the user of the session; undefined if there is none.
 */
export async function endSignIn(
  db: Database,
  cookie: string,
  visit: Omit<BrowserVisit, 'user'>,
): Promise<{ id: string; name: string } | undefined> {
  const session = await findSession(db, cookie, visit.now);
  return db.$begin(async (tx) => {
    const prisma = await tx.$prisma();
    const ended = await deleteSession(prisma, cookie);
    if (ended !== undefined) await endAuthorizations(prisma, authorizationsOf(ended), visit.now);
    if (ended === undefined || session === undefined) return undefined;
    const user = session.principal;
    await recordSignIn(tx, { ...visit, user }, 'signed_out', 'Signed out');
    return user;
  });
}

function authorizationsOf({ id, principalId }: EndedSession): { principalId: string; sessionId: string } {
  return { principalId, sessionId: id };
}
