// The caller's own access: sessions, consents to OAuth clients, and the password. Used by the API and by the user's own
// page.
import { authorizeOwnAccount, authorizeScope } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { endAllSessions, endSession, listConsents, listSessions, withdrawConsent } from '../auth/grants/own-access.js';
import type { OwnConsent, OwnTenant, OwnSession } from '../auth/grants/own-access.js';

export { ownAccessMax } from '../auth/grants/own-access.js';
import {
  findUserByPassword,
  hashPassword,
  hasPassword,
  requirePassword,
  writePassword,
} from '../auth/sign-in/password.js';
import { countAttempt, forgiveAttempts } from '../auth/sign-in/sign-in-attempts.js';
import { changeWithMessage, recordOfSelf } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { ApiError, forbidden, invalidParameter, notFound } from '../errors.js';
import { isResourceId } from '../schema/resource.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';

/** The caller's browser sessions, newest first. @throws 403 without `admin`, or confined to a workspace. */
export async function listOwnSessions(ctx: RequestContext): Promise<OwnSession[]> {
  const { db, caller } = authorizeSelf(ctx);
  return listSessions(await db.$prisma(), caller.principal.id, ctx.now());
}

/**
 * Finds the browser session in which the credential of the request was authorized.
 *
 * @returns its id; undefined for a key, and for a token that no browser session led to.
 * @throws 403 as for the list.
 */
export async function findCurrentSession(ctx: RequestContext): Promise<string | undefined> {
  const { db, caller } = authorizeSelf(ctx);
  const { kind, id } = caller.credential;
  // Tokens of another issuer have ids of their own.
  if (kind !== 'access_token' || !isResourceId(id)) return undefined;
  const prisma = await db.$prisma();
  const token = await prisma.accessToken.findUnique({ where: { id }, select: { authorization: true } });
  return token?.authorization?.sessionId ?? undefined;
}

/**
 * Ends one browser session of the caller with the authorizations of programs that were given in it, or all sessions and
 * authorizations except those of the current session.
 *
 * @returns how many sessions ended.
 * @throws 403 as for the list; 404 for a session that does not exist or belongs to another user.
 */
export async function endOwnSessions(
  ctx: RequestContext,
  id: string | undefined,
  { validateOnly }: DryRun = {},
): Promise<number> {
  const authorized = authorizeSelf(ctx);
  const { credential, principal } = ctx.caller;
  const except = credential.kind === 'session' ? credential.id : undefined;
  return runInTransaction(authorized, validateOnly, async (within) => {
    const { ended, change } = await endSessionsIn(within, principal, id, except);
    if (change !== undefined) await record(within, change);
    return ended.sessions;
  });
}

/** How many sessions and authorizations ended. Those that were given in a single session are not counted. */
export interface EndedSessions {
  sessions: number;
  authorizations: number;
}

/**
 * Ends one browser session of a user, or all but one with the authorizations. It does not authorize the caller.
 *
 * @returns also the change to record, if any ended.
 * @throws 404 for a session that does not exist or belongs to another user.
 */
export async function endSessionsIn(
  { db, ctx }: Authorized,
  user: NamedUser,
  id: string | undefined,
  except?: string,
): Promise<{ ended: EndedSessions; change: NewChange | undefined }> {
  const prisma = await db.$prisma();
  if (id !== undefined && !(isResourceId(id) && (await endSession(prisma, user.id, id, ctx.now()))))
    throw notFound('session', id);
  const ended =
    id === undefined ? await endAllSessions(prisma, user.id, except, ctx.now()) : { sessions: 1, authorizations: 0 };
  const { sessions, authorizations } = ended;
  if (sessions + authorizations === 0) return { ended, change: undefined };
  const programs = authorizations === 0 ? '' : ` and ${counted(authorizations, 'program')}`;
  const message = `Signed out of ${counted(sessions, 'browser')}${programs}`;
  return { ended, change: changeWithMessage('SIGN_IN', 'revoked', user, message) };
}

/**
 * The OAuth clients that the caller has consented to: in the account or workspace of the credential, or, on the user's
 * own page, everywhere.
 *
 * @throws 403 without `admin`.
 */
export async function listOwnAuthorizations(ctx: RequestContext): Promise<OwnConsent[]> {
  const { db, caller } = authorizeScope(ctx, 'admin');
  return listConsents(await db.$prisma(), caller.principal.id, placeOf(ctx));
}

/**
 * Revokes the caller's consent to an OAuth client, in the same scope: its tokens end within one second, and it has to
 * ask for consent again.
 *
 * @throws 403 without `admin`; 404 if there is no consent.
 */
export async function revokeOwnAuthorization(
  ctx: RequestContext,
  clientId: string,
  { validateOnly }: DryRun = {},
): Promise<void> {
  const authorized = authorizeScope(ctx, 'admin');
  const { caller } = ctx;
  const which = { principalId: caller.principal.id, clientId, ...placeOf(ctx) };
  // Other texts cannot be the name of a client, and the database may reject them.
  const isKnown = /^[a-z0-9-]{1,49}$/.test(clientId);
  await runInTransaction(authorized, validateOnly, async (within) => {
    if (!isKnown || !(await withdrawConsent(await within.db.$prisma(), which, ctx.now()))) {
      throw notFound('authorization of the program', clientId.slice(0, 49));
    }
    await record(within, revokedConsent(caller.principal, clientId));
  });
}

/** Whether the caller belongs to an account, which the console requires. @throws 403 as for the list of sessions. */
export async function belongsToAccount(ctx: RequestContext): Promise<boolean> {
  const { db, caller } = authorizeSelf(ctx);
  const prisma = await db.$prisma();
  return (await prisma.accountMember.findFirst({ where: { principalId: caller.principal.id } })) !== null;
}

/** Whether the caller signs in with a password. @throws 403 without `admin`, or confined to a workspace. */
export async function hasOwnPassword(ctx: RequestContext): Promise<boolean> {
  const { db, caller } = authorizeSelf(ctx);
  return hasPassword(await db.$prisma(), caller.principal.id);
}

/**
 * Changes the caller's password. All of their sessions and consents end; API keys do not.
 *
 * @throws 403 `forbidden` if the current password is wrong; 400 for an invalid new one; 429 after too many attempts;
 *   401 `unauthorized` if it was changed in the meantime.
 */
export async function changeOwnPassword(
  ctx: RequestContext,
  { current, next }: { current: string; next: string },
): Promise<void> {
  const authorized = authorizeSelf(ctx);
  const { db } = authorized;
  const { principal } = ctx.caller;
  // Attempts count for both this form and the sign-in page, so an open browser gives no further guesses. Failed
  // sign-ins from elsewhere do not block the user here.
  const attempt = { name: principal.name, address: ctx.clientAddress, knownBrowser: ctx.caller.credential.id };
  const wait = await countAttempt(await db.$prisma(), attempt, ctx.now());
  if (wait !== undefined) {
    const headers = { 'Retry-After': String(wait.retryAfterSeconds) };
    throw new ApiError('too_many_requests', 'Too many attempts. Try again after the time in Retry-After.', { headers });
  }
  const user = await findUserByPassword(await db.$prisma(), principal.name, current);
  if (user?.id !== principal.id) throw forbidden('The current password is wrong.');
  // The guess was right, whatever the new password is.
  await forgiveAttempts(await db.$prisma(), attempt);
  if (current === next) throw invalidParameter('password', 'must differ from the current password');
  const hashed = await hashPassword(next);
  await runInTransaction(authorized, false, async (within) => {
    await requirePassword(await within.db.$prisma(), user);
    await writePassword(await within.db.$prisma(), principal.id, hashed, ctx.now());
    await record(within, changeWithMessage('USER', 'updated', principal, 'Changed their password'));
  });
}

function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}

/** @throws 403 `forbidden` without `admin`, or for a credential that is confined to a workspace. */
function authorizeSelf(ctx: RequestContext): Authorized {
  const authorized = authorizeScope(ctx, 'admin');
  if (ctx.caller.confinedTo === undefined) return authorized;
  throw forbidden('This credential is restricted to a workspace and cannot access the browser sessions of its owner.');
}

/** @throws 403 `forbidden` for a credential without an account. */
function placeOf(ctx: RequestContext): OwnTenant {
  const { credential, confinedTo } = ctx.caller;
  if (credential.kind === 'session') return {};
  const { account } = authorizeOwnAccount(ctx, 'admin');
  return { accountId: account.id, ...(confinedTo === undefined ? {} : { workspaceId: confinedTo }) };
}

interface NamedUser {
  id: string;
  name: string;
}

/** The change record of a consent to an OAuth client that was revoked. */
export function revokedConsent(user: NamedUser, clientId: string): NewChange {
  return changeWithMessage('ACCESS', 'revoked', user, `Revoked the access of the application ${clientId}`);
}

/** Records the change in the account of the credential; on the user's own page, in all of the user's accounts. */
async function record(within: Authorized, change: NewChange): Promise<void> {
  const { principal, accounts, credential } = within.caller;
  const memberships =
    credential.kind === 'session'
      ? await (
          await within.db.$prisma()
        ).accountMember.findMany({ where: { principalId: principal.id }, orderBy: { accountId: 'asc' } })
      : accounts.map((account) => ({ accountId: account.id }));
  await recordOfSelf(
    within,
    memberships.map(({ accountId }) => accountId),
    [change],
  );
}
