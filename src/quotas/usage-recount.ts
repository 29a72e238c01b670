// Counts the use of quotas again from the resources, and corrects the rows of `quota_usage` that differ. They cannot drift
// apart by a change of the API; rows that an operator writes by hand are not counted.
import { Prisma } from '../database/client/client.js';
import type { Transactional } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';

/** A use that differed from the count of the resources. */
export interface CorrectedUse {
  accountId: string;
  /** The subject of the limits: `account <id>`, `workspace <id>` or `region <account id> <name>`. */
  subject: string;
  resource: string;
  stored: number;
  counted: number;
}

/**
 * SQL that counts what the resources of an account use: rows of `workspace_id`, `region`, `resource` and `amount`. growth.ts
 * says the same in TypeScript. Each specification is parsed once; the cost grows with the number of resources.
 */
function resourceUseSql(accountId: string): Prisma.Sql {
  const ofAccountSql = Prisma.sql`w."account_id" = ${accountId}::uuid`;
  const workloads = (kind: string, table: string, instances: string) => Prisma.sql`
    SELECT u."workspace_id", u."region", a."resource", a."amount" FROM (
      SELECT r."workspace_id", s."region", count(*) AS "count", sum(i."instances") AS "instances",
        sum(i."instances" * coalesce(t."memory", 0)) AS "memory"
      FROM "workspace" AS w JOIN ${Prisma.raw(`"${table}"`)} AS r ON r."workspace_id" = w."id",
        json_to_record(r."spec") AS s("region" text, "enabled" text, "parallelism" numeric, "runtime" json),
        json_to_record(coalesce(s."runtime", '{}')) AS t("minScale" numeric, "maxScale" numeric, "memory" numeric),
        LATERAL (VALUES (CASE WHEN s."enabled" = 'false' THEN 0 ELSE ${Prisma.raw(instances)} END)) AS i("instances")
      WHERE ${ofAccountSql} GROUP BY 1, 2) AS u,
      LATERAL (VALUES (${kind}::text, u."count"), ('INSTANCES', u."instances"), ('MEMORY', u."memory")) AS a("resource", "amount")`;
  return Prisma.sql`
    ${workloads('AGENT', 'agent', 'coalesce(t."maxScale", greatest(1, t."minScale"))')}
    UNION ALL ${workloads('SANDBOX', 'sandbox', '1')}
    UNION ALL ${workloads('JOB', 'job', 'coalesce(s."parallelism", 1)')}
    UNION ALL SELECT w."id", c."region", c."resource", count(*)
    FROM "workspace" AS w JOIN (
      SELECT r."workspace_id", r."spec"->>'region' AS "region", 'VOLUME' AS "resource" FROM "volume" AS r
      UNION ALL SELECT r."workspace_id", r."spec"->>'region', 'VPC' FROM "vpc" AS r
      UNION ALL SELECT r."workspace_id", r."spec"->>'region', 'EGRESS_GATEWAY' FROM "egress_gateway" AS r
      UNION ALL SELECT r."workspace_id", g."spec"->>'region', 'EGRESS_IP'
        FROM "egress_ip" AS r JOIN "egress_gateway" AS g ON g."id" = r."egress_gateway_id"
      UNION ALL SELECT r."workspace_id", coalesce(r."spec"->>'region', s."spec"->>'region'), 'SANDBOX_PREVIEW'
        FROM "sandbox_preview" AS r JOIN "sandbox" AS s ON s."id" = r."sandbox_id"
      UNION ALL SELECT r."workspace_id", j."spec"->>'region', a."resource"
        FROM "job_execution" AS r JOIN "job" AS j ON j."id" = r."job_id",
        LATERAL (VALUES ('JOB_EXECUTION'), (CASE WHEN r."status" IN ('queued', 'pending', 'running', 'cancelling')
          THEN 'CONCURRENT_EXECUTIONS' END)) AS a("resource") WHERE a."resource" IS NOT NULL
      UNION ALL SELECT r."workspace_id", NULL, 'IMAGE' FROM "image" AS r
      UNION ALL SELECT r."workspace_id", NULL, 'IMAGE_TAG' FROM "image_tag" AS r
      UNION ALL SELECT r."source_workspace_id", NULL, 'IMAGE_SHARE'
        FROM "image_share" AS r WHERE r."status" IN ('pending', 'accepted')) AS c ON c."workspace_id" = w."id"
    WHERE ${ofAccountSql} GROUP BY 1, 2, 3`;
}

/**
 * Checks all accounts, one after the other.
 *
 * @param stopping ends it after an account.
 * @returns what differed.
 * @throws {AggregateError} the failures, after all accounts were tried.
 */
export async function correctAllQuotaUsage(db: Transactional, stopping: AbortSignal): Promise<CorrectedUse[]> {
  const accountIds = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(a."id" ORDER BY a."id"), '[]')::text FROM "account" AS a
      WHERE EXISTS (SELECT FROM "workspace" AS w WHERE w."account_id" = a."id")
        OR EXISTS (SELECT FROM "quota_usage" AS u WHERE u."account_id" = a."id")`,
  );
  const corrected: CorrectedUse[] = [];
  await tryEach(accountIds, async (accountId) => corrected.push(...(await correctQuotaUsage(db, accountId))), {
    stopping,
    message: (failed) => `${failed} accounts cannot be checked`,
  });
  return corrected;
}

/**
 * Compares the use of an account with a recount, and corrects it. Both are read in one statement, so changes that run at
 * the same time count in both or in neither, and the correction adds the difference.
 *
 * @returns what differed; nothing if another process checks the account at the moment.
 */
export async function correctQuotaUsage(db: Transactional, accountId: string): Promise<CorrectedUse[]> {
  return db.$begin(async (tx) => {
    const lock = await tx.$text(
      Prisma.sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${`quota usage ${accountId}`}, 0))::text`,
    );
    if (lock !== 'true') return [];
    const different = await readDifferences(tx, accountId);
    if (different.length > 0) await addDifferences(tx, accountId, different);
    return different.map(({ stored, counted, ...use }) => ({
      ...use,
      accountId,
      stored: Number(stored),
      counted: Number(counted),
    }));
  });
}

/** A use that differs from the count of the resources. */
export interface Difference {
  subject: string;
  workspaceId: string | null;
  region: string | null;
  resource: string;
  /** Whole numbers, as text. */
  stored: string;
  counted: string;
}

/** The uses of an account that are not those of its resources, in the order of subjects and resources. */
export async function readDifferences(db: Pick<Statements, '$text'>, accountId: string): Promise<Difference[]> {
  return readJson(
    db,
    Prisma.sql`
      WITH "resource_use" AS MATERIALIZED (${resourceUseSql(accountId)}),
      "counted" AS (
        SELECT s."subject", s."workspace_id", s."region", c."resource", sum(c."amount") AS "used"
        FROM "resource_use" AS c, LATERAL (VALUES
          (${`account ${accountId}`}, NULL::uuid, NULL::text),
          ('workspace ' || c."workspace_id", c."workspace_id", NULL),
          (${`region ${accountId} `} || c."region", NULL, c."region")) AS s("subject", "workspace_id", "region")
        WHERE s."subject" IS NOT NULL GROUP BY 1, 2, 3, 4),
      "stored" AS (SELECT * FROM "quota_usage" AS u WHERE u."account_id" = ${accountId}::uuid)
      SELECT coalesce(json_agg(json_build_object('subject', coalesce(u."subject", c."subject"),
        'workspaceId', coalesce(u."workspace_id", c."workspace_id"), 'region', coalesce(u."region", c."region"),
        'resource', coalesce(u."resource", c."resource"), 'stored', coalesce(u."used", 0)::text,
        'counted', coalesce(c."used", 0)::text) ORDER BY coalesce(u."subject", c."subject"), coalesce(u."resource", c."resource")), '[]')::text
      FROM "stored" AS u FULL JOIN "counted" AS c ON c."subject" = u."subject" AND c."resource" = u."resource"
      WHERE coalesce(u."used", 0) <> coalesce(c."used", 0)`,
  );
}

/** Locks the account's change log first, like every change of the use. */
async function addDifferences(db: Statements, accountId: string, differences: readonly Difference[]): Promise<void> {
  const rows = differences.map(({ stored, counted, ...use }) => ({
    ...use,
    growth: String(BigInt(counted) - BigInt(stored)),
  }));
  await db.$text(Prisma.sql`SELECT "last"::text FROM "change_head" WHERE "account_id" = ${accountId}::uuid FOR UPDATE`);
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "quota_usage" AS u ("subject", "resource", "account_id", "workspace_id", "region", "used")
    SELECT d."subject", d."resource", ${accountId}::uuid, d."workspaceId", d."region", d."growth"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS d("subject" text, "resource" text, "workspaceId" uuid,
      "region" text, "growth" numeric)
    WHERE d."workspaceId" IS NULL OR EXISTS (SELECT FROM "workspace" AS w WHERE w."id" = d."workspaceId")
    ON CONFLICT ("subject", "resource") DO UPDATE SET "used" = u."used" + EXCLUDED."used"`);
}
