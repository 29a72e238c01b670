// Lists and ends a user's own access: browser sessions, and consents to programs. The caller of these functions has
// authenticated the user.
import type { Transaction } from '../../database/open.js';
import { endAuthorizations } from './authorization.js';

/** The maximum number of entries listed, newest first. */
export const ownAccessMax = 100;

export interface OwnSession {
  id: string;
  signedInAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
  address: string | null;
  userAgent: string | null;
}

/** A user's consent to one program for one account or workspace. */
export interface OwnConsent {
  clientId: string;
  displayName: string;
  accountId: string;
  workspaceId: string | null;
  /** In words: "acme", "acme: production". */
  place: string;
  scopes: string[];
  givenAt: Date;
  /** When a token of it was last used; undefined when none is active. */
  lastUsedAt: Date | undefined;
}

/** Narrows a user's access to an account or one workspace. */
export interface OwnTenant {
  accountId?: string;
  workspaceId?: string;
}

/** Lists the sessions of a user, newest first. @param ids only sessions with one of these ids. */
export async function listSessions(
  db: Transaction,
  principalId: string,
  now: Date,
  ids?: readonly string[],
): Promise<OwnSession[]> {
  const rows = await db.signInSession.findMany({
    where: { principalId, expiresAt: { gt: now }, ...(ids === undefined ? {} : { id: { in: [...ids] } }) },
    omit: { hash: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: ownAccessMax,
  });
  return rows.map(({ createdAt, ...row }) => ({ ...row, signedInAt: createdAt }));
}

/** Ends one session of a user, and the authorizations of programs that were given in it. @returns whether it existed. */
export async function endSession(db: Transaction, principalId: string, id: string, now: Date): Promise<boolean> {
  const { count } = await db.signInSession.deleteMany({ where: { principalId, id } });
  if (count > 0) await endAuthorizations(db, { principalId, sessionId: id }, now);
  return count > 0;
}

/**
 * Ends all sessions of a user but one, and all authorizations of programs that were not given in that one: also those of
 * sessions that have expired.
 *
 * @returns how many ended.
 */
export async function endAllSessions(
  db: Transaction,
  principalId: string,
  except: string | undefined,
  now: Date,
): Promise<{ sessions: number; authorizations: number }> {
  if (except === undefined) {
    const { count } = await db.signInSession.deleteMany({ where: { principalId } });
    return { sessions: count, authorizations: await endAuthorizations(db, { principalId }, now) };
  }
  const { count } = await db.signInSession.deleteMany({ where: { principalId, id: { not: except } } });
  const given = { principalId, OR: [{ sessionId: null }, { sessionId: { not: except } }] };
  return { sessions: count, authorizations: await endAuthorizations(db, given, now) };
}

interface AllowedRow {
  clientId: string;
  displayName: string;
  accountId: string;
  workspaceId: string | null;
  accountName: string;
  workspaceName: string | null;
  scope: string;
  givenAt: Date;
  lastUsedAt: Date | null;
}

/**
 * Lists the consents of a user by program and account or workspace, last used first: remembered consents and those of
 * active authorizations.
 */
export async function listConsents(db: Transaction, principalId: string, of: OwnTenant = {}): Promise<OwnConsent[]> {
  const rows = await db.$queryRaw<AllowedRow[]>`
    SELECT c."id" AS "clientId", c."display_name" AS "displayName", a."id"::text AS "accountId", w."id"::text AS "workspaceId",
      a."name" AS "accountName", w."name" AS "workspaceName", g."scope", g."givenAt", g."lastUsedAt"
    FROM (
      SELECT DISTINCT ON ("client_id", "account_id", "workspace_id") "client_id", "account_id", "workspace_id", "scope",
        min("given_at") OVER place AS "givenAt", max("last_used_at") OVER place AS "lastUsedAt"
      FROM (
        SELECT "client_id", "account_id", "workspace_id", "scope", "given_at", NULL::timestamptz AS "last_used_at"
        FROM "oauth_consent" WHERE "principal_id" = ${principalId}::text::uuid
        UNION ALL
        SELECT "client_id", "account_id", "workspace_id", "scope", "created_at", "last_used_at"
        FROM "oauth_authorization" WHERE "principal_id" = ${principalId}::text::uuid AND "ended_at" IS NULL) AS given
      WINDOW place AS (PARTITION BY "client_id", "account_id", "workspace_id")
      ORDER BY "client_id", "account_id", "workspace_id", coalesce("last_used_at", "given_at") DESC) AS g
    JOIN "oauth_client" AS c ON c."id" = g."client_id"
    JOIN "account" AS a ON a."id" = g."account_id"
    LEFT JOIN "workspace" AS w ON w."id" = g."workspace_id"
    WHERE a."id" = coalesce(${of.accountId ?? null}::text::uuid, a."id")
      AND (${of.workspaceId ?? null}::text IS NULL OR w."id"::text = ${of.workspaceId ?? null}::text)
    ORDER BY coalesce(g."lastUsedAt", g."givenAt") DESC, c."id", a."id", w."id"
    LIMIT ${ownAccessMax}`;
  return rows.map(({ accountName, workspaceName, scope, lastUsedAt, ...row }) => ({
    ...row,
    place: workspaceName === null ? accountName : `${accountName}: ${workspaceName}`,
    scopes: scope.split(' '),
    lastUsedAt: lastUsedAt ?? undefined,
  }));
}

/**
 * Withdraws a consent: its tokens end, and the program must ask again.
 *
 * @returns whether there was a consent.
 */
export async function withdrawConsent(
  db: Transaction,
  which: { principalId: string; clientId: string } & OwnTenant,
  now: Date,
): Promise<boolean> {
  const { count } = await db.oauthConsent.deleteMany({ where: which });
  const ended = await endAuthorizations(db, which, now);
  return count + ended > 0;
}
