// Where the metrics of an account stand in time.
import { Prisma } from '../database/client/client.js';
import { isWaiting } from '../metering/usage-fold.js';

/** Where an answer stands in time: the fold, and whether there are batches that no fold has taken yet. */
export interface Moment {
  fold: string;
  waits: boolean;
  /** Of earlier hours only sums are kept. */
  closedBefore: number;
}

/** Where an account's metrics stand in time. */
export function momentStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`SELECT json_build_object(${moment({ accountId })})::text`;
}

/** The hour that all earlier ones are closed before: of those only sums are kept. */
export function closedStatement({ accountId }: Whose): Prisma.Sql {
  return Prisma.sql`SELECT (${closedBefore(accountId)})::text`;
}

interface Whose {
  accountId: string;
}

/** The same as fields of a JSON object, for a statement that answers more. */
export function moment({ accountId }: Whose): Prisma.Sql {
  return Prisma.sql`
    'closedBefore', ${closedBefore(accountId)},
    'fold', coalesce((SELECT "fold_id"::text FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), '0'),
    'waits', ${isWaiting(accountId)}`;
}

function closedBefore(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), 0)`;
}
