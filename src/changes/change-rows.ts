import type { Api } from '../auth/api.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';
import { sumOfGrowth } from '../quotas/growth.js';
import type { Growth } from '../quotas/growth.js';
import { quotaRefusalFrom, quotaRefusalSql, quotaUseCtes } from '../quotas/use-quotas.js';
import type { ActorKind, ChangeKind, ChangeAction } from './change-subjects.js';

/** A row of the change log by column name, without its account and its sequence number. */
export interface ChangeRow {
  /** RFC 3339. */
  time: string;
  workspace_id: string | undefined;
  kind: ChangeKind;
  resource_id: string | undefined;
  name: string | undefined;
  verb: ChangeAction;
  version?: number | undefined;
  actor_kind: ActorKind;
  actor_id?: string | undefined;
  actor_name?: string | undefined;
  client?: string | undefined;
  request_id?: string | undefined;
  address?: string | undefined;
  api?: Api | undefined;
  fields?: string[] | undefined;
  before?: object | undefined;
  after?: object | undefined;
  type?: string | undefined;
  status?: string | undefined;
  message?: string | undefined;
  revision?: string | undefined;
  canary_revision?: string | undefined;
  count?: number | undefined;
}

const columns = `
  time workspace_id kind resource_id name verb version actor_kind actor_id actor_name client request_id address api
  before after type status message revision canary_revision count`
  .trim()
  .split(/\s+/);

const columnNames = Prisma.raw(columns.map((name) => `"${name}"`).join(', '));
const columnsOfC = Prisma.raw(columns.map((name) => `c."${name}"`).join(', '));

/** The channel on which PostgreSQL notifies of committed changes; the payload is the account's id. */
export const changeChannel = 'control_plane_change';

/**
 * Appends changes to an account's change log, with the next sequence numbers. The account's row of `change_head` stays
 * locked until the transaction ends, so this must be the last statement of a transaction, and is sent with COMMIT. A
 * transaction that appends to several accounts does so in the order of their ids, so that two cannot deadlock. Listeners
 * are notified at the commit.
 *
 * @param accountId the id, or SQL of it.
 * @param growths what the changes add to the use of the account's quotas.
 * @throws 409 `quota_exceeded`, `budget_exceeded`: the transaction must then be rolled back.
 */
export async function appendChanges(
  db: Pick<Statements, '$defer'>,
  accountId: string | Prisma.Sql,
  rows: readonly ChangeRow[],
  growths: readonly Growth[] = [],
): Promise<void> {
  const sums = sumOfGrowth(growths);
  if (rows.length === 0 && sums.length > 0) await appendSome(db, accountId, [], sums);
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await appendSome(db, accountId, rows.slice(from, from + rowsAtOnce), from === 0 ? sums : []);
  }
}

/** How many rows one statement appends. */
const rowsAtOnce = 10_000;

async function appendSome(
  db: Pick<Statements, '$defer'>,
  accountId: string | Prisma.Sql,
  rows: readonly ChangeRow[],
  growths: readonly Growth[],
): Promise<void> {
  const head = Prisma.sql`
    "head" AS (
      INSERT INTO "change_head" AS h ("account_id", "last") SELECT ${accountId}::uuid, ${rows.length}::int
      ON CONFLICT ("account_id") DO UPDATE SET "last" = h."last" + EXCLUDED."last"
      RETURNING h."account_id", h."last" - ${rows.length}::int AS "last",
        CASE WHEN EXISTS (SELECT FROM "change_listener" WHERE "until" > now())
          THEN pg_notify(${changeChannel}, h."account_id"::text)::text END AS "notified")`;
  const insertion = Prisma.sql`
    INSERT INTO "change" ("account_id", "sequence", "fields", ${columnNames})
    SELECT head."account_id", head."last" + c."ordinality", coalesce(c."fields", '{}'), ${columnsOfC}
    FROM "head", json_populate_recordset(NULL::"change", ${JSON.stringify(rows)}::json) WITH ORDINALITY AS c`;
  if (growths.length === 0) {
    await db.$defer(Prisma.sql`WITH ${head} ${insertion}`);
    return;
  }
  await db.$defer(
    Prisma.sql`WITH ${head}, "appended" AS (${insertion}), ${quotaUseCtes(growths)} ${quotaRefusalSql(growths)}`,
    quotaRefusalFrom,
  );
}
