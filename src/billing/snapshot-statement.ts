// SQL for the snapshot of an account's metrics.
import { Prisma } from '../database/client/client.js';
import { waitingBatchesSql } from '../metering/usage-rollup.js';

/** A snapshot: its rollup, and whether batches are waiting to be rolled up. */
export interface UsageSnapshot {
  rollup: string;
  waits: boolean;
  /** Before this hour only sums are kept. */
  closedBefore: number;
}

/** SQL for the present snapshot of an account. */
export function snapshotStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`SELECT json_build_object(${snapshotSql({ accountId })})::text`;
}

/** SQL for the hour before which months are closed. Before it only sums are kept. */
export function closedStatement({ accountId }: Whose): Prisma.Sql {
  return Prisma.sql`SELECT (${closedBefore(accountId)})::text`;
}

interface Whose {
  accountId: string;
}

/** SQL for the snapshot as fields of a JSON object, to embed in another statement. */
export function snapshotSql({ accountId }: Whose): Prisma.Sql {
  return Prisma.sql`
    'closedBefore', ${closedBefore(accountId)},
    'rollup', coalesce((SELECT "rollup_id"::text FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), '0'),
    'waits', ${waitingBatchesSql(accountId)}`;
}

function closedBefore(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), 0)`;
}
