// Deliveries of a webhook: list, test and redeliver.
import { authorizeScope } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { managedSql } from '../auth/managed-rows.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { foldedSql } from '../database/search-pattern.js';
import { ApiError, notFound } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { isResourceId } from '../schema/resource.js';
import { globalId } from '../pagination/global-id.js';
import { filterOf } from '../store/read/filter.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { readHistoryEnds } from '../changes/change-page.js';
import { changeChannel } from '../changes/change-rows.js';
import { eventIdOf, testEventType } from './payload.js';
import type { DeliveryStatus, StoredWebhook } from './webhook.js';
import { authorizeWebhook, managedWebhooks } from './webhooks.js';

/** Why a delivery was created. */
export const deliveryReasons = {
  change: 'A change in the change log.',
  test: 'A requested test.',
  redelivery: 'A requested redelivery.',
} as const;

export type DeliveryReason = keyof typeof deliveryReasons;

export const storedDeliveryQuery = {
  include: { attempts: { orderBy: { number: 'asc' } } },
} as const;

export type StoredDelivery = Prisma.WebhookDeliveryGetPayload<typeof storedDeliveryQuery>;

export interface DeliveryListInput extends ListInput {
  status?: DeliveryStatus | null | undefined;
}

const deliveryList = defineList({
  label: 'delivery',
  table: 'webhook_delivery',
  source: Prisma.sql`(
    SELECT d."id", d."event_type" AS "name", d."created_at", d."webhook_id", d."status"::text AS "status", h."account_id",
      h."workspace_id", ${foldedSql(Prisma.sql`d."event_type"`)} AS "search"
    FROM "webhook_delivery" AS d JOIN "webhook" AS h ON h."id" = d."webhook_id")`,
  isAcrossWorkspaces: true,
  parent: Prisma.sql`r."webhook_id"`,
  columns: {},
});

/** Lists the deliveries of a webhook, newest first. @throws 400; 403 without `admin`. */
export async function listDeliveries(
  ctx: RequestContext,
  { id }: StoredWebhook,
  input: DeliveryListInput,
): Promise<ListPage<Placed<StoredDelivery>>> {
  const authorized = authorizeScope(ctx, 'admin');
  const { status } = input;
  const lists = {
    parents: [{ id }],
    query: { webhookId: id, principal: ctx.caller.principal.id },
    accessible: managedSql(ctx.caller, { includesOwn: false }),
    filter: status == null ? undefined : filterOf(status, [Prisma.sql`r."status" = ${status}`]),
  };
  return readPageById(authorized, deliveryList, lists, input, (ids) => findDeliveries(ctx, ids));
}

/** Finds deliveries by id, in the order of the ids; null for an inaccessible one. @throws 403 without `admin`. */
export async function findDeliveries(ctx: RequestContext, ids: readonly string[]): Promise<(StoredDelivery | null)[]> {
  const authorized = authorizeScope(ctx, 'admin');
  const where = { id: { in: [...ids] }, webhook: managedWebhooks(authorized) };
  const rows = await (await authorized.db.$prisma()).webhookDelivery.findMany({ where, ...storedDeliveryQuery });
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

/**
 * SQL of a new id of a delivery of a change. Deliveries that one statement creates have the same `created_at`. Lists order
 * them by id, and so by the number of the change.
 */
export function deliveryIdSql(sequence: Prisma.Sql): Prisma.Sql {
  const start = Prisma.sql`regexp_replace(lpad(to_hex(${sequence}), 12, '0'), '(.{4})$', '-\\1')`;
  return Prisma.sql`overlay(gen_random_uuid()::text PLACING ${start} FROM 1)::uuid`;
}

/** The maximum number of waiting tests and redeliveries of one webhook. */
const requestedMax = 1_000;

/**
 * Queues a test delivery, also to a paused webhook. It is attempted once.
 *
 * @throws 403; 404; 409 `conflict` when the webhook has the maximum number of waiting tests and redeliveries.
 */
export async function testWebhook(
  ctx: RequestContext,
  { id, validateOnly }: DryRun & { id: string },
): Promise<StoredDelivery> {
  const { authorized, webhook } = await authorizeWebhook(ctx, id);
  return runInTransaction(authorized, validateOnly, (within) =>
    insertRequested(within, {
      webhookId: webhook.id,
      accountId: webhook.accountId,
      reason: 'test',
      eventType: testEventType,
    }),
  );
}

/**
 * Queues a new delivery of the same event. It is attempted once.
 *
 * @throws 403; 404; 409 `conflict` while the delivery is waiting, when its change is no longer retained, or when the
 * webhook has the maximum number of waiting tests and redeliveries.
 */
export async function redeliver(
  ctx: RequestContext,
  { id, validateOnly }: DryRun & { id: string },
): Promise<StoredDelivery> {
  const [found] = isResourceId(id) ? await findDeliveries(ctx, [id]) : [];
  if (found == null) throw notFound('delivery', id);
  const { authorized } = await authorizeWebhook(ctx, found.webhookId);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const { db } = within;
    const { webhookId, accountId, sequence, resourceId, eventType } = found;
    const eventId = sequence === null ? eventIdOfDelivery(found) : null;
    const current = await (await db.$prisma()).webhookDelivery.findUnique({ where: { id }, select: { status: true } });
    if (current === null) throw notFound('delivery', id);
    if (current.status === 'waiting')
      throw new ApiError('conflict', 'The delivery is still waiting. Only a delivery that was sent can be sent again.');
    const isRetained = sequence === null || (await isKept(within, accountId, sequence));
    if (!isRetained)
      throw new ApiError(
        'conflict',
        'The delivery cannot be sent again: its change is older than the retained change log.',
      );
    const again = { webhookId, accountId, sequence, resourceId, eventId, eventType };
    return insertRequested(within, { ...again, reason: 'redelivery', redeliveryOf: id });
  });
}

export interface RedeliveryInput extends DryRun {
  /** Includes only deliveries created at or after `since` and before `until`. */
  since: string;
  until: string | null | undefined;
  /** Whether to send delivered and skipped deliveries again too. */
  includesDelivered: boolean;
}

/** The number of redeliveries queued, and whether more remain because the queue is full. */
export interface QueuedRedeliveries {
  count: number;
  hasMore: boolean;
}

/**
 * Queues one redelivery for each event whose last delivery failed, oldest first. Leaves out tests, events with a
 * waiting delivery, and changes that are no longer retained.
 *
 * @throws 403; 404; 409 `conflict` when the webhook has the maximum number of waiting tests and redeliveries.
 */
export async function redeliverAll(
  ctx: RequestContext,
  id: string,
  { since, until, includesDelivered, validateOnly }: RedeliveryInput,
): Promise<QueuedRedeliveries> {
  const { authorized, webhook } = await authorizeWebhook(ctx, id);
  const statuses: DeliveryStatus[] = includesDelivered ? ['failed', 'delivered', 'skipped'] : ['failed'];
  return runInTransaction(authorized, validateOnly, async ({ db, caller }) => {
    // Lock the webhook so that concurrent calls do not queue the same events twice.
    const locked = await db.$text(
      Prisma.sql`SELECT w."id"::text FROM "webhook" AS w WHERE w."id" = ${webhook.id}::uuid FOR NO KEY UPDATE`,
    );
    if (locked === '') throw notFound('webhook', id);
    const room = await remainingRequested(db, webhook.id);
    const queued = await readJson<QueuedRedeliveries>(
      db,
      Prisma.sql`
        WITH "last" AS (
          SELECT DISTINCT ON (d."sequence") d."id", d."sequence", d."resource_id", d."event_type", d."status", d."created_at"
          FROM "webhook_delivery" AS d
          WHERE d."webhook_id" = ${webhook.id}::uuid AND d."sequence" IS NOT NULL AND d."created_at" >= ${since}::timestamptz
          ORDER BY d."sequence", d."created_at" DESC, d."id"),
        "found" AS MATERIALIZED (
          SELECT l.* FROM "last" AS l
          WHERE l."status" = ANY(${statuses}::text[]) AND l."created_at" < coalesce(${until ?? null}::timestamptz, 'infinity')
            AND NOT EXISTS (
              SELECT FROM "webhook_delivery" AS w
              WHERE w."webhook_id" = ${webhook.id}::uuid AND w."sequence" = l."sequence" AND w."status" = 'waiting')
            AND l."sequence" > coalesce((
              SELECT z."removed" FROM "change_horizon" AS z WHERE z."account_id" = ${webhook.accountId}::uuid), 0)
            AND EXISTS (
              SELECT FROM "change" AS c WHERE c."account_id" = ${webhook.accountId}::uuid AND c."sequence" = l."sequence")
          ORDER BY l."created_at", l."sequence" LIMIT ${room + 1}::int),
        "queued" AS (
          INSERT INTO "webhook_delivery" ("id", "webhook_id", "account_id", "reason", "sequence", "resource_id",
            "event_type", "redelivery_of", "asked_by")
          SELECT ${deliveryIdSql(Prisma.sql`f."sequence"`)}, ${webhook.id}::uuid, ${webhook.accountId}::uuid, 'redelivery',
            f."sequence", f."resource_id", f."event_type", f."id", ${caller.principal.name}
          FROM "found" AS f ORDER BY f."created_at", f."sequence" LIMIT ${room}::int
          RETURNING "id")
        SELECT json_build_object('count', (SELECT count(*) FROM "queued"),
          'hasMore', (SELECT count(*) FROM "found") > ${room}::int)::text`,
    );
    if (queued.count > 0) await notifySenders(db, webhook.accountId);
    return queued;
  });
}

/** Changes before the retention horizon may be stored incompletely, so they count as deleted. */
async function isKept({ db }: Authorized, accountId: string, sequence: bigint): Promise<boolean> {
  const { removed } = await readHistoryEnds(db, accountId);
  return sequence > removed && (await (await db.$prisma()).change.count({ where: { accountId, sequence } })) > 0;
}

async function insertRequested(
  { db, caller }: Authorized,
  requested: Omit<Prisma.WebhookDeliveryUncheckedCreateInput, 'status' | 'askedBy'>,
): Promise<StoredDelivery> {
  const { webhookId, accountId } = requested;
  await remainingRequested(db, webhookId);
  const data = { ...requested, askedBy: caller.principal.name };
  const delivery = await (await db.$prisma()).webhookDelivery.create({ data, ...storedDeliveryQuery });
  await notifySenders(db, accountId);
  return delivery;
}

/** Returns how many more tests and redeliveries may be queued (at least 1). @throws 409 `conflict` when none. */
async function remainingRequested(db: Authorized['db'], webhookId: string): Promise<number> {
  const where = { webhookId, status: 'waiting', reason: { not: 'change' } };
  const waiting = await (await db.$prisma()).webhookDelivery.count({ where });
  if (waiting >= requestedMax)
    throw new ApiError(
      'conflict',
      `At most ${requestedMax} requested deliveries can wait. Try again when some of them were sent.`,
    );
  return requestedMax - waiting;
}

async function notifySenders(db: Authorized['db'], accountId: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    SELECT pg_notify(${changeChannel}, ${accountId}) FROM "change_listener" WHERE "until" > now() LIMIT 1`);
}

/** Returns the event id of a delivery. It is the same for every delivery of the event. */
export function eventIdOfDelivery({ id, accountId, sequence, eventId }: EventOfDelivery): string {
  return sequence === null
    ? (eventId ?? globalId('WebhookDelivery', id))
    : eventIdOf({ accountId, sequence: Number(sequence) });
}

type EventOfDelivery = Pick<StoredDelivery, 'id' | 'accountId' | 'eventId'> & { sequence: bigint | number | null };
