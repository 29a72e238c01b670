// The executors of the platform and their health, for admins of accounts.
import DataLoader from 'dataloader';
import { authorizeOwnAccount, authorizePlatform, authorizeScope, requireAccountAdmin } from '../../auth/authorize.js';
import type { AuthorizedAccount } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import type { Executor } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import { foldedSql } from '../../database/search-pattern.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { aliveCondition } from '../../lifecycle/silent-executor.js';
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

/** The health of an executor that the caller may see. */
export async function executorHealth(
  ctx: RequestContext,
  { id, expiresAt }: Pick<SeenExecutor, 'id' | 'expiresAt'>,
): Promise<ExecutorHealth> {
  if (expiresAt !== null && expiresAt <= ctx.now()) return 'expired';
  return (await alive(ctx).load(id)) ? 'healthy' : 'silent';
}

/** Whether executors send requests, by id. */
const alive = perRequest((ctx: RequestContext) => new DataLoader<string, boolean>((ids) => readAlive(ctx, ids)));

async function readAlive(ctx: RequestContext, ids: readonly string[]): Promise<boolean[]> {
  const found = await readJson<string[]>(
    authorizeScope(ctx).db,
    Prisma.sql`
      SELECT coalesce(json_agg(x."id"), '[]')::text FROM "executor" AS x
      WHERE x."id" = ANY(${[...ids]}::uuid[]) AND ${aliveCondition}`,
  );
  return ids.map((id) => found.includes(id));
}

const executorList = defineList({
  label: 'executor',
  table: 'executor',
  source: Prisma.sql`(
    SELECT e."id", e."name" COLLATE "C" AS "name", e."created_at", e."regions", e."revoked_at", ${foldedSql(Prisma.sql`e."name"`)} AS "search"
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
    return prisma.executor.findMany({ where: { id: { in: ids } }, omit: { hash: true } });
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
