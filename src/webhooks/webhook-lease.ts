// Leases on webhooks, by the database's clock. Each lease has a fencing number that increases, so that a process whose
// lease expired can no longer write.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';

/** The duration of a lease, and the age at which it is renewed (ms). */
export const leaseMs = 30_000;
export const renewalMs = 10_000;

/** The maximum number of waiting deliveries of a webhook. Further changes stay in the change log until there is space. */
export const waitingMax = 1_000;

/** A lease of this process on a webhook. */
export interface Lease {
  webhookId: string;
  accountId: string;
  fence: number;
}

/** SQL: whether no earlier change of the same resource is waiting, so that changes of a resource are sent in order. */
export const turnCondition = Prisma.sql`(d."reason" <> 'change' OR d."resource_id" IS NULL OR NOT EXISTS (
  SELECT FROM "webhook_delivery" AS e
  WHERE e."webhook_id" = d."webhook_id" AND e."resource_id" = d."resource_id" AND e."sequence" < d."sequence"
    AND e."status" = 'waiting' AND e."reason" = 'change'))`;

/** SQL: whether changes may be sent to webhook `w` now. */
export const openCondition = Prisma.sql`
  (w."paused_at" IS NULL AND (w."blocked_until" IS NULL OR w."blocked_until" <= now()))`;

const roomCondition = Prisma.sql`(
  SELECT count(*) FROM (
    SELECT FROM "webhook_delivery" AS d WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' LIMIT ${waitingMax}::int
  ) AS waiting) < ${waitingMax}::int`;

/** How many accounts with webhooks a process remembers. */
export const accountsMax = 1_000;

/**
 * Takes leases on webhooks that have due work and no lease.
 *
 * Webhooks that fail come last, so that those that work do not wait behind them.
 *
 * @param busy accounts whose webhooks are left out.
 * @param busyFailing accounts whose failing webhooks are left out.
 * @returns the leases, and the accounts with a webhook that is not paused: one more than `accountsMax` if there are more.
 */
export async function takeWebhooks(
  db: Statements,
  limit: number,
  busy: readonly string[],
  busyFailing: readonly string[],
): Promise<{ leases: Lease[]; accountIds: string[] }> {
  return readJson(
    db,
    Prisma.sql`
      WITH "due" AS (
        SELECT w."id" FROM "webhook" AS w LEFT JOIN "change_head" AS h ON h."account_id" = w."account_id"
        WHERE (w."lease_until" IS NULL OR w."lease_until" < now()) AND w."account_id" <> ALL(${[...busy]}::uuid[])
          AND (w."failures" = 0 OR w."account_id" <> ALL(${[...busyFailing]}::uuid[]))
          AND (EXISTS (
              SELECT FROM "webhook_delivery" AS d
              WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."reason" <> 'change' AND d."next_at" <= now())
            OR ${openCondition} AND (EXISTS (
                SELECT FROM "webhook_delivery" AS d
                WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."next_at" <= now() AND ${turnCondition})
              OR h."last" > w."position" AND ${roomCondition}))
        ORDER BY w."failures" > 0, w."fence" LIMIT ${limit}::int FOR UPDATE OF w SKIP LOCKED),
      "leased" AS (
        UPDATE "webhook" AS w SET "lease_until" = now() + ${leaseMs}::int * interval '1 millisecond', "fence" = w."fence" + 1
        FROM "due" WHERE w."id" = due."id"
        RETURNING w."id" AS "webhookId", w."account_id" AS "accountId", w."fence")
      SELECT json_build_object('leases', (SELECT coalesce(json_agg(l), '[]') FROM "leased" AS l),
        'accountIds', (SELECT coalesce(json_agg(a."account_id"), '[]') FROM (
          SELECT DISTINCT "account_id" FROM "webhook" WHERE "paused_at" IS NULL LIMIT ${accountsMax + 1}::int) AS a))::text`,
  );
}

/** @returns whether this process still holds the lease. */
export async function renewLease(db: Statements, { webhookId, fence }: Lease): Promise<boolean> {
  const count = await db.$executeRaw`
    UPDATE "webhook" SET "lease_until" = now() + ${leaseMs}::int * interval '1 millisecond'
    WHERE "id" = ${webhookId}::uuid AND "fence" = ${fence}::bigint`;
  return count > 0;
}

/** Ends the leases of killed processes. Call it only when no other process uses the database. */
export async function endAllLeases(db: Statements): Promise<void> {
  await db.$executeRaw`UPDATE "webhook" SET "lease_until" = NULL WHERE "lease_until" IS NOT NULL`;
}

export async function releaseLease(db: Statements, { webhookId, fence }: Lease): Promise<void> {
  await db.$executeRaw`
    UPDATE "webhook" SET "lease_until" = NULL WHERE "id" = ${webhookId}::uuid AND "fence" = ${fence}::bigint`;
}
