// Who works on a webhook. A process takes a lease on it by the database's clock, with a number that goes up with each lease:
// whoever comes back late with an old number changes nothing any more.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';

/** For how long a lease is taken, and after which time it is taken again. */
export const leaseMs = 30_000;
export const renewalMs = 10_000;

/** So many deliveries of a webhook wait at most; what comes then stays in the history until there is room. */
export const waitingMax = 1_000;

/** A webhook that this process works on. */
export interface Lease {
  webhookId: string;
  accountId: string;
  fence: number;
}

/** SQL that a waiting delivery `d` is the first of what it is about: each thing is told of in its order. */
export const isItsTurn = Prisma.sql`(d."reason" <> 'change' OR d."resource_id" IS NULL OR NOT EXISTS (
  SELECT FROM "webhook_delivery" AS e
  WHERE e."webhook_id" = d."webhook_id" AND e."resource_id" = d."resource_id" AND e."sequence" < d."sequence"
    AND e."status" = 'waiting' AND e."reason" = 'change'))`;

/** SQL that deliveries of changes may be sent to a webhook `w` now. */
export const isOpen = Prisma.sql`
  (w."paused_at" IS NULL AND (w."blocked_until" IS NULL OR w."blocked_until" <= now()))`;

const hasRoom = Prisma.sql`(
  SELECT count(*) FROM (
    SELECT FROM "webhook_delivery" AS d WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' LIMIT ${waitingMax}::int
  ) AS waiting) < ${waitingMax}::int`;

/**
 * Takes webhooks that have something to do and that nobody works on.
 *
 * @param busy accounts of which none is to be taken now.
 * @returns them, and whether any webhook at all is not paused.
 */
export async function takeWebhooks(
  db: Statements,
  limit: number,
  busy: readonly string[],
): Promise<{ taken: Lease[]; isAny: boolean }> {
  const text = await db.$text(Prisma.sql`
    WITH "due" AS (
      SELECT w."id" FROM "webhook" AS w LEFT JOIN "change_head" AS h ON h."account_id" = w."account_id"
      WHERE (w."lease_until" IS NULL OR w."lease_until" < now()) AND w."account_id" <> ALL(${[...busy]}::uuid[])
        AND (EXISTS (
            SELECT FROM "webhook_delivery" AS d
            WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."reason" <> 'change' AND d."next_at" <= now())
          OR ${isOpen} AND (EXISTS (
              SELECT FROM "webhook_delivery" AS d
              WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."next_at" <= now() AND ${isItsTurn})
            OR h."last" > w."position" AND ${hasRoom}))
      ORDER BY w."fence" LIMIT ${limit}::int FOR UPDATE OF w SKIP LOCKED),
    "taken" AS (
      UPDATE "webhook" AS w SET "lease_until" = now() + ${leaseMs}::int * interval '1 millisecond', "fence" = w."fence" + 1
      FROM "due" WHERE w."id" = due."id"
      RETURNING w."id" AS "webhookId", w."account_id" AS "accountId", w."fence")
    SELECT json_build_object('taken', (SELECT coalesce(json_agg(t), '[]') FROM "taken" AS t),
      'isAny', EXISTS (SELECT FROM "webhook" WHERE "paused_at" IS NULL))::text`);
  return JSON.parse(text);
}

/** @returns whether it is still this process that works on it. */
export async function renewLease(db: Statements, { webhookId, fence }: Lease): Promise<boolean> {
  const count = await db.$executeRaw`
    UPDATE "webhook" SET "lease_until" = now() + ${leaseMs}::int * interval '1 millisecond'
    WHERE "id" = ${webhookId}::uuid AND "fence" = ${fence}::bigint`;
  return count > 0;
}

/** Ends the leases of processes that are gone. For whoever has the database to themselves. */
export async function endAllLeases(db: Statements): Promise<void> {
  await db.$executeRaw`UPDATE "webhook" SET "lease_until" = NULL WHERE "lease_until" IS NOT NULL`;
}

/** Leaves a webhook to whoever takes it next. */
export async function releaseLease(db: Statements, { webhookId, fence }: Lease): Promise<void> {
  await db.$executeRaw`
    UPDATE "webhook" SET "lease_until" = NULL WHERE "id" = ${webhookId}::uuid AND "fence" = ${fence}::bigint`;
}
