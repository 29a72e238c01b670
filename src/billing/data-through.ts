// The time up to which the usage of an account has arrived.
import { authorizeAccount } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { textFromInstant } from '../metering/instant.js';
import { arrayLiteral } from '../metering/sql-arrays.js';
import { usageEventFilter } from '../metering/usage-event-filter.js';
import { eventsStatement } from '../metering/usage-events-statement.js';
import type { EventRow, EventRows } from '../metering/usage-events-statement.js';
import { waitingBatchesSql } from '../metering/usage-rollup.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { readPresent, usageSources } from './read-present.js';
import type { UsageSources } from './read-present.js';
import { visibleWorkspaces } from './visible-workspaces.js';

interface DataThrough {
  waits: boolean;
  /** Whether events of the account have been corrected. If so, the latest event may have been voided. */
  isCorrected: boolean;
  /** Null before the first event. */
  hour: number | null;
  nano: number;
}

/**
 * Returns the time of the latest event that counts and is visible to the caller, to the nanosecond; null if there is none.
 * An event whose month was dropped is known by its hour to callers who do not see all workspaces, and in an account with
 * corrections.
 *
 * @throws 403
 */
export async function getDataThrough(ctx: UsageContext, accountId: string): Promise<string | null> {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  const sources = usageSources(ctx, authorized);
  const workspaces = visibleWorkspaces(authorized);
  const rolledUp =
    workspaces === undefined
      ? await readPresent<DataThrough>(sources, accountId, dataThroughStatement(accountId), ctx.now)
      : undefined;
  const latest =
    rolledUp?.isCorrected === false ? rolledUp : await latestEvent(sources, accountId, workspaces, ctx.now);
  if (latest === undefined || latest.hour === null) return null;
  return textFromInstant({ hour: latest.hour, nano: latest.nano });
}

/** Reads it from the events, or the sums of dropped ones. */
async function latestEvent(
  sources: UsageSources,
  accountId: string,
  workspaces: string[] | undefined,
  now: () => Date,
): Promise<Pick<EventRow, 'hour' | 'nano'> | undefined> {
  const statement = eventsStatement(
    { accountId, filter: usageEventFilter({}), workspaces, asOf: undefined, withoutVoided: true },
    { direction: 'forward', limit: 1, from: undefined },
  );
  const [row] = (await readPresent<EventRows>(sources, accountId, statement, now)).rows;
  if (row !== undefined) return row;
  const isVisible =
    workspaces === undefined
      ? Prisma.sql`TRUE`
      : Prisma.sql`"workspace" = ANY(${arrayLiteral(workspaces)}::text::text[])`;
  const hour = await sources.reads.$text(Prisma.sql`
    SELECT coalesce(max("bucket")::text, '') FROM "usage_cell"
    WHERE "account_id" = ${accountId}::uuid AND "level" = 1 AND ${isVisible} AND "events" > 0`);
  return hour === '' ? undefined : { hour: Number(hour), nano: 0 };
}

function dataThroughStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object('hour', max("data_through_hour"), 'nano', max("data_through_nano"), 'waits', ${waitingBatchesSql(accountId)},
      'isCorrected', EXISTS (SELECT FROM "usage_correction_head" WHERE "account_id" = ${accountId}::uuid))::text
    FROM "usage_account" WHERE "account_id" = ${accountId}::uuid`;
}
