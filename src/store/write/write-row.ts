// The statements that write a resource. One statement writes the row and its change record, so that neither exists
// without the other, and the account's change log is locked for one statement only.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { insertAlike, insertChanges, takeNumbers } from '../../changes/change-rows.js';
import { changeRows } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { ApiError } from '../../errors.js';
import { kindOfRows } from '../../resource-kinds.js';
import type { ResourceTable } from '../../resource-kinds.js';

/**
 * Rows that must exist (or, with a count of 0, must not exist) for a change. They are locked until the change commits.
 */
export interface Precondition {
  /** SQL that selects the rows' names, each once, and locks the rows. */
  names: Prisma.Sql;
  /** The exact number of names that must be found. */
  count: number;
  /** The error when it fails, given the names that were found. */
  refuse: (found: ReadonlySet<string>) => ApiError | Promise<ApiError>;
}

/** Rows that are deleted together with a row. */
export interface Dependents {
  table: ResourceTable;
  /** SQL condition that selects the dependent rows `r`. */
  which: Prisma.Sql;
  /** SQL of the name of a row `r`. */
  name: Prisma.Sql;
  /** SQL of the change record of a row `r`, as JSON. */
  record: Prisma.Sql;
}

/** The SQL that assigns work to executors. */
export interface Assigning {
  /** Bodies of CTEs that follow "written". */
  statements: Prisma.Sql[];
}

/** What one statement writes in addition to the row. */
export interface Along {
  precondition?: Precondition | undefined;
  /** Dependents, deleted with the row and recorded in the same way. */
  dependents?: Dependents | undefined;
  /** The work that the change assigns to executors. */
  assigning?: Assigning | undefined;
}

/** A row by column name. */
export type ColumnValues = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * SQL that inserts a row, unless a precondition fails or its workspace was deleted. It locks the workspace before
 * anything else, as the deletion of a workspace does, so that the two cannot deadlock.
 */
export function insertion(table: string, values: ColumnValues): Prisma.Sql {
  const name = Prisma.raw(`"${table}"`);
  const columns = Object.keys(values);
  const names = Prisma.raw(columns.map((column) => `"${column}"`).join(', '));
  const sources = Prisma.raw(columns.map((column) => `r."${column}"`).join(', '));
  return Prisma.sql`
    INSERT INTO ${name} (${names}) SELECT ${sources}
    FROM json_populate_record(NULL::${name}, ${JSON.stringify(values)}::json) AS r
    WHERE EXISTS (SELECT FROM "place") AND ${isMet} RETURNING *`;
}

/** SQL that updates columns of a row, unless a precondition fails. */
export function update(table: string, values: ColumnValues): Prisma.Sql {
  const name = Prisma.raw(`"${table}"`);
  const columns = Object.keys(values).filter((column) => column !== 'id');
  const assignments = Prisma.raw(columns.map((column) => `"${column}" = n."${column}"`).join(', '));
  return Prisma.sql`
    UPDATE ${name} AS r SET ${assignments}
    FROM json_populate_record(NULL::${name}, ${JSON.stringify(values)}::json) AS n
    WHERE r."id" = n."id" AND ${isMet} RETURNING r.*`;
}

/** SQL that deletes a row. */
export function deletion(table: string, id: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM ${Prisma.raw(`"${table}"`)} AS r WHERE r."id" = ${id}::uuid AND ${isMet} RETURNING r.*`;
}

const isMet = Prisma.sql`(SELECT count(*) FROM "needed") = (SELECT "count" FROM "need")`;
const noPrecondition: Pick<Precondition, 'names' | 'count'> = {
  names: Prisma.sql`SELECT ''::text AS "name" WHERE false`,
  count: 0,
};

/** Writes one row and its change record. @returns false when a precondition fails. */
export async function writeRow(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  { precondition, dependents, assigning: { statements } = { statements: [] } }: Along = {},
): Promise<boolean> {
  const { names, count: expected } = precondition ?? noPrecondition;
  const account = Prisma.sql`SELECT ${within.account.id}::uuid AS "account_id" FROM "written"`;
  const numbers = dependents === undefined ? 1 : Prisma.sql`(SELECT 1 + count(*) FROM "gone")`;
  const assigned = statements.map(
    (statement, index) => Prisma.sql`${Prisma.raw(`"assigned${index}"`)} AS (${statement}),`,
  );
  const rows = changeRows(within, [change]);
  const alike = change.verb === 'deleted' ? undefined : 'removed';
  const count = await within.db.$text(Prisma.sql`
    WITH "place" AS MATERIALIZED (
      SELECT w."id" FROM "workspace" AS w WHERE w."id" = ${within.workspace.id}::uuid FOR KEY SHARE),
    "need" AS (SELECT ${expected}::int AS "count"),
    "needed" AS MATERIALIZED (${names}),
    ${dependents === undefined ? Prisma.empty : removal(dependents)}
    "written" AS (${writing}),
    ${assigned.length === 0 ? Prisma.empty : Prisma.join(assigned, ' ')}
    "head" AS (${takeNumbers(account, numbers)}),
    "recorded" AS (${insertChanges(rows)}
    ${dependents === undefined ? Prisma.sql`)` : Prisma.sql`RETURNING *), "told" AS (${telling(dependents, alike)})`}
    SELECT count(*)::text FROM "written"`);
  return count !== '0';
}

/**
 * Deletes dependents explicitly. A cascading foreign key would also delete rows that another transaction deletes and
 * records.
 */
function removal({ table, which }: Dependents): Prisma.Sql {
  return Prisma.sql`"gone" AS (DELETE FROM ${Prisma.raw(`"${table}"`)} AS r WHERE ${which} RETURNING r.*),`;
}

function telling({ table, name, record }: Dependents, as?: 'removed'): Prisma.Sql {
  const others = Prisma.sql`
    SELECT ${kindOfRows(table)}::text AS "kind", r."id" AS "resource_id", ${name} AS "name", r."version",
      ${record} AS "before", r."created_at"
    FROM "gone" AS r`;
  return insertAlike('recorded', others, as);
}

/** SQL of a time of a row `r` in the format of the API (RFC 3339, milliseconds). */
export function timeText(column: string): Prisma.Sql {
  return Prisma.raw(`to_char(r."${column}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

/** SQL of a JSON object of these values, without nulls. */
export function objectOf(values: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql {
  const pairs = Object.entries(values).map(([name, value]) => Prisma.sql`${name}::text, ${value}`);
  return Prisma.sql`json_strip_nulls(json_build_object(${Prisma.join(pairs)}))`;
}
