// The SQL that reads an account's history. One statement gives the rows together with where the history begins and
// ends: what is numbered up to its end is there, as no later number is ever committed before an earlier one.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { allColumns, changeColumns, changePartFromJson, readOf } from './change.js';
import type { Change, ChangeColumn, ChangeJson, ReadChange } from './change.js';
import type { ChangeCondition } from './change-condition.js';

/** Whose changes: those of a workspace or of a resource; all of the account's where it is absent. */
export interface ChangePlace {
  of: 'workspace_id' | 'resource_id';
  id: string;
}

export interface ChangeQuery {
  accountId: string;
  place: ChangePlace | undefined;
  conditions: readonly ChangeCondition[];
  direction: 'forward' | 'backward';
  /** The number to start behind, itself excluded. */
  from: number | undefined;
  limit: number;
  /** What to read of each change. */
  columns: readonly ChangeColumn[];
}

/** Where the history of an account stood when something was read of it. */
export interface HistoryEnds {
  /** What is numbered up to here may be gone. */
  removed: number;
  /** The last number. */
  last: number;
}

export interface ChangeRows extends HistoryEnds {
  changes: ReadChange[];
}

interface PageJson extends HistoryEnds {
  rows: (ChangeJson<ReadChange> & { ordinal?: number })[];
}

/** The same page of each place, by one statement; in the order of the queries, which differ in the ids of places alone. */
export async function readChanges(db: Statements, queries: readonly ChangeQuery[]): Promise<ChangeRows[]> {
  const [query] = queries;
  if (query === undefined) return [];
  const { accountId, direction, from, limit, columns } = query;
  const order = direction === 'forward' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const comparison = direction === 'forward' ? Prisma.sql`>` : Prisma.sql`<`;
  const bound = from === undefined ? Prisma.sql`` : Prisma.sql`AND c."sequence" ${comparison} ${from}::bigint`;
  const rows = forEachPlace(
    queries,
    (within) => Prisma.sql`
      SELECT ${changeColumns(columns)} FROM "change" AS c WHERE ${within} ${bound}
      ORDER BY c."sequence" ${order} LIMIT ${limit}::int`,
  );
  const page: PageJson = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT json_build_object('removed', ${removedOf(accountId)}, 'last', ${lastOf(accountId)},
        'rows', (SELECT coalesce(json_agg(p), '[]') FROM (${rows}) AS p))::text`),
  );
  const { removed, last } = page;
  const answers = queries.map((): ChangeRows => ({ removed, last, changes: [] }));
  for (const { ordinal = 1, ...row } of page.rows)
    answers[ordinal - 1]?.changes.push(changePartFromJson(accountId, row));
  return answers;
}

/** A page of changes that are read whole. */
export async function readWholeChanges(
  db: Statements,
  query: Omit<ChangeQuery, 'columns' | 'direction' | 'place'>,
): Promise<HistoryEnds & { changes: Change[] }> {
  const [rows] = await readChanges(db, [{ ...query, place: undefined, direction: 'forward', columns: allColumns }]);
  if (rows === undefined) throw new Error('a query of changes was not answered');
  return { ...rows, changes: rows.changes.map((change) => readOf(change, allColumns)) };
}

/** How many changes each place holds, by one statement like readChanges. */
export async function countChanges(db: Statements, queries: readonly ChangeQuery[]): Promise<number[]> {
  const counts = forEachPlace(
    queries,
    (within) => Prisma.sql`SELECT count(*) AS "count" FROM "change" AS c WHERE ${within}`,
  );
  const rows: { ordinal?: number; count: number }[] = JSON.parse(
    await db.$text(Prisma.sql`SELECT coalesce(json_agg(p), '[]')::text FROM (${counts}) AS p`),
  );
  const found = new Map(rows.map(({ ordinal = 1, count }) => [ordinal, count]));
  return queries.map((_, index) => found.get(index + 1) ?? 0);
}

/** Where the history of an account stands now. */
export async function readHistoryEnds(db: Statements, accountId: string): Promise<HistoryEnds> {
  return JSON.parse(
    await db.$text(Prisma.sql`
      SELECT json_build_object('removed', ${removedOf(accountId)}, 'last', ${lastOf(accountId)})::text`),
  );
}

/** What tells queries apart but for the ids of their places: those that are alike are read together. */
export function queryText({ place, conditions, direction, from, limit, columns }: ChangeQuery): string {
  return JSON.stringify([place?.of, conditions.map(({ text }) => text), direction, from, limit, columns]);
}

/** SQL for rows of each place; those of several places say whose they are, by `ordinal` from 1. */
function forEachPlace(queries: readonly ChangeQuery[], select: (within: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  const [query, ...others] = queries;
  if (query === undefined) return Prisma.sql`SELECT WHERE false`;
  const { accountId, place, conditions } = query;
  const kept = Prisma.sql`c."account_id" = ${accountId}::uuid AND c."sequence" > ${removedOf(accountId)}`;
  const all = Prisma.join([kept, ...conditions.map(({ sql }) => sql)], ' AND ');
  if (place === undefined) return select(all);
  const column = Prisma.raw(`c."${place.of}"`);
  if (others.length === 0) return select(Prisma.sql`${column} = ${place.id}::uuid AND ${all}`);
  const ids = queries.map((each) => each.place?.id ?? '');
  return Prisma.sql`
    SELECT place."ordinal", page.* FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS place("id", "ordinal")
    CROSS JOIN LATERAL (${select(Prisma.sql`${column} = place."id" AND ${all}`)}) AS page`;
}

function removedOf(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "removed" FROM "change_horizon" WHERE "account_id" = ${accountId}::uuid), 0)`;
}

function lastOf(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "last" FROM "change_head" WHERE "account_id" = ${accountId}::uuid), 0)`;
}
