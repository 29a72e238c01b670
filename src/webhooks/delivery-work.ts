// Creates deliveries from changes, and reads the deliveries that are due.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { endOfStep } from '../changes/change-page.js';
import { changeColumns, changeFromJson, plainColumns } from '../changes/change.js';
import type { Change, ChangeJson } from '../changes/change.js';
import { deliveryIdSql } from './deliveries.js';
import type { DeliveryReason } from './deliveries.js';
import { recordAsSystem } from '../changes/record-as-system.js';
import { storedWebhookQuery, webhookChange, webhookConditions } from './webhook.js';
import type { StoredFilter, WebhookFormat } from './webhook.js';
import { openCondition, turnCondition, waitingMax } from './webhook-lease.js';
import type { Lease } from './webhook-lease.js';

/** A webhook with the fields needed to send to it. */
export interface OpenWebhook {
  id: string;
  name: string;
  version: number;
  workspaceId: string | null;
  /** The encrypted URL. */
  url: string;
  format: WebhookFormat;
  /** The name of its account. */
  account: string;
  filter: StoredFilter;
  /** The encrypted secret, and the previous one while it is still valid. */
  secret: string;
  previousSecret: string | null;
  /** The number of consecutive failures. */
  failures: number;
  /** Whether changes may be sent to it now. */
  isOpen: boolean;
  /** Whether the change log has changes without deliveries, and the webhook may get more deliveries. */
  isBehind: boolean;
}

/** A delivery that is due. */
export interface DueDelivery {
  id: string;
  reason: DeliveryReason;
  accountId: string;
  sequence: number | null;
  eventId: string | null;
  attemptCount: number;
  createdAt: string;
  /** Undefined for a test, and for a change that is no longer retained. */
  change: Change | undefined;
}

type DueJson = Omit<DueDelivery, 'change'> & { change: ChangeJson | null };

/** The maximum number of deliveries read at a time. */
const dueMax = 50;

/**
 * Reads a webhook and its next due deliveries.
 *
 * @param sending the ids of deliveries in progress.
 * @returns undefined when the webhook was deleted or another process holds its lease.
 */
export async function readWork(
  db: Statements,
  { webhookId, accountId, fence }: Lease,
  sending: readonly string[],
): Promise<{ webhook: OpenWebhook; due: DueDelivery[] } | undefined> {
  const found = await findJson<{ webhook: OpenWebhook; due: DueJson[] }>(
    db,
    Prisma.sql`
      SELECT json_build_object('webhook', json_build_object(
          'id', w."id", 'name', w."name", 'version', w."version", 'workspaceId', w."workspace_id", 'url', w."url",
          'format', w."format", 'account', (SELECT a."name" FROM "account" AS a WHERE a."id" = w."account_id"),
          'filter', w."filter", 'secret', w."secret", 'failures', w."failures", 'isOpen', ${openCondition},
          'previousSecret', CASE WHEN w."previous_ends_at" > now() THEN w."previous_secret" END,
          'isBehind', (SELECT h."last" FROM "change_head" AS h WHERE h."account_id" = w."account_id") > w."position"
            AND (SELECT count(*) FROM "webhook_delivery" AS d
              WHERE d."webhook_id" = w."id" AND d."status" = 'waiting') < ${waitingMax}::int),
        'due', (SELECT coalesce(json_agg(p), '[]') FROM (
          SELECT d."id", d."reason", d."account_id" AS "accountId", d."sequence", d."event_id" AS "eventId",
            d."attempt_count" AS "attemptCount", d."created_at" AS "createdAt",
            CASE WHEN found."sequence" IS NOT NULL THEN row_to_json(found) END AS "change"
          FROM "webhook_delivery" AS d
          LEFT JOIN LATERAL (
            SELECT ${changeColumns(plainColumns)} FROM "change" AS c
            WHERE c."account_id" = d."account_id" AND c."sequence" = d."sequence" AND c."sequence" > coalesce(
              (SELECT z."removed" FROM "change_horizon" AS z WHERE z."account_id" = d."account_id"), 0)) AS found ON true
          WHERE d."webhook_id" = w."id" AND d."status" = 'waiting' AND d."next_at" <= now()
            AND d."id" <> ALL(${[...sending]}::uuid[]) AND (d."reason" <> 'change' OR ${openCondition}) AND ${turnCondition}
          ORDER BY d."reason" = 'change', d."sequence", d."created_at" LIMIT ${dueMax}::int) AS p))::text
      FROM "webhook" AS w WHERE w."id" = ${webhookId}::uuid AND w."fence" = ${fence}::bigint`,
  );
  if (found === undefined) return undefined;
  const { webhook, due } = found;
  const read = ({ change, ...delivery }: DueJson): DueDelivery => ({
    ...delivery,
    change: change === null ? undefined : changeFromJson(accountId, change),
  });
  return { webhook, due: due.map(read) };
}

/** The maximum number of deliveries created by one statement, and of changes it scans. */
const madeMax = 200;
const lookedMax = 5_000;

/**
 * Creates deliveries for the next changes that match the webhook's filter, and advances the webhook's position, in one
 * statement. A position before the retention horizon moves to the horizon, and the change log records that.
 */
export async function makeDeliveries(db: Database, lease: Lease, webhook: OpenWebhook, now: Date): Promise<void> {
  const { webhookId, accountId, fence } = lease;
  const conditions = webhookConditions(webhook.workspaceId, webhook.filter).map(({ sql }) => sql);
  const matches = conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ');
  const text = await db.$text(Prisma.sql`
    WITH "locked" AS MATERIALIZED (
      SELECT w."position" FROM "webhook" AS w
      WHERE w."id" = ${webhookId}::uuid AND w."fence" = ${fence}::bigint AND w."version" = ${webhook.version}::int
        AND w."paused_at" IS NULL FOR NO KEY UPDATE),
    "ends" AS MATERIALIZED (
      SELECT locked."position", coalesce(z."removed", 0) AS "removed",
        ${endOfStep(Prisma.sql`locked."position"`, lookedMax)} AS "last"
      FROM "locked" JOIN "change_head" AS h ON h."account_id" = ${accountId}::uuid
      LEFT JOIN "change_horizon" AS z ON z."account_id" = h."account_id"),
    "found" AS MATERIALIZED (
      SELECT c."sequence", c."resource_id", lower(c."kind" COLLATE "C") || '.' || c."verb" AS "event_type"
      FROM "change" AS c, "ends"
      WHERE c."account_id" = ${accountId}::uuid AND c."sequence" > ends."position" AND c."sequence" <= ends."last"
        AND ends."removed" <= ends."position" AND ${matches}
      ORDER BY c."sequence" LIMIT ${madeMax}::int),
    "inserted" AS (
      INSERT INTO "webhook_delivery" ("id", "webhook_id", "account_id", "reason", "sequence", "resource_id", "event_type")
      SELECT ${deliveryIdSql(Prisma.sql`f."sequence"`)}, ${webhookId}::uuid, ${accountId}::uuid, 'change', f."sequence",
        f."resource_id", f."event_type"
      FROM "found" AS f),
    "moved" AS (
      UPDATE "webhook" AS w SET "position" = CASE
        WHEN (SELECT count(*) FROM "found") = ${madeMax}::int THEN (SELECT max("sequence") FROM "found")
        ELSE greatest(ends."position", ends."last") END
      FROM "ends" WHERE w."id" = ${webhookId}::uuid AND ends."removed" <= ends."position")
    SELECT CASE WHEN "removed" > "position" THEN "removed"::text ELSE '' END FROM "ends"`);
  if (text !== '') await moveBehindRemoved(db, lease, Number(text), now);
}

async function moveBehindRemoved(
  db: Database,
  { webhookId, accountId, fence }: Lease,
  removed: number,
  now: Date,
): Promise<void> {
  await db.$begin(async (tx) => {
    const count = await tx.$executeRaw`
      UPDATE "webhook" SET "position" = ${removed}::bigint
      WHERE "id" = ${webhookId}::uuid AND "fence" = ${fence}::bigint AND "position" < ${removed}::bigint`;
    if (count === 0) return;
    const webhook = await (
      await tx.$prisma()
    ).webhook.findUniqueOrThrow({ where: { id: webhookId }, ...storedWebhookQuery });
    const message = 'Changes older than the retained change log were not sent';
    const change = webhookChange('status', message, { before: webhook, after: webhook });
    await recordAsSystem(tx, { accountId, workspaceId: webhook.workspaceId }, now, change);
  });
}
