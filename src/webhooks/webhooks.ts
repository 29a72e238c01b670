// Lists and authorizes webhooks. An admin of the account manages all of its webhooks; an admin of a workspace manages
// those of the workspace.
import DataLoader from 'dataloader';
import { authorizeOwnAccount, authorizeScope, authorizeWorkspace, isAccountAdmin } from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { perRequest } from '../auth/context.js';
import { managedCondition, managedSql } from '../auth/managed-rows.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { foldedSql } from '../database/search-pattern.js';
import { ApiError, forbidden, notFound } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { isResourceId } from '../schema/resource.js';
import { filterOf } from '../store/read/filter.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';
import { storedWebhookQuery } from './webhook.js';
import type { StoredWebhook, WebhookStatus } from './webhook.js';

export interface WebhookListInput extends ListInput {
  status?: WebhookStatus | null | undefined;
}

/** The account (with all its workspaces) or the workspace whose webhooks are listed. */
export type WebhookTenant = { accountId: string } | { workspaceId: string };

const webhooks = {
  label: 'webhook',
  table: 'webhook',
  source: Prisma.sql`(
    SELECT h."id", h."name" COLLATE "C" AS "name", h."created_at", h."paused_at", h."account_id", h."workspace_id",
      ${foldedSql(Prisma.sql`h."name" || E'\n' || h."origin"`)} AS "search"
    FROM "webhook" AS h)`,
  columns: {},
};

const accountWebhooks = defineList({ ...webhooks, isAcrossWorkspaces: true, parent: Prisma.sql`r."account_id"` });
const workspaceWebhooks = defineList(webhooks);

/** Lists the webhooks of an account or workspace that the caller manages. @throws 400; 403 without `admin`. */
export async function listWebhooks(
  ctx: RequestContext,
  place: WebhookTenant,
  input: WebhookListInput,
): Promise<ListPage<Placed<StoredWebhook>>> {
  const authorized = authorizeScope(ctx, 'admin');
  const { status } = input;
  const pausedSql = status === 'paused' ? Prisma.sql`r."paused_at" IS NOT NULL` : Prisma.sql`r."paused_at" IS NULL`;
  const [list, parent] =
    'accountId' in place
      ? [accountWebhooks, { id: place.accountId }]
      : [workspaceWebhooks, { id: place.workspaceId, workspaceId: place.workspaceId }];
  const lists = {
    parents: [parent],
    query: { ...place, principal: ctx.caller.principal.id },
    accessible: managedSql(ctx.caller, { includesOwn: false }),
    filter: status == null ? undefined : filterOf(status, [pausedSql]),
  };
  return readPageById(authorized, list, lists, input, (ids) => findWebhooks(ctx, ids));
}

/** Finds webhooks by id, in the order of the ids; null for an inaccessible one. @throws 403 without `admin`. */
export async function findWebhooks(ctx: RequestContext, ids: readonly string[]): Promise<(StoredWebhook | null)[]> {
  const authorized = authorizeScope(ctx, 'admin');
  const where = { AND: [{ id: { in: [...ids] } }, managedWebhooks(authorized)] };
  const rows = await (await authorized.db.$prisma()).webhook.findMany({ where, ...storedWebhookQuery });
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

/**
 * The time of a webhook's next attempt; undefined while it is paused, and if the last attempt succeeded. A failure blocks the
 * webhook for as long as it fails; each delivery waits for as long as that delivery fails.
 */
export async function nextAttemptOf(
  ctx: RequestContext,
  { id, pausedAt, blockedUntil }: Pick<StoredWebhook, 'id' | 'pausedAt' | 'blockedUntil'>,
): Promise<Date | undefined> {
  if (pausedAt !== null || blockedUntil === null) return undefined;
  if (blockedUntil > ctx.now()) return blockedUntil;
  return nextAttempts(ctx).load(id);
}

const nextAttempts = perRequest(
  (ctx) =>
    new DataLoader<string, Date | undefined>(async (ids) => {
      const rows = await readJson<{ id: string; at: string }[]>(
        authorizeScope(ctx, 'admin').db,
        Prisma.sql`
          SELECT coalesce(json_agg(n), '[]')::text FROM (
            SELECT d."webhook_id" AS "id", min(d."next_at") AS "at" FROM "webhook_delivery" AS d
            WHERE d."webhook_id" = ANY(${ids}::uuid[]) AND d."status" = 'waiting' AND d."reason" = 'change'
              AND d."attempt_count" > 0
            GROUP BY 1) AS n`,
      );
      const times = new Map(rows.map(({ id, at }) => [id, new Date(at)]));
      return ids.map((id) => times.get(id));
    }),
);

/** Returns the Prisma condition of the webhooks that a caller manages. */
export function managedWebhooks({ caller }: Authorized): object {
  return managedCondition(caller, { includesOwn: false });
}

/**
 * Authorizes the caller to create webhooks in a workspace or the whole account.
 *
 * @param workspace the workspace's name; the whole account without it.
 * @throws 403 without `admin`, for an inaccessible workspace, and for a caller who is not its admin.
 */
export function authorizeWebhookTenant(ctx: RequestContext, workspace: string | null | undefined): AuthorizedAccount {
  if (workspace != null) {
    const authorized = authorizeWorkspace(ctx, 'admin', workspace);
    if (authorized.workspace.role !== 'admin')
      throw forbidden('Only an admin of the workspace can manage its webhooks.');
    return authorized;
  }
  const authorized = authorizeOwnAccount(ctx, 'admin');
  if (!isAccountAdmin(authorized)) {
    throw forbidden('Only an admin of the account can manage webhooks of the whole account. Name a workspace.');
  }
  return authorized;
}

/**
 * Authorizes the caller to change a webhook.
 *
 * @throws 403 without `admin`; 404, also for an inaccessible webhook.
 */
export async function authorizeWebhook(
  ctx: RequestContext,
  id: string,
): Promise<{ authorized: AuthorizedAccount; webhook: StoredWebhook }> {
  const [webhook] = isResourceId(id) ? await findWebhooks(ctx, [id]) : [];
  if (webhook == null) throw notFound('webhook', id);
  return { authorized: authorizeWebhookTenant(ctx, webhook.workspace?.name), webhook };
}

/** The maximum number of webhooks of an account, including those of its workspaces. */
export const webhooksMax = 100;

/** @throws 409 `conflict` when the account has the maximum number of webhooks. */
export async function requireRoom({ account, db }: AuthorizedAccount): Promise<void> {
  const name = `webhooks of ${account.id}`;
  await db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  const count = await (await db.$prisma()).webhook.count({ where: { accountId: account.id } });
  if (count < webhooksMax) return;
  throw new ApiError('conflict', `An account can have at most ${webhooksMax} webhooks.`, {
    exceeded: { limit: webhooksMax, actual: count + 1 },
  });
}
