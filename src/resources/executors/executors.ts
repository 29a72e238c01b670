// The executors of the platform and their health, for admins of accounts.
import { authorizeOwnAccount } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { forbidden } from '../../errors.js';
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

export interface SeenExecutor {
  id: string;
  name: string;
  createdAt: Date;
  lastSeenAt: Date | null;
  expiresAt: Date | null;
  addressRanges: readonly string[];
}

export function executorHealth({ lastSeenAt, expiresAt }: SeenExecutor, now: Date): ExecutorHealth {
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() < silentAfterSeconds * 1_000
    ? 'healthy'
    : 'silent';
}

const executorList = defineList({
  label: 'executor',
  table: 'executor',
  source: Prisma.sql`(
    SELECT e."id", e."name" COLLATE "C" AS "name", e."created_at", e."regions", lower(e."name" COLLATE "default") AS "search"
    FROM "executor" AS e WHERE e."revoked_at" IS NULL)`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the executors in regions that the account can use. @throws 400; 403 unless the caller is an account
 * admin.
 */
export async function listExecutors(ctx: RequestContext, input: ListInput): Promise<ListPage<Placed<SeenExecutor>>> {
  const authorized = authorizeOwnAccount(ctx, 'admin');
  const { account, db } = authorized;
  if (account.role !== 'admin' || ctx.caller.confinedTo !== undefined) {
    throw forbidden('Only an admin of the account can list executors.');
  }
  const regions = await (
    await db.$prisma()
  ).region.findMany({
    where: { OR: [{ isRestricted: false }, { accounts: { some: { accountId: account.id } } }] },
    select: { name: true },
  });
  const served = [everyRegion, ...regions.map(({ name }) => name)];
  const accessible = Prisma.sql`r."regions" && ${served}::text[]`;
  const lists = { parents: [{ id: account.id }], query: { account: account.id }, accessible };
  return readPageById(authorized, executorList, lists, input, async (ids) => {
    const select = {
      id: true,
      name: true,
      createdAt: true,
      lastSeenAt: true,
      expiresAt: true,
      addressRanges: true,
    } as const;
    const rows = await (await db.$prisma()).executor.findMany({ where: { id: { in: ids } }, select });
    return ids.map((id) => rows.find((row) => row.id === id) ?? null);
  });
}
