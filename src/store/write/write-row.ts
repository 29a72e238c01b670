// The statements that write a resource: its row and the record of the change at once, so that neither is without the
// other, and the account's history is held for one statement only.
import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import { insertAlike, insertChanges, takeNumbers } from '../../changes/change-rows.js';
import { changeRows } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { ApiError } from '../../errors.js';
import { kindOfRows } from '../../resource-kinds.js';
import type { ResourceTable } from '../../resource-kinds.js';

/** What has to be there for a change, and must not go before the change is made; or what must not be there. */
export interface PreconditionRows {
  /** SQL that selects its names, each once, and locks the rows. */
  names: Prisma.Sql;
  /** How many names there have to be, no more and no fewer. */
  count: number;
}

/** What a row needs to be written, and what to say when that is not so. */
export interface Precondition extends PreconditionRows {
  /** Why it cannot be written, from the names that were found. */
  refuse: (found: ReadonlySet<string>) => ApiError | Promise<ApiError>;
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
}

/** What goes along with a row that is written. */
export interface Along {
  needs?: PreconditionRows | undefined;
  /** What goes with it, and has the same told of it. */
  dependents?: Dependents | undefined;
  /** What executors get to do of it. */
  assigning?: Assigning | undefined;
}

/** A row under the names of its columns. */
export type ColumnValues = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * SQL that inserts a row, unless something is missing that it needs, or its workspace is gone. It holds the workspace
 * before anything else, as whoever removes a workspace does, so that neither waits for what the other holds.
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
const nothing: PreconditionRows = { names: Prisma.sql`SELECT ''::text AS "name" WHERE false`, count: 0 };

/** Writes one row, and the change. @returns false when it lacks what it needs. */
export async function writeRow(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  { needs = nothing, dependents, assigning: { statements } = { statements: [] } }: Along = {},
): Promise<boolean> {
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
    "need" AS (SELECT ${needs.count}::int AS "count"),
    "needed" AS MATERIALIZED (${needs.names}),
    ${dependents === undefined ? Prisma.empty : removal(dependents)}
    "written" AS (${writing}),
    ${assigned.length === 0 ? Prisma.empty : Prisma.join(assigned, ' ')}
    "head" AS (${takeNumbers(account, numbers)}),
    "recorded" AS (${insertChanges(rows)}
    ${dependents === undefined ? Prisma.sql`)` : Prisma.sql`RETURNING *), "told" AS (${telling(dependents, alike)})`}
    SELECT count(*)::text FROM "written"`);
  return count !== '0';
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

/** What there is of what is needed. */
export async function namesFound({ db }: Authorized, { names }: PreconditionRows): Promise<ReadonlySet<string>> {
  const text = await db.$text(Prisma.sql`SELECT coalesce(json_agg(n."name"), '[]')::text FROM (${names}) AS n`);
  const found: string[] = JSON.parse(text);
  return new Set(found);
}

/** A time of a row `r` as this API writes it. */
export function timeText(column: string): Prisma.Sql {
  return Prisma.raw(`to_char(r."${column}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

/** An object of these values, without those that are null. */
export function objectOf(values: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql {
  const pairs = Object.entries(values).map(([name, value]) => Prisma.sql`${name}::text, ${value}`);
  return Prisma.sql`json_strip_nulls(json_build_object(${Prisma.join(pairs)}))`;
}
