// The existing resources that a user or service account created, by kind and workspace.
import { authorizeAccount, authorizePlatform, requireAccountAdmin } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import type { ChangeKind } from '../changes/change-subjects.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { kindsWith, resourceKinds } from '../resource-kinds.js';

/** Resources of one kind in one workspace, or in an account itself. */
export interface CreatedResources {
  kind: ChangeKind;
  account: string;
  workspace: string | null;
  count: number;
}

/** The tables that store the creator, with SQL of the rows `r` that count. */
const tables: { kind: ChangeKind; table: string; isCounted?: (name: string, now: Date) => Prisma.Sql }[] = [
  ...kindsWith('isApplied').map((kind) => ({ kind, table: resourceKinds[kind].table })),
  { kind: 'WEBHOOK', table: 'webhook' },
  {
    kind: 'API_KEY',
    table: 'api_key',
    // Its own keys end with its access.
    isCounted: (
      name,
      now,
    ) => Prisma.sql`r."revoked_at" IS NULL AND coalesce(r."expires_at", 'infinity') > ${now}::timestamptz
      AND r."principal_id" <> (SELECT p."id" FROM "principal" AS p WHERE p."name" = ${name})`,
  },
];

/**
 * Counts what a principal created, sorted by account, workspace and kind. It reads all resources of the account.
 *
 * @param accountId null for all accounts.
 * @throws 403 unless the caller is an admin of the account, or of the platform.
 */
export async function listCreated(
  ctx: RequestContext,
  name: string,
  accountId: string | null,
): Promise<CreatedResources[]> {
  const { db } = accountId === null ? authorizePlatform(ctx) : authorizeWholeAccount(ctx, accountId);
  const counts = tables.map(({ kind, table, isCounted = () => Prisma.sql`true` }) => {
    const ofAccount = table === 'webhook' || table === 'api_key';
    const account = ofAccount ? Prisma.sql`r."account_id"` : Prisma.sql`w."account_id"`;
    return Prisma.sql`
      SELECT ${kind}::text AS "kind", a."name" AS "account", w."name" AS "workspace", count(*)::int AS "count"
      FROM ${Prisma.raw(`"${table}"`)} AS r LEFT JOIN "workspace" AS w ON w."id" = r."workspace_id"
      JOIN "account" AS a ON a."id" = ${account}
      WHERE r."created_by" = ${name} AND (${accountId}::uuid IS NULL OR a."id" = ${accountId}::uuid) AND ${isCounted(name, ctx.now())}
      GROUP BY a."name", w."name"`;
  });
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(c ORDER BY c."account", c."workspace" NULLS FIRST, c."kind"), '[]')::text
      FROM (${Prisma.join(counts, ' UNION ALL ')}) AS c`,
  );
}

function authorizeWholeAccount(ctx: RequestContext, accountId: string): AuthorizedAccount {
  const authorized = authorizeAccount(ctx, 'workspaces:remove', accountId);
  requireAccountAdmin(authorized, 'can see what a member created');
  return authorized;
}
