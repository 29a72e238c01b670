// Locks a webhook for a change.
import { authorizeScope } from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { managedSql } from '../auth/managed-rows.js';
import { Prisma } from '../database/client/client.js';
import { notFound } from '../errors.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { lockRow } from '../store/write/lock-row.js';
import { requireVersion } from '../store/write/require-version.js';
import { isResourceId } from '../schema/resource.js';
import type { StoredWebhook } from './webhook.js';
import { authorizeWebhookTenant } from './webhooks.js';

const times = ['previousEndsAt', 'pausedAt', 'createdAt', 'updatedAt', 'blockedUntil'] as const;

/** A webhook row as PostgreSQL returns it in JSON. */
type WebhookJson = Omit<StoredWebhook, (typeof times)[number]> & {
  [Time in (typeof times)[number]]: StoredWebhook[Time] extends Date ? string : string | null;
} & { nextDay: string };

/** Identifies the webhook of a change. */
export interface WhichWebhook extends DryRun {
  id: string;
  ifVersion?: number | null | undefined;
}

export interface LockedWebhook {
  /** The caller's authorization, in the transaction that holds the lock. */
  within: AuthorizedAccount;
  webhook: StoredWebhook;
  /** One day from now, by the database's clock. */
  nextDay: Date;
}

/**
 * Locks a webhook and changes it in one transaction.
 *
 * @param lockFirst locks what must be locked before the webhook.
 * @throws 403 without `admin`; 404, also for an inaccessible webhook; 409 `version_mismatch`.
 */
export async function changeWebhook<Result>(
  ctx: RequestContext,
  { id, ifVersion, validateOnly }: WhichWebhook,
  act: (locked: LockedWebhook) => Promise<Result>,
  lockFirst?: (access: Authorized) => Promise<void>,
): Promise<Result> {
  const authorized = authorizeScope(ctx, 'admin');
  if (!isResourceId(id)) throw notFound('webhook', id);
  return runInTransaction(authorized, validateOnly, async (access) => {
    await lockFirst?.(access);
    const row = await lockRow<WebhookJson>(access.db, lockManagedWebhook(access, id));
    if (row === null) throw notFound('webhook', id);
    const { nextDay, ...stored } = row;
    const within = authorizeWebhookTenant(ctx, stored.workspace?.name).joining(access);
    await requireVersion(within, 'webhook', stored, ifVersion);
    return act({ within, webhook: webhookFromJson(stored), nextDay: new Date(nextDay) });
  });
}

/** SQL that locks a webhook that the caller manages. */
function lockManagedWebhook({ caller }: Authorized, id: string): Prisma.Sql {
  return Prisma.sql`
    SELECT r."id", r."version", r."account_id" AS "accountId", r."workspace_id" AS "workspaceId", r."name", r."url", r."origin", r."format",
      r."filter", r."previous_ends_at" AS "previousEndsAt", r."paused_at" AS "pausedAt", r."pause_reason" AS "pauseReason",
      r."created_at" AS "createdAt", r."created_by" AS "createdBy", r."updated_at" AS "updatedAt", r."failures",
      r."blocked_until" AS "blockedUntil", now() + interval '1 day' AS "nextDay",
      (SELECT json_build_object('name', w."name") FROM "workspace" AS w WHERE w."id" = r."workspace_id") AS "workspace"
    FROM "webhook" AS r WHERE r."id" = ${id}::uuid AND ${managedSql(caller, { includesOwn: false })} FOR UPDATE OF r`;
}

function webhookFromJson(row: Omit<WebhookJson, 'nextDay'>): StoredWebhook {
  const { previousEndsAt, pausedAt, blockedUntil } = row;
  return {
    ...row,
    previousEndsAt: timeFrom(previousEndsAt),
    pausedAt: timeFrom(pausedAt),
    blockedUntil: timeFrom(blockedUntil),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  };
}

function timeFrom(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
