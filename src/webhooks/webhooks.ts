// Webhooks as the admins of a place manage them: an admin of the account those of all of it, an admin of a workspace those
// of that workspace.
import { authorizeOwnAccount, authorizeReach, authorizeWorkspace } from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { ApiError, forbidden, notFound } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { isResourceId } from '../schema/resource.js';
import { readRowPage } from '../store/read/row-list.js';
import type { Placed } from '../store/read/row-list.js';
import { storedWebhookQuery } from './webhook.js';
import type { StoredWebhook, WebhookStatus } from './webhook.js';

export interface WebhookListInput extends ListInput {
  status?: WebhookStatus | null | undefined;
}

/** What a list of webhooks is of: an account with all that is in it, or one workspace. */
export type WebhookPlace = { accountId: string } | { workspaceId: string };

/** One page of the webhooks of a place that the caller manages. @throws 400; 403 without `admin`. */
export async function listWebhooks(
  ctx: RequestContext,
  place: WebhookPlace,
  input: WebhookListInput,
): Promise<ListPage<Placed<StoredWebhook>>> {
  const authorized = authorizeReach(ctx, 'admin');
  const { status } = input;
  const filters = status == null ? [] : [{ pausedAt: status === 'paused' ? { not: null } : null }];
  return readRowPage(
    authorized,
    {
      query: { list: 'webhooks', ...place, status: status ?? undefined },
      within: { AND: [place, managedWebhooks(authorized)] },
      filters,
      searched: ['name', 'url'],
      findMany: (query) => authorized.db.webhook.findMany({ ...query, ...storedWebhookQuery }),
      count: (where) => authorized.db.webhook.count({ where }),
    },
    input,
  );
}

/** Webhooks by id, in the order of the ids; null for what is out of reach. @throws 403 without `admin`. */
export async function findWebhooks(ctx: RequestContext, ids: readonly string[]): Promise<(StoredWebhook | null)[]> {
  const authorized = authorizeReach(ctx, 'admin');
  const where = { AND: [{ id: { in: [...ids] } }, managedWebhooks(authorized)] };
  const rows = await authorized.db.webhook.findMany({ where, ...storedWebhookQuery });
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

/** The webhooks that a caller manages, as Prisma's condition. */
export function managedWebhooks({ caller }: Authorized): object {
  const { accounts, confinedTo, workspaces } = caller;
  const managed = accounts.filter(({ role }) => role === 'admin').map(({ id }) => id);
  const administered = [...workspaces.values()].filter(({ role }) => role === 'admin').map(({ id }) => id);
  return {
    AND: [
      { accountId: { in: accounts.map(({ id }) => id) } },
      ...(confinedTo === undefined ? [] : [{ workspaceId: confinedTo }]),
      { OR: [{ accountId: { in: managed } }, { workspaceId: { in: administered } }] },
    ],
  };
}

/**
 * The right to make webhooks in a place.
 *
 * @param workspace by name; the whole account without it.
 * @throws 403 without `admin`, for a workspace out of reach, and for who is no admin of the place.
 */
export function authorizeWebhookPlace(ctx: RequestContext, workspace: string | null | undefined): AuthorizedAccount {
  if (workspace != null) {
    const authorized = authorizeWorkspace(ctx, 'admin', workspace);
    if (authorized.workspace.role !== 'admin') throw forbidden('Only an admin of the workspace manages its webhooks.');
    return authorized;
  }
  const authorized = authorizeOwnAccount(ctx, 'admin');
  if (authorized.account.role !== 'admin' || ctx.caller.confinedTo !== undefined) {
    throw forbidden('Only an admin of the account manages webhooks of all of it: name a workspace.');
  }
  return authorized;
}

/**
 * A webhook that the caller manages, with the right to change it.
 *
 * @throws 403 without `admin`; 404, for what is out of reach alike.
 */
export async function authorizeWebhook(
  ctx: RequestContext,
  id: string,
): Promise<{ authorized: AuthorizedAccount; webhook: StoredWebhook }> {
  const [webhook] = isResourceId(id) ? await findWebhooks(ctx, [id]) : [];
  if (webhook == null) throw notFound('webhook', id);
  return { authorized: authorizeWebhookPlace(ctx, webhook.workspace?.name), webhook };
}

/** How many webhooks an account may have, with those of its workspaces. */
export const webhooksMax = 100;

/** @throws 409 `conflict` when the account has as many as it may have. */
export async function requireRoom({ account, db }: AuthorizedAccount): Promise<void> {
  const name = `webhooks of ${account.id}`;
  await db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  const count = await db.webhook.count({ where: { accountId: account.id } });
  if (count >= webhooksMax) throw new ApiError('conflict', `An account has at most ${webhooksMax} webhooks.`);
}
