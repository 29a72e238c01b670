// Up to when the usage of an account has arrived.
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { getReachableAccount } from '../accounts/reachable.js';
import { textFromInstant } from './instant.js';
import { isWaiting, withWaiting } from './usage-fold.js';

/** The time of the latest event that has arrived, to the nanosecond; null before the first. @throws 403 */
export async function getDataThrough(ctx: RequestContext, accountId: string): Promise<string | null> {
  getReachableAccount(ctx, accountId);
  const read = async (): Promise<{ waits: boolean; hour: number | null; nano: number }> =>
    JSON.parse(await ctx.db.$text(dataThroughStatement(accountId)));
  const { hour, nano } = await withWaiting(ctx, accountId, read);
  return hour === null ? null : textFromInstant({ hour, nano });
}

function dataThroughStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object('hour', max("data_through_hour"), 'nano', max("data_through_nano"), 'waits', ${isWaiting(accountId)})::text
    FROM "usage_account" WHERE "account_id" = ${accountId}::uuid`;
}
