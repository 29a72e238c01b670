// Access tokens of all accounts, for operators. These functions do not authorize the caller.
import { z } from 'zod';
import { endAuthorization } from '../../auth/grants/authorization.js';
import type { AccessToken } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { notFound } from '../../errors.js';

export interface ListedAccessToken extends AccessToken {
  principal: { name: string };
  account: { name: string };
  workspace: { name: string } | null;
}

/** Tokens that have not expired, by expiry. */
export async function listAccessTokens(db: Database, now: Date): Promise<ListedAccessToken[]> {
  const name = { select: { name: true } };
  return db.accessToken.findMany({
    where: { expiresAt: { gt: now } },
    include: { principal: name, account: name, workspace: name },
    orderBy: [{ expiresAt: 'asc' }, { id: 'asc' }],
  });
}

/**
 * Revokes a token, and the authorization that it came from, whose refresh token could replace it. If the token was revoked
 * before, its time of revocation stays.
 *
 * @throws 404 `not_found`
 */
export async function revokeAccessToken(db: Database, id: string, now: Date): Promise<{ revokedAt: Date }> {
  const token = z.uuid().safeParse(id).success ? await db.accessToken.findUnique({ where: { id } }) : null;
  if (token === null) throw notFound('access token', id);
  await db.accessToken.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  if (token.authorizationId !== null) await endAuthorization(db, token.authorizationId, now);
  return { revokedAt: token.revokedAt ?? now };
}
