// Only operators end the browser sessions of another user, revoke their consents, and issue access tokens. The change logs of
// the user's accounts record it, like what users do themselves (self.ts).
import { issueAccessToken } from '../auth/access-token.js';
import type { IssuedAccessToken, TokenSettings } from '../auth/access-token.js';
import { authorizePlatform } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { withdrawConsent } from '../auth/grants/own-access.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { notFound } from '../errors.js';
import { findTenant } from './find-tenant.js';
import type { NamedScope } from './find-tenant.js';
import { findGrant } from './managed-tenant.js';
import { accountsOf, findPrincipal } from './principals.js';
import { recordEverywhere } from './record-in-accounts.js';
import { changeWithMessage } from '../changes/record-changes.js';
import { endSessionsIn, revokedConsent } from './self.js';
import type { EndedSessions } from './self.js';

/**
 * Ends one browser session of a user with the authorizations of programs that were given in it, or all sessions and
 * authorizations.
 *
 * @throws 403 unless the caller is an admin of the platform; 404 for an unknown user or session.
 */
export async function endSessionsOf(
  ctx: RequestContext,
  { user, id }: { user: string; id: string | undefined },
): Promise<EndedSessions> {
  return runInTransaction<Authorized, EndedSessions>(authorizePlatform(ctx), false, async (within) => {
    const db = await within.db.$prisma();
    const principal = await findPrincipal(db, user);
    const { ended, change } = await endSessionsIn(within, principal, id);
    if (change !== undefined) await recordEverywhere(within, await accountsOf(db, principal.id), change);
    return ended;
  });
}

/**
 * Revokes the consent of a user to an OAuth client in all accounts.
 *
 * @throws 403 unless the caller is an admin of the platform; 404 for an unknown user, or without a consent.
 */
export async function revokeConsentOf(
  ctx: RequestContext,
  { user, clientId }: { user: string; clientId: string },
): Promise<void> {
  await runInTransaction(authorizePlatform(ctx), false, async (within) => {
    const db = await within.db.$prisma();
    const principal = await findPrincipal(db, user);
    const isWithdrawn = await withdrawConsent(db, { principalId: principal.id, clientId }, ctx.now());
    if (!isWithdrawn) throw notFound('consent to the client', clientId);
    await recordEverywhere(within, await accountsOf(db, principal.id), revokedConsent(principal, clientId));
  });
}

/**
 * Issues an access token for a member of an account.
 *
 * @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict` if the owner is disabled.
 */
export async function issueTokenFor(
  ctx: RequestContext,
  tokens: TokenSettings,
  { owner, scope, ...named }: NamedScope & { owner: string; scope: string },
): Promise<IssuedAccessToken> {
  return runInTransaction<Authorized, IssuedAccessToken>(authorizePlatform(ctx), false, async (within) => {
    const db = await within.db.$prisma();
    const tenant = await findTenant(db, named);
    const { name } = await findPrincipal(db, owner);
    const owned = await findGrant(db, tenant, owner);
    const grant = { ...owned, scope, clientId: 'admin', now: ctx.now() };
    const issued = await issueAccessToken(db, ctx.encryption, tokens, grant);
    const change = changeWithMessage('ACCESS', 'created', { id: issued.id, name }, `Access token issued: ${issued.id}`);
    await recordEverywhere(within, [owned.accountId], change);
    return issued;
  });
}
