// The access tokens of all accounts, for admins of the platform.
import { authorizePlatform } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { endAuthorizations } from '../auth/grants/authorization.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { Prisma } from '../database/client/client.js';
import { foldedSql } from '../database/search-pattern.js';
import { notFound } from '../errors.js';
import { isResourceId } from '../schema/resource.js';
import type { DryRun } from '../store/write/change-input.js';
import { filterOf } from '../store/read/filter.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';
import { findAccount } from './find-tenant.js';
import { changeWithMessage } from '../changes/record-changes.js';
import { recordEverywhere } from './record-in-accounts.js';

const name = { select: { name: true } } as const;

/** Reads a token with the names of its account, workspace and owner. */
const tokenQuery = {
  include: { principal: { select: { name: true, kind: true } }, account: name, workspace: name },
} as const;

export type AccessToken = Prisma.AccessTokenGetPayload<typeof tokenQuery>;

const tokenList = defineList({
  label: 'access token',
  table: 'access_token',
  source: Prisma.sql`(
    SELECT t."id", p."name" COLLATE "C" AS "name", t."issued_at" AS "created_at", t."expires_at", t."account_id",
      ${foldedSql(Prisma.sql`p."name" || E'\n' || coalesce(t."client_id", '')`)} AS "search"
    FROM "access_token" AS t JOIN "principal" AS p ON p."id" = t."principal_id")`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the tokens that have not expired, of all accounts or of one.
 *
 * @throws 400; 403 unless the caller is an admin of the platform; 404 for an unknown account.
 */
export async function listAccessTokens(
  ctx: RequestContext,
  { account, ...input }: ListInput & { account?: string | null | undefined },
): Promise<ListPage<Placed<AccessToken>>> {
  const authorized = authorizePlatform(ctx);
  const db = await authorized.db.$prisma();
  const accountId = account == null ? undefined : (await findAccount(db, account)).id;
  const filter = filterOf(
    accountId ?? '',
    accountId === undefined ? [] : [Prisma.sql`r."account_id" = ${accountId}::uuid`],
  );
  const lists = {
    parents: [{ id: ctx.caller.principal.id }],
    query: { of: 'all accounts' },
    accessible: Prisma.sql`r."expires_at" > ${ctx.now().toISOString()}::timestamptz`,
    filter,
  };
  return readPageById(authorized, tokenList, lists, input, async (ids) =>
    db.accessToken.findMany({ where: { id: { in: ids } }, ...tokenQuery }),
  );
}

/**
 * Revokes a token, and the authorization that it came from, whose refresh token could replace it. A token that was revoked
 * before keeps the time of its revocation.
 *
 * @throws 403 unless the caller is an admin of the platform; 404 `not_found`.
 */
export async function revokeAccessToken(
  ctx: RequestContext,
  { id, validateOnly }: DryRun & { id: string },
): Promise<AccessToken> {
  return runInTransaction<Authorized, AccessToken>(authorizePlatform(ctx), validateOnly, async (within) => {
    const db = await within.db.$prisma();
    const token = isResourceId(id) ? await db.accessToken.findUnique({ where: { id }, ...tokenQuery }) : null;
    if (token === null) throw notFound('access token', id);
    if (token.authorizationId !== null) await endAuthorizations(db, { id: token.authorizationId }, ctx.now());
    const revokedAt = token.revokedAt ?? ctx.now();
    await db.accessToken.updateMany({ where: { id, revokedAt: null }, data: { revokedAt } });
    if (token.revokedAt === null) {
      const { accountId, workspaceId, principal } = token;
      const named = { id, name: principal.name };
      const change = changeWithMessage('ACCESS', 'revoked', named, `Access token revoked: ${id}`);
      await recordEverywhere(within, [accountId], { ...change, workspaceId });
    }
    return { ...token, revokedAt };
  });
}
