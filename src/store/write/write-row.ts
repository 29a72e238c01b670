// The statements that write a resource: its row and the record of the change at once, so that neither is without the
// other, and the account's history is held for one statement only.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { insertAlike, insertChanges, takeNumbers } from '../../changes/change-rows.js';
import { changeRows } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { Status } from '../../schema/resource.js';
import { kindOfRows } from '../../resource-kinds.js';
import type { ResourceTable } from '../../resource-kinds.js';

/** What has to be there for a change, and must not go before the change is made; or what must not be there. */
export interface Needs {
  /** SQL that selects its names, each once, and locks the rows. */
  names: Prisma.Sql;
  /** How many names there have to be, no more and no fewer. */
  count: number;
}

/** What goes with a row that is removed. */
export interface Dependents {
  table: ResourceTable;
  /** SQL of which rows: a condition on `r`. */
  which: Prisma.Sql;
  /** SQL of the name of a row `r`. */
  name: Prisma.Sql;
  /** SQL of what the history keeps of a row `r`, as JSON. */
  record: Prisma.Sql;
}

/** What executors get to do of what is written. */
export interface Assigning {
  /** Bodies of CTEs behind "written". */
  statements: Prisma.Sql[];
  /** What stands in the change for the status that the row gets. */
  placeholder?: string | undefined;
}

/** How a change under an Idempotency-Key is made once. */
export interface Keeping {
  /** SQL that takes the key, where that was not done before; nothing is written unless it answers ''. */
  claim?: Prisma.Sql | undefined;
  /** SQL that keeps the answer: the body of a CTE behind "written". */
  statement: Prisma.Sql;
}

/** What goes along with a row that is written. */
export interface Along {
  needs?: Needs | undefined;
  /** What goes with it, and has the same told of it. */
  dependents?: Dependents | undefined;
  /** What executors get to do of it. */
  assigning?: Assigning | undefined;
  keeping?: Keeping | undefined;
}

/** What came of it. */
export interface Written {
  /** What taking the key answered; '' where there was none to take. */
  claim: string;
  /** False when it lacks what it needs, or its key was not free. */
  isWritten: boolean;
  /** Its status, where only the database knew it. */
  status?: Status | null;
}

/** A row under the names of its columns. */
export type ColumnValues = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * SQL that inserts a row, unless something is missing that it needs, or its workspace is gone. It holds the workspace
 * before anything else, as whoever removes a workspace does, so that neither waits for what the other holds.
 *
 * @param status SQL of the status where only the database knows it, from a row `r` of the values.
 */
export function insertion(table: string, values: ColumnValues, status?: Prisma.Sql): Prisma.Sql {
  const name = Prisma.raw(`"${table}"`);
  const columns = Object.keys(values).filter((column) => column !== 'status' || status === undefined);
  const names = Prisma.raw(columns.map((column) => `"${column}"`).join(', '));
  const sources = Prisma.raw(columns.map((column) => `r."${column}"`).join(', '));
  const [statusName, statusSource] =
    status === undefined ? [Prisma.empty, Prisma.empty] : [Prisma.sql`, "status"`, Prisma.sql`, (${status})::"status"`];
  return Prisma.sql`
    INSERT INTO ${name} (${names}${statusName}) SELECT ${sources}${statusSource}
    FROM json_populate_record(NULL::${name}, ${JSON.stringify(values)}::json) AS r
    WHERE EXISTS (SELECT FROM "place") AND ${isMet} RETURNING *`;
}

/** SQL that replaces columns of a row, unless something is missing that it needs. */
export function update(table: string, values: ColumnValues): Prisma.Sql {
  const name = Prisma.raw(`"${table}"`);
  const columns = Object.keys(values).filter((column) => column !== 'id');
  const assignments = Prisma.raw(columns.map((column) => `"${column}" = n."${column}"`).join(', '));
  return Prisma.sql`
    UPDATE ${name} AS r SET ${assignments}
    FROM json_populate_record(NULL::${name}, ${JSON.stringify(values)}::json) AS n
    WHERE r."id" = n."id" AND ${isMet} RETURNING r.*`;
}

/** SQL that removes a row. */
export function deletion(table: string, id: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM ${Prisma.raw(`"${table}"`)} AS r WHERE r."id" = ${id}::uuid AND ${isMet} RETURNING r.*`;
}

const isMet = Prisma.sql`(SELECT count(*) FROM "needed") = (SELECT "count" FROM "need")`;
const nothing: Needs = { names: Prisma.sql`SELECT ''::text AS "name" WHERE false`, count: 0 };

/** Writes one row, and the change. */
export async function writeRow(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  { needs = nothing, dependents, assigning: { statements, placeholder } = { statements: [] }, keeping }: Along = {},
): Promise<Written> {
  const account = Prisma.sql`SELECT ${within.account.id}::uuid AS "account_id" FROM "written"`;
  const numbers = dependents === undefined ? 1 : Prisma.sql`(SELECT 1 + count(*) FROM "gone")`;
  const filling =
    placeholder === undefined ? undefined : { placeholder, value: Prisma.sql`(SELECT "status"::text FROM "written")` };
  const status = placeholder === undefined ? Prisma.empty : Prisma.sql`, 'status', (SELECT "status" FROM "written")`;
  const assigned = statements.map(
    (statement, index) => Prisma.sql`${Prisma.raw(`"assigned${index}"`)} AS (${statement}),`,
  );
  const rows = changeRows(within, [change]);
  const alike = change.verb === 'deleted' ? undefined : 'removed';
  const claim = keeping?.claim;
  const text = await within.db.$text(Prisma.sql`
    WITH ${claim === undefined ? Prisma.empty : Prisma.sql`"claim" AS MATERIALIZED (SELECT ${claim} AS "found"),`}
    "place" AS MATERIALIZED (
      SELECT w."id" FROM "workspace" AS w WHERE w."id" = ${within.workspace.id}::uuid FOR KEY SHARE),
    "need" AS (SELECT ${needs.count}::int AS "count"
      ${claim === undefined ? Prisma.empty : Prisma.sql`FROM "claim" WHERE "found" = ''`}),
    "needed" AS MATERIALIZED (${needs.names}),
    ${dependents === undefined ? Prisma.empty : removal(dependents)}
    "written" AS (${writing}),
    ${assigned.length === 0 ? Prisma.empty : Prisma.join(assigned, ' ')}
    ${keeping === undefined ? Prisma.empty : Prisma.sql`"kept" AS (${keeping.statement}),`}
    "head" AS (${takeNumbers(account, numbers)}),
    "recorded" AS (${insertChanges(rows, filling)}
    ${dependents === undefined ? Prisma.sql`)` : Prisma.sql`RETURNING *), "told" AS (${telling(dependents, alike)})`}
    SELECT json_build_object('claim', ${claim === undefined ? Prisma.sql`''` : Prisma.sql`(SELECT "found" FROM "claim")`},
      'isWritten', EXISTS (SELECT FROM "written")${status})::text`);
  return JSON.parse(text);
}

/** Not left to the foreign key: what somebody else removes at the same time is theirs to tell. */
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
