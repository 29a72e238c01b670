// The time up to which the usage of an account has arrived.
import { authorizeAccount } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { textFromInstant } from '../metering/instant.js';
import { waitingBatchesSql } from '../metering/usage-rollup.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { readPresent, usageSources } from './read-present.js';

interface DataThrough {
  waits: boolean;
  /** Null before the first event. */
  hour: number | null;
  nano: number;
}

/** Returns the time of the latest event, to the nanosecond; null before the first. @throws 403 */
export async function getDataThrough(ctx: UsageContext, accountId: string): Promise<string | null> {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  const through: DataThrough = await readPresent(
    usageSources(ctx, authorized),
    accountId,
    dataThroughStatement(accountId),
    ctx.now,
  );
  return through.hour === null ? null : textFromInstant({ hour: through.hour, nano: through.nano });
}

function dataThroughStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object('hour', max("data_through_hour"), 'nano', max("data_through_nano"), 'waits', ${waitingBatchesSql(accountId)})::text
    FROM "usage_account" WHERE "account_id" = ${accountId}::uuid`;
}
