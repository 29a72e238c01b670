// Stores the outcome of an attempt. A failed delivery is retried with exponential backoff. A failing webhook is blocked
// with a backoff of its own, so that its waiting deliveries do not all retry a receiver that is down. A receiver that
// asks for a longer pause (`Retry-After`) gets it, for all deliveries of the webhook.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson } from '../database/read-json.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import type { Statements } from '../database/transaction.js';
import { recordAsSystem } from '../changes/record-as-system.js';
import type { DueDelivery } from './delivery-work.js';
import type { Outcome } from './post.js';
import { storedWebhookQuery, webhookChange } from './webhook.js';
import type { Lease } from './webhook-lease.js';

/** How long a delivery is retried, from its first attempt (hours). */
export const triedHoursMax = 72;

const pauseSecondsFirst = 5;
const pauseSecondsMax = 12 * 60 * 60;

/** Spreads retries, so that deliveries that failed together are not retried together. */
const jitter = () => 0.8 + Math.random() * 0.4;

/** SQL for the backoff after this many failures: 5 s, 20 s, 80 s and so on (factor 4), at most 12 hours. */
function pauseAfter(failures: Prisma.Sql, spread: number): Prisma.Sql {
  return Prisma.sql`(least(${pauseSecondsMax}::int, ${pauseSecondsFirst} * power(4, least(${failures}, 10) - 1))
    * ${spread}::float8 * interval '1 second')`;
}

/** SQL for the pause that a receiver asked for, at most the longest backoff; null if it asked for none. */
function askedPause(retryAfterSeconds: number | null): Prisma.Sql {
  const seconds = retryAfterSeconds === null ? null : Math.min(retryAfterSeconds, pauseSecondsMax);
  return Prisma.sql`(${seconds}::int * interval '1 second')`;
}

/** The status of a receiver that wants no more deliveries (Standard Webhooks; RFC 9110, section 15.5.11). */
const goneStatus = 410;

export interface AfterOutcome {
  /** The webhook's version. Undefined when it was deleted or another process holds its lease: nothing was stored. */
  version: number | undefined;
}

/**
 * Stores the outcome of an attempt. When a delivery fails for good, pauses its webhook in the same transaction. An update of
 * the webhook locks its rows in another order: after a deadlock the outcome is stored again, or the delivery would be sent
 * twice.
 */
export async function storeOutcome(
  db: Database,
  lease: Lease,
  delivery: DueDelivery,
  outcome: Outcome,
  now: () => Date,
): Promise<AfterOutcome> {
  // Tests, redeliveries and deliveries whose change is no longer retained are not retried.
  const isTriedOnce = delivery.reason !== 'change' || delivery.change === undefined;
  return retryConflicts<AfterOutcome>(() => {
    if (outcome.isTaken || isTriedOnce) return storeAttempt(db, lease, delivery, outcome, isTriedOnce);
    return db.$begin(async (tx) => {
      const { version, status } = await storeAttempt(tx, lease, delivery, outcome, outcome.statusCode === goneStatus);
      if (status === 'failed') await pauseWebhook(tx, lease, pauseReason(outcome), now());
      return { version };
    });
  });
}

function pauseReason({ statusCode, error }: Outcome): string {
  if (statusCode === goneStatus) return 'the URL returned 410 (Gone)';
  return `a delivery failed for ${triedHoursMax} hours: ${error ?? 'not accepted'}`;
}

interface Kept {
  version: number | undefined;
  status: string | undefined;
}

/** @param isFinal whether a failed attempt is not retried. */
async function storeAttempt(
  db: Statements,
  { webhookId, fence }: Lease,
  { id, reason, attemptCount, change }: DueDelivery,
  { isTaken, latencyMs, statusCode, answer, error, retryAfterSeconds }: Outcome,
  isFinal: boolean,
): Promise<Kept> {
  const started = Prisma.sql`(now() - ${latencyMs}::int * interval '1 millisecond')`;
  const end = Prisma.sql`(coalesce(d."tried_since", ${started}) + ${triedHoursMax}::int * interval '1 hour')`;
  const status = isTaken
    ? Prisma.sql`'delivered'`
    : Prisma.sql`CASE WHEN ${isFinal}::boolean OR ${end} <= now() THEN 'failed' ELSE 'waiting' END`;
  const asked = askedPause(retryAfterSeconds);
  // The same for the delivery and the webhook, so that the delivery is retried when the block ends.
  const spread = jitter();
  const countsForHealth = reason === 'change' && change !== undefined;
  const updated = await findJson<{ version: number; status: string | null }>(
    db,
    Prisma.sql`
      WITH "locked" AS (
        SELECT w."id", w."version" FROM "webhook" AS w
        WHERE w."id" = ${webhookId}::uuid AND w."fence" = ${fence}::bigint),
      "done" AS (
        UPDATE "webhook_delivery" AS d SET "attempt_count" = d."attempt_count" + 1, "status" = ${status},
          "tried_since" = coalesce(d."tried_since", ${started}),
          "next_at" = least(now() + greatest(${pauseAfter(Prisma.sql`d."attempt_count" + 1`, spread)}, ${asked}), greatest(${end}, now()))
        FROM "locked"
        WHERE d."id" = ${id}::uuid AND d."attempt_count" = ${attemptCount}::int AND d."status" = 'waiting'
        RETURNING d."id", d."attempt_count", d."status"),
      "notified" AS (
        INSERT INTO "webhook_attempt" ("delivery_id", "number", "time", "latency_ms", "status_code", "answer", "error")
        SELECT d."id", d."attempt_count", ${started}, ${latencyMs}::int, ${statusCode}::int, ${answer}::text, ${error}::text
        FROM "done" AS d),
      "health" AS (${healthAfter(webhookId, countsForHealth, { isTaken, statusCode }, { started, asked, spread })}),
      "held" AS (
        UPDATE "webhook_delivery" AS d SET "next_at" = greatest(d."next_at", now() + ${asked})
        WHERE ${asked} IS NOT NULL AND EXISTS (SELECT FROM "done") AND d."webhook_id" = ${webhookId}::uuid
          AND d."status" = 'waiting' AND d."reason" <> 'change' AND d."id" <> ${id}::uuid),
      "caught_up" AS (
        UPDATE "webhook_delivery" AS d SET "next_at" = now() FROM "webhook" AS w
        WHERE ${isTaken && countsForHealth}::boolean AND EXISTS (SELECT FROM "done") AND w."id" = ${webhookId}::uuid
          AND w."blocked_until" <= now()
          AND d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."next_at" > now() AND d."id" <> ${id}::uuid
          AND NOT EXISTS (
            SELECT FROM "webhook_attempt" AS a
            WHERE a."delivery_id" = d."id" AND a."time" + a."latency_ms" * interval '1 millisecond' >= ${started}))
      SELECT json_build_object('version', h."version", 'status', (SELECT "status" FROM "done"))::text FROM "locked" AS h`,
  );
  if (updated === undefined) return { version: undefined, status: undefined };
  return { version: updated.version, status: updated.status ?? undefined };
}

/** A response this soon after a success does not block the webhook: the receiver is up and rejects single events. */
const healthySecondsMin = 60;

/**
 * SQL that updates the webhook's health after an attempt. A success after a block ends it; waiting deliveries that failed
 * before the attempt started become due at once. A failure blocks it, except a response in the minute after a
 * success. Concurrent failures count once. The pause that a receiver asked for blocks it always.
 *
 * @param times SQL of the start of the attempt and of the pause that the receiver asked for, or null; and the spread of the
 * backoff.
 */
function healthAfter(
  webhookId: string,
  counts: boolean,
  { isTaken, statusCode }: Pick<Outcome, 'isTaken' | 'statusCode'>,
  { started, asked, spread }: { started: Prisma.Sql; asked: Prisma.Sql; spread: number },
): Prisma.Sql {
  const which = Prisma.sql`w."id" = ${webhookId}::uuid AND EXISTS (SELECT FROM "done")`;
  if (isTaken) {
    return Prisma.sql`
      UPDATE "webhook" AS w SET "failures" = 0, "succeeded_at" = now(),
        "blocked_until" = CASE WHEN w."blocked_until" > now() THEN w."blocked_until" END
      WHERE ${which} AND ${counts}::boolean
        AND (w."failures" > 0 OR w."blocked_until" <= now() OR w."succeeded_at" IS NULL
          OR w."succeeded_at" < now() - interval '10 seconds')`;
  }
  const firstCondition = Prisma.sql`(${counts}::boolean AND (w."blocked_until" IS NULL OR w."blocked_until" <= ${started}))`;
  return Prisma.sql`
    UPDATE "webhook" AS w SET "failures" = w."failures" + CASE WHEN ${firstCondition} THEN 1 ELSE 0 END,
      "blocked_until" = greatest(now() + ${asked}, CASE
        WHEN NOT ${firstCondition} THEN w."blocked_until"
        WHEN ${statusCode !== null}::boolean AND w."succeeded_at" > now() - ${healthySecondsMin}::int * interval '1 second' THEN NULL
        ELSE now() + ${pauseAfter(Prisma.sql`w."failures" + 1`, spread)} END)
    WHERE ${which} AND (${firstCondition} OR ${asked} IS NOT NULL)`;
}

/** Pauses a webhook, unless it is paused already. */
export async function pauseWebhook(
  tx: Statements,
  { webhookId, accountId }: Pick<Lease, 'webhookId' | 'accountId'>,
  reason: string,
  now: Date,
): Promise<void> {
  // An update at the same time would get the same version.
  await tx.$executeRaw`SELECT FROM "webhook" WHERE "id" = ${webhookId}::uuid FOR NO KEY UPDATE`;
  const before = await (await tx.$prisma()).webhook.findUnique({ where: { id: webhookId }, ...storedWebhookQuery });
  if (before === null || before.pausedAt !== null) return;
  const after = await (
    await tx.$prisma()
  ).webhook.update({
    where: { id: webhookId },
    data: { pausedAt: now, pauseReason: reason, version: before.version + 1, updatedAt: now },
    ...storedWebhookQuery,
  });
  const change = webhookChange('status', `Paused: ${reason}`, { before, after, fields: ['paused'] });
  await recordAsSystem(tx, { accountId, workspaceId: before.workspaceId }, now, change);
}
