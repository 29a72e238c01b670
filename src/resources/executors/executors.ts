// The executors of the platform, as far as admins of accounts see them: which there are for them, and whether they live.
import { authorizeOwnAccount } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { forbidden } from '../../errors.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { everyRegion } from '../../lifecycle/work-kinds.js';
import { readRowPage } from '../../store/read/row-list.js';
import type { Placed } from '../../store/read/row-list.js';

/** How an executor is doing. */
export const executorHealths = {
  healthy: 'It was seen within the last two minutes.',
  silent: 'It has not been seen for longer than that.',
} as const;

export type ExecutorHealth = keyof typeof executorHealths;

export interface SeenExecutor {
  id: string;
  name: string;
  createdAt: Date;
  lastSeenAt: Date | null;
}

const silentAfterMs = 120_000;

export function executorHealth({ lastSeenAt }: SeenExecutor, now: Date): ExecutorHealth {
  return lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() < silentAfterMs ? 'healthy' : 'silent';
}

/** One page of the executors that serve an account: those of regions that it may use. @throws 400; 403 but for its admins. */
export async function listExecutors(ctx: RequestContext, input: ListInput): Promise<ListPage<Placed<SeenExecutor>>> {
  const authorized = authorizeOwnAccount(ctx, 'admin');
  const { account, db } = authorized;
  if (account.role !== 'admin' || ctx.caller.confinedTo !== undefined) {
    throw forbidden('Executors are shown to admins of the account.');
  }
  const regions = await db.region.findMany({
    where: { OR: [{ isRestricted: false }, { accounts: { some: { accountId: account.id } } }] },
    select: { name: true },
  });
  const served = [everyRegion, ...regions.map(({ name }) => name)];
  const select = { id: true, name: true, createdAt: true, lastSeenAt: true } as const;
  return readRowPage(
    authorized,
    {
      query: { list: 'executors', account: account.id },
      within: { revokedAt: null, regions: { hasSome: served } },
      filters: [],
      searched: ['name'],
      findMany: (query) => db.executor.findMany({ ...query, select }),
      count: (where) => db.executor.count({ where }),
    },
    input,
  );
}
