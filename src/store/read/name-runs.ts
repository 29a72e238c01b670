// The page of a search in the order of names that matches many, but none of the first: run by run of names that stand
// together. Which pieces of text occur in a run is kept beside the list (the migrations' name_run), so that runs without
// the term are passed over. What was written since is looked at by itself.
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import { piecesOf } from '../../database/search-pattern.js';
import type { KindDefinition } from './kind-definition.js';
import { allOf, direction, isDescending, matching, orderBy, rowColumns, within } from './page-statement.js';
import type { ListParent, ListQuery, PageSql } from './page-statement.js';
import type { ResourceTable } from '../../resource-kinds.js';

/** The tables whose rows the migrations keep runs of. */
export const namedTables = ['agent', 'sandbox', 'job', 'volume', 'vpc'] as const satisfies ResourceTable[];

/** How many characters a piece has. */
export const pieceLength = 3;

/** So many pieces of a term are looked for: more of them rule out hardly more. */
const piecesMax = 20;

/** So many rows are looked at by themselves at most. */
const unseenMax = 1_000;

/** So many runs are few. */
const runsMax = 50;

/** Whether few rows are in the runs that may hold a term, or more than a walk is long. */
export type RunsFound = 'few' | 'many';

interface RunsWeighed {
  isKept: boolean;
  unseen: number;
  /** The first runs that may hold the term, and how many rows are in them. */
  runs: number;
  rows: number;
}

/** The number of the bit that says whether a run holds a piece. */
export function pieceBit(piece: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(hashtext(${piece}) & 8191)`;
}

/** Which runs a page is found by: of one list in the order of names, if it has runs and the term is long enough. */
export async function findRuns(
  db: ReadStatements,
  { table }: Pick<KindDefinition<never>, 'table'>,
  query: ListQuery,
  parents: readonly ListParent[],
): Promise<RunsFound | undefined> {
  const [parent, ...others] = parents;
  const isNamed = namedTables.some((name) => name === table) && query.order.isOfNames === true;
  if (!isNamed || parent === undefined || others.length > 0 || piecesIn(query).length === 0) return undefined;
  const workspaceId = Prisma.sql`${parent.workspaceId}::uuid`;
  const list = listOf(table, workspaceId);
  const { walkRowsMax } = query.order;
  const weighed: RunsWeighed = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT json_build_object(
        'isKept', EXISTS (SELECT FROM "name_run" AS n WHERE ${list}),
        'unseen', (SELECT count(*) FROM (SELECT FROM "unseen_name" AS n WHERE ${list} LIMIT ${unseenMax + 1}) AS n),
        'runs', count(*), 'rows', coalesce(max(run."rows"), 0))::text
      FROM (SELECT * FROM (${runsOf(query, list, workspaceId)}) AS run LIMIT ${runsMax + 1}) AS run`),
  );
  if (!weighed.isKept || weighed.unseen > unseenMax) return undefined;
  return weighed.runs > runsMax || weighed.rows > walkRowsMax ? 'many' : 'few';
}

/**
 * The page by the runs that may hold the term, and by what they do not know of yet.
 *
 * @param rowsMax how many rows to walk through at most. Where the runs hold more, and those do not fill the page, it is empty.
 */
export function runsPage({ table }: Pick<KindDefinition<never>, 'table'>, query: ListQuery, rowsMax?: number): PageSql {
  const way = direction(query);
  const order = Prisma.sql`ORDER BY r."name" ${way}, r."id" ${way} LIMIT ${query.limit}`;
  return (parent) => {
    const list = listOf(table, parent.workspaceId);
    const runs = runsOf(query, list, parent.workspaceId);
    const isWithin = within(query, parent);
    const isMatch = allOf(matching(query, parent));
    const isNear = rowsMax === undefined ? Prisma.sql`true` : Prisma.sql`run."rows" <= ${rowsMax}::int`;
    const isFull =
      rowsMax === undefined ? Prisma.sql`true` : Prisma.sql`(SELECT count(*) FROM walked) >= ${query.limit}::int`;
    // OFFSET keeps each run a walk of its own, and each name that no run knows of a look-up, whatever the planner knows.
    return Prisma.sql`
      WITH walked AS MATERIALIZED (
        SELECT r."id", r."name" FROM (SELECT * FROM (${runs}) AS run WHERE ${isNear}) AS run, LATERAL (
          SELECT * FROM ${query.table} AS r WHERE ${isWithin} AND r."name" >= run."first" AND r."name" < run."next" OFFSET 0) AS r
        WHERE ${isMatch} ${order}),
      unseen AS (
        SELECT r."id", r."name" FROM (SELECT DISTINCT n."name" FROM "unseen_name" AS n WHERE ${list}) AS n, LATERAL (
          SELECT * FROM ${query.table} AS r WHERE ${isWithin} AND r."name" = n."name" OFFSET 0) AS r
        WHERE ${isMatch}),
      chosen AS (
        SELECT r."id" FROM (SELECT * FROM walked UNION SELECT * FROM unseen) AS r WHERE ${isFull} ${order})
      SELECT ${rowColumns(query)} FROM ${query.table} AS r JOIN chosen USING ("id") ${orderBy(query)}`;
  };
}

/** The condition that a run, or an unseen name, `n` is of a list. */
export function listOf(table: string, workspaceId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`n."workspace_id" = ${workspaceId} AND n."resource" = ${table}`;
}

/**
 * The runs that may hold the term, from where the page starts, in its order: each from its first name to the next one's, and
 * how many rows are in all of them so far. One that is not made yet is larger than any walk.
 */
function runsOf(query: ListQuery, list: Prisma.Sql, workspaceId: Prisma.Sql): Prisma.Sql {
  const { from } = query.slice;
  const way = direction(query);
  const next = isDescending(query) ? Prisma.sql`lag` : Prisma.sql`lead`;
  const behindAll = Prisma.sql`SELECT max(r."name") || '~' FROM ${query.table} AS r WHERE r."workspace_id" = ${workspaceId}`;
  const bits = piecesIn(query).map(
    (piece) => Prisma.sql`get_bit(n."pieces", ${pieceBit(Prisma.sql`${piece}::text`)}) = 1`,
  );
  const isAhead = isDescending(query)
    ? Prisma.sql`n."first" <= ${from?.key ?? ''}::text`
    : Prisma.sql`n."next" > ${from?.key ?? ''}::text`;
  return Prisma.sql`
    SELECT n."first", n."next", sum(n."size") OVER (ORDER BY n."first" ${way} ROWS UNBOUNDED PRECEDING) AS "rows" FROM (
      SELECT n.*, coalesce(${next}(n."first") OVER (ORDER BY n."first" ${way}), (${behindAll})) AS "next" FROM (
        SELECT n."first_name" AS "first", coalesce(n."size", ${sizeUnknown}) AS "size", coalesce(${allOf(bits)}, true) AS "may_hold"
        FROM "name_run" AS n WHERE ${list} ORDER BY 1 ${way} OFFSET 0) AS n) AS n
    WHERE n."may_hold" AND ${from === undefined ? Prisma.sql`true` : isAhead}`;
}

const sizeUnknown = Prisma.raw(String(1_000_000_000));

/** The pieces that a run has to hold: none of a term that is shorter. */
function piecesIn({ search }: ListQuery): string[] {
  return search === undefined ? [] : [...new Set(piecesOf(search, pieceLength))].slice(0, piecesMax);
}
