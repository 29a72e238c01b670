// Clients that register themselves (RFC 7591). They are public and belong to no account.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/open.js';
import type { OauthClient } from './oauth-client.js';

/** The maximum number of registrations without an authorization. The oldest are deleted for new ones. */
export const unusedClientsMax = 10_000;

/** How long a registration without an authorization is kept (days). */
const unusedDaysMax = 30;

/** The maximum number of clients that are deleted at once. */
const deletedMax = 200;

/** Registers a client for the authorization code grant and refresh tokens. */
export async function registerClient(
  db: Database,
  { displayName, redirectUris, scope }: Pick<OauthClient, 'displayName' | 'redirectUris' | 'scope'>,
  now: Date,
): Promise<OauthClient> {
  return db.oauthClient.create({
    data: {
      id: randomUUID(),
      displayName,
      redirectUris,
      scope,
      grantTypes: ['authorization_code', 'refresh_token'],
      selfRegistered: true,
      createdAt: now,
    },
  });
}

/**
 * Deletes clients that registered themselves and have no authorization: those of 30 days ago, and the oldest beyond the
 * maximum number.
 *
 * @returns their ids.
 */
export async function deleteUnusedClients(db: Database, now: Date): Promise<string[]> {
  const before = new Date(now.getTime() - unusedDaysMax * 24 * 60 * 60_000);
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: string }[]>`
      SELECT c."id" FROM "oauth_client" AS c
      JOIN (
        SELECT u."id", u."created_at", row_number() OVER (ORDER BY u."created_at" DESC, u."id") AS "rank"
        FROM "oauth_client" AS u
        WHERE u."self_registered"
          AND NOT EXISTS (SELECT FROM "oauth_authorization" AS a WHERE a."client_id" = u."id")) AS unused
        ON unused."id" = c."id"
      WHERE unused."rank" > ${unusedClientsMax} OR unused."created_at" < ${before}
      LIMIT ${deletedMax}
      FOR UPDATE OF c SKIP LOCKED`;
    if (locked.length === 0) return [];
    // A user may have authorized one before it was locked. This statement sees that, and the lock prevents later ones.
    const deleted = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM "oauth_client" AS c
      WHERE c."id" = ANY(${locked.map(({ id }) => id)})
        AND NOT EXISTS (SELECT FROM "oauth_authorization" AS a WHERE a."client_id" = c."id")
      RETURNING c."id"`;
    return deleted.map(({ id }) => id);
  });
}
