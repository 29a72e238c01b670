// The limits of accounts with their use.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import type { QuotaResource } from './quota-resources.js';

/** A limit of an account, a workspace or a region, with its use. */
export interface LimitWithUse {
  accountId: string;
  /** The key of its row of `quota`. */
  subject: string;
  workspaceId: string | null;
  region: string | null;
  resource: QuotaResource;
  limit: number;
  used: number;
  /** Whether it is the limit of the account's plan. */
  isDefault: boolean;
}

/** The highest number that JSON clients read exactly; a use above it is reported as this. */
export const exactMax = Prisma.raw(String(Number.MAX_SAFE_INTEGER));

/** The limits of accounts, of their workspaces and their regions. @param accounts SQL condition on an account `a`. */
export async function readLimits(db: Pick<Statements, '$text'>, accounts: Prisma.Sql): Promise<LimitWithUse[]> {
  return readJson(
    db,
    Prisma.sql`
      WITH "limit" AS MATERIALIZED (
        SELECT a."id" AS "account_id", 'account ' || a."id" AS "subject", NULL::uuid AS "workspace_id",
          NULL::text AS "region", l."key" AS "resource", l."value"::bigint AS "maximum",
          NOT coalesce(o."limits" ? l."key", false) AS "is_default"
        FROM "account" AS a
        LEFT JOIN "quota" AS p ON p."subject" = 'plan ' || a."plan"
        LEFT JOIN "quota" AS o ON o."subject" = 'account ' || a."id",
        LATERAL jsonb_each_text(coalesce(p."limits", '{}') || coalesce(o."limits", '{}')) AS l
        WHERE ${accounts}
        UNION ALL
        SELECT a."id", q."subject", q."workspace_id", q."region", l."key", l."value"::bigint, false
        FROM "account" AS a
        JOIN "quota" AS q ON q."account_id" = a."id" AND (q."workspace_id" IS NOT NULL OR q."region" IS NOT NULL),
        LATERAL jsonb_each_text(q."limits") AS l
        WHERE ${accounts})
      SELECT coalesce(json_agg(json_build_object('accountId', l."account_id", 'subject', l."subject",
        'workspaceId', l."workspace_id", 'region', l."region", 'resource', l."resource", 'limit', l."maximum",
        'used', greatest(0, least(${exactMax}, coalesce(CASE l."resource"
          WHEN 'USAGE_EVENTS' THEN (
            SELECT m."events" FROM "quota_minute" AS m
            WHERE m."account_id" = l."account_id" AND m."minute" = floor(extract(epoch FROM clock_timestamp()) / 60))
          ELSE (
            SELECT u."used" FROM "quota_usage" AS u
            WHERE u."subject" = l."subject" AND u."resource" = l."resource") END, 0))),
        'isDefault', l."is_default") ORDER BY l."region" NULLS FIRST, l."resource"), '[]')::text AS "limits"
      FROM "limit" AS l`,
  );
}
