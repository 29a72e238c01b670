// The silence of executors. Each request of an executor is a heartbeat; the clock of the database decides.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { noteSeen } from './claim.js';
import type { WorkContext } from './work-subscribers.js';

/** An executor that sends no request for this long is silent. */
const silentAfterSeconds = 120;

/** SQL for whether an executor `x` sends requests; NULL if there is none. */
export const aliveCondition = Prisma.sql`(
  x."revoked_at" IS NULL AND x."last_seen_at" >= now() - ${Prisma.raw(String(silentAfterSeconds))} * interval '1 second')`;

/** Records a request of an executor, at most every ten seconds in each process. */
export async function recordHeartbeat(
  { workSubscribers }: Pick<WorkContext, 'workSubscribers'>,
  authorized: AuthorizedExecutor,
): Promise<void> {
  if (workSubscribers.isSeenAnew(authorized.executor.id)) await noteSeen(authorized, 0);
}
