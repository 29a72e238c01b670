// The SQL that counts denied requests and records them in the change log.
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { tryEach } from '../../database/try-each.js';
import type { ChangeRow } from '../change-rows.js';
import { appendChanges } from '../change-rows.js';
import {
  otherReadsKey,
  otherReadsMessage,
  otherDeniedRequestsKey,
  deniedRequestKey,
  deniedRequestsMax,
  deniedRequestWindowMs,
  secretReadsMax,
} from './denied-request.js';
import type { DeniedRequest } from './denied-request.js';

/** A number of equal denied requests. */
export interface CountedDeniedRequest extends DeniedRequest {
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/**
 * Adds denied requests to the counters by one statement. Those of no account are dropped. Those with the same key in the
 * same account, such as of two authorizations of a client, are counted together.
 *
 * @returns the accounts with counters that are due to be recorded.
 */
export async function countDeniedRequests(
  db: Statements,
  deniedRequests: readonly CountedDeniedRequest[],
  now: Date,
): Promise<string[]> {
  const rows = deniedRequests.map(({ of, firstAt, lastAt, ...denied }) => ({
    ...of,
    ...denied,
    key: deniedRequestKey(denied),
    first_at: firstAt,
    last_at: lastAt,
  }));
  return readJson(
    db,
    Prisma.sql`
    WITH "given" AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS g(
        "by" text, "value" text, "key" uuid, "verb" text, "kind" text, "name" text, "actorId" uuid, "client" text, "address" text,
        "requestId" text, "api" text, "message" text, "count" int, "first_at" timestamptz, "last_at" timestamptz)),
    "placed" AS (SELECT place."account_id", g.* FROM "given" AS g CROSS JOIN LATERAL (${accountsOfOne}) AS place),
    "grouped" AS (
      SELECT DISTINCT ON (p."account_id", p."key") p."account_id", p."key", p."verb", p."kind", p."name", p."actorId", p."client",
        p."address", p."requestId", p."api", p."message", sum(p."count") OVER same AS "count", min(p."first_at") OVER same AS "first_at",
        p."last_at"
      FROM "placed" AS p WINDOW same AS (PARTITION BY p."account_id", p."key")
      ORDER BY p."account_id", p."key", p."last_at" DESC),
    "known" AS (
      SELECT r."account_id", r."verb", count(*) AS "count" FROM "denied_request" AS r
      WHERE r."account_id" IN (SELECT "account_id" FROM "grouped") GROUP BY r."account_id", r."verb"),
    "ranked" AS (
      SELECT p.*, r."key" IS NOT NULL OR coalesce(k."count", 0) + row_number() OVER (
        PARTITION BY p."account_id", p."verb", r."key" IS NULL ORDER BY p."first_at", p."key")
        <= CASE p."verb" WHEN 'read' THEN ${secretReadsMax}::int ELSE ${deniedRequestsMax}::int END AS "is_apart"
      FROM "grouped" AS p
      LEFT JOIN "denied_request" AS r ON r."account_id" = p."account_id" AND r."key" = p."key"
      LEFT JOIN "known" AS k ON k."account_id" = p."account_id" AND k."verb" = p."verb"),
    "summed" AS (
      SELECT "account_id", "key", "verb", "kind", "name", "actorId", "client", "address", "requestId", "api", "message",
        "count"::int, "first_at", "last_at"
      FROM "ranked" WHERE "is_apart"
      UNION ALL
      SELECT "account_id", CASE "verb" WHEN 'read' THEN ${otherReadsKey}::uuid ELSE ${otherDeniedRequestsKey}::uuid END, "verb",
        'ACCESS', NULL, NULL, NULL, NULL, NULL, NULL,
        CASE "verb" WHEN 'read' THEN ${otherReadsMessage}::text
          ELSE 'More requests were denied than are recorded one by one.' END,
        sum("count")::int, min("first_at"), max("last_at")
      FROM "ranked" WHERE NOT "is_apart" GROUP BY "account_id", "verb"),
    "counted" AS (
    INSERT INTO "denied_request" AS r ("account_id", "key", "verb", "kind", "name", "actor_id", "client", "address", "request_id", "api",
      "message", "count", "first_at", "last_at", "due_at")
    SELECT s.*, ${now}::timestamptz FROM "summed" AS s ORDER BY s."account_id", s."key"
    ON CONFLICT ("account_id", "key") DO UPDATE SET
      "count" = least(r."count"::bigint + EXCLUDED."count", 2147483647), "last_at" = greatest(r."last_at", EXCLUDED."last_at"),
      "first_at" = CASE WHEN r."count" = 0 THEN EXCLUDED."first_at" ELSE r."first_at" END,
      "address" = EXCLUDED."address", "request_id" = EXCLUDED."request_id", "message" = EXCLUDED."message"
    RETURNING r."account_id", r."due_at")
    SELECT coalesce(json_agg(DISTINCT c."account_id"), '[]')::text FROM "counted" AS c WHERE c."due_at" <= ${now}::timestamptz`,
  );
}

/** SQL for the accounts whose change log records a denied request `g`. */
const accountsOfOne = Prisma.sql`
  SELECT a."id" AS "account_id" FROM "account" AS a WHERE a."id" = CASE WHEN g."by" = 'account' THEN g."value"::uuid END
  UNION ALL
  SELECT m."account_id" FROM "principal" AS p JOIN "account_member" AS m ON m."principal_id" = p."id"
  WHERE p."name" = CASE WHEN g."by" = 'user' THEN g."value" END AND p."kind" = 'user'
  UNION ALL
  SELECT c."account_id" FROM "oauth_client" AS c
  WHERE c."id" = CASE WHEN g."by" = 'client' THEN g."value" END AND c."account_id" IS NOT NULL
  UNION ALL
  SELECT o."account_id" FROM "oauth_authorization" AS o
  WHERE o."id" = CASE WHEN g."by" = 'authorization' THEN g."value"::uuid END`;

export interface DueDeniedRequest {
  key: string;
  verb: DeniedRequest['verb'];
  kind: DeniedRequest['kind'];
  name: string | null;
  actor_id: string | null;
  actor_kind: 'user' | 'service_account' | null;
  actor_name: string | null;
  client: string | null;
  address: string | null;
  request_id: string | null;
  api: DeniedRequest['api'] | null;
  message: string;
  count: number;
  /** Times as text. */
  first_at: string;
  last_at: string;
}

/**
 * Records the due counters of an account and starts new ones. Counters without further requests are deleted. Counters
 * that another process is recording are skipped.
 */
export async function recordDeniedRequests(db: Database, accountId: string, now: Date): Promise<void> {
  await db.$begin(async (tx) => {
    const due = await readJson<DueDeniedRequest[]>(
      tx,
      Prisma.sql`
        SELECT coalesce(json_agg(d), '[]')::text FROM (
          SELECT r."key", r."verb", r."kind", r."name", r."actor_id", p."kind" AS "actor_kind", p."name" AS "actor_name",
            r."client", r."address", r."request_id", r."api", r."message", r."count", r."first_at", r."last_at"
          FROM "denied_request" AS r LEFT JOIN "principal" AS p ON p."id" = r."actor_id"
          WHERE r."account_id" = ${accountId}::uuid AND r."due_at" <= ${now}::timestamptz
          ORDER BY r."first_at", r."key" FOR UPDATE OF r SKIP LOCKED) AS d`,
    );
    if (due.length === 0) return;
    const keys = due.map(({ key }) => key);
    await tx.$executeRaw`
      DELETE FROM "denied_request" WHERE "account_id" = ${accountId}::uuid AND "key" = ANY(${keys}::uuid[]) AND "count" = 0`;
    await tx.$executeRaw`
      UPDATE "denied_request" SET "count" = 0, "due_at" = ${new Date(now.getTime() + deniedRequestWindowMs)}
      WHERE "account_id" = ${accountId}::uuid AND "key" = ANY(${keys}::uuid[])`;
    const rows = due.filter(({ count }) => count > 0).map((denied) => deniedRequestRow(denied, now));
    await appendChanges(tx, accountId, rows);
  });
}

/** Equal denied requests as a row of the change log. */
export function deniedRequestRow(denied: DueDeniedRequest, now: Date): ChangeRow {
  const { verb, kind, message, count } = denied;
  const [from, to] = [denied.first_at, denied.last_at].map((time) => new Date(time).toISOString());
  const times = count === 1 ? '' : ` ${count} times, from ${from} to ${to}.`;
  return {
    time: now.toISOString(),
    workspace_id: undefined,
    kind,
    // A user's name is their id, by which filters find them.
    resource_id: undefined,
    name: denied.name ?? undefined,
    verb,
    actor_kind: denied.actor_kind ?? 'anonymous',
    actor_id: denied.actor_id ?? undefined,
    actor_name: denied.actor_name ?? undefined,
    client: denied.client ?? undefined,
    request_id: denied.request_id ?? undefined,
    address: denied.address ?? undefined,
    api: denied.api ?? undefined,
    type: verb,
    status: verb,
    message: `${message}${times}`,
    count,
  };
}

/** The maximum number of accounts in one run; the others follow in the next run. */
const accountsMax = 1_000;

/** Records all due counters, account by account. */
export async function recordAllDeniedRequests(db: Database, now: Date): Promise<void> {
  const accountIds = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(d."account_id" ORDER BY d."due_at"), '[]')::text FROM (
        SELECT r."account_id", min(r."due_at") AS "due_at" FROM "denied_request" AS r WHERE r."due_at" <= ${now}::timestamptz
        GROUP BY r."account_id" ORDER BY 2 LIMIT ${accountsMax}::int) AS d`,
  );
  await tryEach(accountIds, (accountId) => recordDeniedRequests(db, accountId, now));
}
