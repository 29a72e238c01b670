// Ends what follows from a session at an identity provider, when the provider reports its end (OpenID Connect
// Back-Channel Logout 1.0, section 2.7).
import { endAuthorizations } from '../auth/grants/authorization.js';
import type { Logout } from '../auth/sign-in/logout-token.js';
import { changeWithMessage } from '../changes/record-changes.js';
import { recordByProvider } from '../changes/record-by-provider.js';
import type { Database } from '../database/open.js';

/**
 * Ends the browser sessions of a logout token, and the authorizations of programs that were given in them.
 *
 * @returns the names of the users who were signed out; undefined if the token was used before.
 */
export async function endProviderSessions(
  db: Database,
  { provider, subject, sessionId, hash, expiresAt }: Logout,
  visit: { now: Date; requestId: string },
): Promise<string[] | undefined> {
  return db.$begin(async (tx) => {
    const used = await tx.$executeRaw`
      INSERT INTO "used_logout_token" ("hash", "expires_at") VALUES (${hash}, ${expiresAt}) ON CONFLICT DO NOTHING`;
    if (used === 0) return undefined;
    const which = {
      provider,
      ...(subject === undefined ? {} : { providerSubject: subject }),
      ...(sessionId === undefined ? {} : { providerSession: sessionId }),
    };
    const users = { OR: [{ sessions: { some: which } }, { authorizations: { some: { ...which, endedAt: null } } }] };
    const prisma = await tx.$prisma();
    const principals = await prisma.principal.findMany({
      where: users,
      select: { id: true, name: true, accounts: { select: { accountId: true } } },
    });
    await prisma.signInSession.deleteMany({ where: which });
    await endAuthorizations(prisma, which, visit.now);
    // In the order of the accounts, so that concurrent transactions cannot deadlock.
    const accountIds = [...new Set(principals.flatMap(({ accounts }) => accounts.map(({ accountId }) => accountId)))];
    for (const accountId of accountIds.toSorted()) {
      const members = principals.filter(({ accounts }) => accounts.some((each) => each.accountId === accountId));
      const changes = members.map((member) => changeWithMessage('SIGN_IN', 'deleted', member, 'Signed out'));
      await recordByProvider(tx, accountId, { ...visit, provider }, changes);
    }
    return principals.map(({ name }) => name);
  });
}
