// The executors of the platform and their health, for admins of accounts.
import { authorizeOwnAccount, authorizePlatform, requireAccountAdmin } from '../../auth/authorize.js';
import type { AuthorizedAccount } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import type { Executor } from '../../database/client/client.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { silentAfterSeconds } from '../../lifecycle/silent-executor.js';
import { everyRegion } from '../../lifecycle/work-kinds.js';
import { readPageById } from '../../store/read/read-page.js';
import type { Placed } from '../../store/read/read-page.js';
import { defineList } from '../../store/read/resource-kind.js';

/** How an executor is doing. */
export const executorHealths = {
  healthy: 'Seen within the last two minutes.',
  silent: 'Not seen for more than two minutes.',
  expired: 'Its key has expired, so it can no longer reconcile resources.',
} as const;

export type ExecutorHealth = keyof typeof executorHealths;

export type SeenExecutor = Omit<Executor, 'hash'>;

export function executorHealth(
  { lastSeenAt, expiresAt }: Pick<SeenExecutor, 'lastSeenAt' | 'expiresAt'>,
  now: Date,
): ExecutorHealth {
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() < silentAfterSeconds * 1_000
    ? 'healthy'
    : 'silent';
}

const executorList = defineList({
  label: 'executor',
  table: 'executor',
  source: Prisma.sql`(
    SELECT e."id", e."name" COLLATE "C" AS "name", e."created_at", e."regions", e."revoked_at", lower(e."name" COLLATE "default") AS "search"
    FROM "executor" AS e)`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the executors in regions that the account can use and that are not revoked, or of all executors.
 *
 * @throws 400; 403 unless the caller is an account admin, and for all executors an admin of the platform.
 */
export async function listExecutors(
  ctx: RequestContext,
  { isOfAll, ...input }: ListInput & { isOfAll: boolean },
): Promise<ListPage<Placed<SeenExecutor>>> {
  const authorized = isOfAll ? authorizePlatform(ctx) : authorizeOwnAccount(ctx, 'admin');
  const { db } = authorized;
  const accessible = isOfAll ? undefined : await servingSql(authorizeOwnAccount(ctx, 'admin'));
  const of = isOfAll ? 'all' : ctx.caller.accounts[0]?.id;
  const lists = { parents: [{ id: ctx.caller.principal.id }], query: { of }, ...(accessible && { accessible }) };
  return readPageById(authorized, executorList, lists, input, async (ids) => {
    const prisma = await db.$prisma();
    const rows = await prisma.executor.findMany({ where: { id: { in: ids } }, omit: { hash: true } });
    return ids.map((id) => rows.find((row) => row.id === id) ?? null);
  });
}

/** SQL of the executors `r` that serve an account. @throws 403 unless the caller is an admin of the account. */
async function servingSql(authorized: AuthorizedAccount): Promise<Prisma.Sql> {
  const { account, db } = requireAccountAdmin(authorized, 'can list executors');
  const prisma = await db.$prisma();
  const regions = await prisma.region.findMany({
    where: { OR: [{ isRestricted: false }, { accounts: { some: { accountId: account.id } } }] },
    select: { name: true },
  });
  const served = [everyRegion, ...regions.map(({ name }) => name)];
  return Prisma.sql`r."revoked_at" IS NULL AND r."regions" && ${served}::text[]`;
}
