// The use of quotas: rows of `quota_usage`, which each change updates in its transaction, in the statement that appends to
// the change log. That statement has locked the log of the account, so the rows need no order of their own, and two
// changes of an account cannot miss each other. The cost does not depend on what is stored.
import { Prisma } from '../database/client/client.js';
import { detailOf } from '../database/failures.js';
import type { Statements } from '../database/transaction.js';
import type { Growth } from './growth.js';
import { workspacesThatGrow } from './growth.js';
import { exactMax } from './limits.js';
import { thresholds } from './quota-resources.js';
import type { QuotaResource } from './quota-resources.js';
import { exceededBudget, exceededQuota } from './refusal.js';
import type { ExceededQuota } from './refusal.js';

/** Why a change is refused. */
interface Refusal {
  /** The first stopping budget that is used up, if the change grows what it stops. */
  budget: string | null;
  /** The first limit that the change exceeds. */
  quota: ExceededQuota | null;
}

/** The SQLSTATE of a refused change, whose detail is a Refusal. */
const refusedState = 'WCP01';

/**
 * SQL of CTEs that add growth to the use of an account, its workspaces and its regions. They follow a CTE "head" with one
 * row, whose `account_id` is the account.
 */
export function quotaUseCtes(growths: readonly Growth[]): Prisma.Sql {
  const rows = growths
    .filter(({ resource }) => resource !== 'DEPLOYMENT')
    .map((growth) => ({ ...growth, amount: growth.amount.toString() }));
  return Prisma.sql`
    "growth" AS MATERIALIZED (
      SELECT g."workspaceId" AS "workspace_id", g."resource", g."amount", CASE g."container"
        WHEN 'JOB' THEN (SELECT j."spec"->>'region' FROM "job" AS j WHERE j."id" = g."containerId")
        WHEN 'SANDBOX' THEN (SELECT s."spec"->>'region' FROM "sandbox" AS s WHERE s."id" = g."containerId")
        WHEN 'EGRESS_GATEWAY' THEN (SELECT e."spec"->>'region' FROM "egress_gateway" AS e WHERE e."id" = g."containerId")
        ELSE g."region" END AS "region"
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS g("workspaceId" uuid, "region" text, "container" text,
        "containerId" uuid, "resource" text, "amount" numeric)),
    "use" AS MATERIALIZED (
      SELECT s."subject", s."workspace_id", s."region", g."resource", h."account_id", sum(g."amount") AS "growth"
      FROM "head" AS h, "growth" AS g, LATERAL (VALUES
        ('account ' || h."account_id", NULL::uuid, NULL::text),
        ('workspace ' || g."workspace_id", g."workspace_id", NULL),
        ('region ' || h."account_id" || ' ' || g."region", NULL, g."region")) AS s("subject", "workspace_id", "region")
      WHERE s."subject" IS NOT NULL
      GROUP BY 1, 2, 3, 4, 5 HAVING sum(g."amount") <> 0),
    "used" AS (
      INSERT INTO "quota_usage" AS u ("subject", "resource", "account_id", "workspace_id", "region", "used")
      SELECT n."subject", n."resource", n."account_id", n."workspace_id", n."region", n."growth" FROM "use" AS n
      ON CONFLICT ("subject", "resource") DO UPDATE SET "used" = u."used" + EXCLUDED."used"
      RETURNING u."subject", u."resource", u."used")`;
}

/**
 * SQL that ends a statement with quotaUseCtes(). It notes the thresholds that the change reaches, and fails if the change
 * grows a use above its limit, or a used-up budget stops it. A use above a limit may shrink, and stay. The statement
 * itself has to fail, because COMMIT is sent with it.
 */
export function quotaRefusalSql(growths: readonly Growth[]): Prisma.Sql {
  const growing = workspacesThatGrow(growths);
  const budget =
    growing.length === 0
      ? Prisma.sql`NULL::text`
      : Prisma.sql`(
          SELECT b."name" FROM "head" AS h JOIN "budget" AS b ON b."account_id" = h."account_id"
          WHERE b."action" = 'stop' AND b."actual" >= b."amount" AND EXISTS (
            SELECT FROM "workspace" AS w WHERE w."id" = ANY(${growing}::uuid[])
              AND coalesce(b."filters"->>'workspace', w."name") = w."name")
          ORDER BY b."name" LIMIT 1)`;
  return Prisma.sql`,
    "limited" AS MATERIALIZED (
      SELECT n.*, least(u."used", ${exactMax}) AS "used", l."maximum"
      FROM "use" AS n
      JOIN "used" AS u ON u."subject" = n."subject" AND u."resource" = n."resource"
      CROSS JOIN LATERAL (
        SELECT coalesce(
          (SELECT q."limits"->>n."resource" FROM "quota" AS q WHERE q."subject" = n."subject"),
          CASE WHEN n."workspace_id" IS NULL AND n."region" IS NULL THEN (
            SELECT p."limits"->>n."resource" FROM "account" AS a JOIN "quota" AS p ON p."subject" = 'plan ' || a."plan"
            WHERE a."id" = n."account_id") END)::bigint AS "maximum") AS l
      WHERE l."maximum" IS NOT NULL),
    "crossed" AS (
      INSERT INTO "quota_crossing" ("account_id", "workspace_id", "region", "resource", "percent", "used", "maximum")
      SELECT l."account_id", l."workspace_id", l."region", l."resource", p."percent", l."used", l."maximum"
      FROM "limited" AS l, unnest(${thresholds}::int[]) AS p("percent")
      WHERE l."used" > 0 AND l."used" * 100 >= l."maximum" * p."percent"
        AND (l."used" <= l."growth" OR (l."used" - l."growth") * 100 < l."maximum" * p."percent"))
    SELECT refuse_change(json_build_object('budget', r."budget", 'quota', r."quota")::text)::text FROM (
      SELECT ${budget} AS "budget", (
        SELECT json_build_object('resource', l."resource", 'limit', l."maximum", 'actual', l."used", 'region', l."region",
          'account', (SELECT a."name" FROM "account" AS a WHERE a."id" = l."account_id"),
          'workspace', (SELECT w."name" FROM "workspace" AS w WHERE w."id" = l."workspace_id"))
        FROM "limited" AS l WHERE l."growth" > 0 AND l."used" > l."maximum"
        ORDER BY l."subject", l."resource" LIMIT 1) AS "quota") AS r
    WHERE r."budget" IS NOT NULL OR r."quota" IS NOT NULL`;
}

/**
 * Translates the failure of a statement with quotaRefusalSql().
 *
 * @returns 409 `budget_exceeded`, `quota_exceeded`; another error as it is.
 */
export function quotaRefusalFrom(error: unknown): unknown {
  const detail = detailOf(error, refusedState);
  if (detail === undefined) return error;
  const { budget, quota }: Refusal = JSON.parse(detail);
  if (budget !== null) return exceededBudget(budget);
  return quota === null ? error : exceededQuota(quota);
}

/** A threshold that a use has reached. */
export interface Crossing {
  accountId: string;
  workspaceId: string | null;
  region: string | null;
  resource: QuotaResource;
  percent: number;
  used: number;
  limit: number;
}

/** Stores reached thresholds, until a background task records them in the change log. */
export async function noteCrossings(
  db: Pick<Statements, '$executeRaw'>,
  crossings: readonly Crossing[],
): Promise<void> {
  if (crossings.length === 0) return;
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "quota_crossing" ("account_id", "workspace_id", "region", "resource", "percent", "used", "maximum")
    SELECT c."accountId", c."workspaceId", c."region", c."resource", c."percent", c."used", c."limit"
    FROM json_to_recordset(${JSON.stringify(crossings)}::json) AS c("accountId" uuid, "workspaceId" uuid, "region" text,
      "resource" text, "percent" int, "used" bigint, "limit" bigint)`);
}
