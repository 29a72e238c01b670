import type { Api } from '../auth/api.js';
import { Prisma } from '../database/client/client.js';
import type { ActorKind, ChangeKind, ChangeVerb } from './change-words.js';

/** A row of the change log by column name, without its account and its sequence number. */
export interface ChangeRow {
  /** RFC 3339. */
  time: string;
  workspace_id: string | undefined;
  kind: ChangeKind;
  resource_id: string | undefined;
  name: string | undefined;
  verb: ChangeVerb;
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
 * SQL that takes the next sequence numbers of an account: the body of a CTE named `head`. The account's row stays
 * locked until the transaction ends, so this belongs in its last statement. Listeners are notified at the commit.
 *
 * @param account SQL that selects the account's id once, from the CTEs that must run before, if any. Several accounts,
 * sorted by id, take the same numbers each.
 * @param count how many; SQL if only the statement itself knows.
 */
export function takeNumbers(account: Prisma.Sql, count: number | Prisma.Sql): Prisma.Sql {
  const taken = typeof count === 'number' ? Prisma.sql`${count}::int` : count;
  return Prisma.sql`
    INSERT INTO "change_head" AS h ("account_id", "last") SELECT a."account_id", ${taken} FROM (${account}) AS a
    ON CONFLICT ("account_id") DO UPDATE SET "last" = h."last" + EXCLUDED."last"
    RETURNING h."account_id", h."last" - ${taken} AS "last",
      CASE WHEN EXISTS (SELECT FROM "change_listener" WHERE "until" > now())
        THEN pg_notify(${changeChannel}, h."account_id"::text)::text END AS "told"`;
}

/**
 * The same for several accounts, with a count for each. Accounts are locked in the order of their ids, so that
 * concurrent transactions cannot deadlock.
 *
 * @param counts by account id.
 * @param where SQL condition that must hold.
 */
export function takeNumbersOfEach(counts: Readonly<Record<string, number>>, where: Prisma.Sql): Prisma.Sql {
  const each = Prisma.sql`json_each_text(${JSON.stringify(counts)}::json)`;
  const accounts = Prisma.sql`SELECT e."key"::uuid AS "account_id" FROM ${each} AS e ${where} ORDER BY 1`;
  return takeNumbers(
    accounts,
    Prisma.sql`(SELECT e."value"::int FROM ${each} AS e WHERE e."key"::uuid = "account_id")`,
  );
}

/**
 * SQL that inserts changes with the numbers that `head` took, in the order of the rows.
 *
 * @param accountId the account of the changes, if `head` took numbers for several accounts.
 */
export function insertChanges(rows: readonly ChangeRow[], accountId?: string): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO "change" ("account_id", "sequence", "fields", ${columnNames})
    SELECT head."account_id", head."last" + c."ordinality", coalesce(c."fields", '{}'), ${columnsOfC}
    FROM "head", json_populate_recordset(NULL::"change", ${JSON.stringify(rows)}::json) WITH ORDINALITY AS c
    ${accountId === undefined ? Prisma.empty : Prisma.sql`WHERE head."account_id" = ${accountId}::uuid`}`;
}

/**
 * SQL that records the change of one row for further rows, with the sequence numbers after its own.
 *
 * @param told the name of the CTE that wrote the first record, and returned it.
 * @param others SQL that selects kind, resource_id, name, version and before of each row, and the created_at that
 * orders them; with `removed`, they are recorded as deleted whatever the verb of the first record.
 */
export function insertAlike(told: string, others: Prisma.Sql, as?: 'removed'): Prisma.Sql {
  const values = columns.map((name) => {
    if (as === 'removed' && name in removed) return removed[name] ?? '';
    return differing.has(name) ? `o."${name}"` : `c."${name}"`;
  });
  return Prisma.sql`
    INSERT INTO "change" ("account_id", "sequence", "fields", ${columnNames})
    SELECT c."account_id", c."sequence" + row_number() OVER (ORDER BY o."created_at", o."resource_id"), '{}',
      ${Prisma.raw(values.join(', '))}
    FROM ${Prisma.raw(`"${told}"`)} AS c, (${others}) AS o`;
}

const removed: Readonly<Record<string, string>> = { verb: "'deleted'", status: "'DELETED'", after: 'NULL::json' };
const differing = new Set(['kind', 'resource_id', 'name', 'version', 'before']);
