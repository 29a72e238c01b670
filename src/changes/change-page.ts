// The SQL that reads an account's change log. One statement returns the rows and the bounds of the log. All numbers up
// to the last one are visible, because a later number is never committed before an earlier one.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { allColumns, changeColumns, changePartFromJson, readOf } from './change.js';
import type { Change, ChangeColumn, ChangeJson, ReadChange } from './change.js';
import type { ChangeCondition } from './change-condition.js';

/** The workspace or the resource of the changes; all changes of the account if it is absent. */
export interface ChangePlace {
  of: 'workspace_id' | 'resource_id';
  id: string;
}

export interface ChangeQuery {
  accountId: string;
  place: ChangePlace | undefined;
  conditions: readonly ChangeCondition[];
  direction: 'forward' | 'backward';
  /** The exclusive sequence number to start from. */
  from: number | undefined;
  limit: number;
  /** The columns to read. */
  columns: readonly ChangeColumn[];
}

/** The bounds of an account's change log when it was read. */
export interface HistoryEnds {
  /** Changes up to this number may have been deleted. */
  removed: number;
  /** The last number. */
  last: number;
}

/** The bounds, and whether the log no longer has the changes around a number to start from: a restore lost them. */
export interface HistoryStart extends HistoryEnds {
  isLost: boolean;
}

export interface ChangeRows extends HistoryStart {
  changes: ReadChange[];
}

interface PageJson extends HistoryStart {
  rows: (ChangeJson<ReadChange> & { ordinal?: number })[];
}

/**
 * The same page for each query, by one statement, in the order of the queries. They differ only in the ids of
 * workspaces or resources; without these they are equal.
 */
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
  const page = await readJson<PageJson>(
    db,
    Prisma.sql`
      SELECT json_build_object('removed', ${removedOf(accountId)}, 'last', ${lastOf(accountId)},
        'isLost', ${isLostSql(accountId, from)}, 'rows', (SELECT coalesce(json_agg(p), '[]') FROM (${rows}) AS p))::text`,
  );
  const { rows: found, ...start } = page;
  const answers = queries.map((): ChangeRows => ({ ...start, changes: [] }));
  for (const { ordinal, ...row } of found) {
    const change = changePartFromJson(accountId, row);
    const selected = ordinal === undefined ? answers : answers.slice(ordinal - 1, ordinal);
    for (const { changes } of selected) changes.push(change);
  }
  return answers;
}

/** A page of changes with all columns. */
export async function readWholeChanges(
  db: Statements,
  query: Omit<ChangeQuery, 'columns' | 'direction' | 'place'>,
): Promise<HistoryStart & { changes: Change[] }> {
  const [rows] = await readChanges(db, [{ ...query, place: undefined, direction: 'forward', columns: allColumns }]);
  if (rows === undefined) throw new Error('a query of changes was not answered');
  return { ...rows, changes: rows.changes.map((change) => readOf(change, allColumns)) };
}

/** The number of changes of each query, by one statement like readChanges. */
export async function countChanges(db: Statements, queries: readonly ChangeQuery[]): Promise<number[]> {
  const counts = forEachPlace(
    queries,
    (within) => Prisma.sql`SELECT count(*) AS "count" FROM "change" AS c WHERE ${within}`,
  );
  const rows = await readJson<{ ordinal?: number; count: number }[]>(
    db,
    Prisma.sql`SELECT coalesce(json_agg(p), '[]')::text FROM (${counts}) AS p`,
  );
  const found = new Map(rows.map(({ ordinal, count }) => [ordinal, count]));
  return queries.map((_, index) => found.get(index + 1) ?? found.get(undefined) ?? 0);
}

/** The current bounds of an account's change log. */
export async function readHistoryEnds(db: Statements, accountId: string): Promise<HistoryEnds> {
  return readHistoryStart(db, accountId, undefined);
}

/** The same for a reader that starts after a number; undefined starts at one of the bounds. */
export async function readHistoryStart(
  db: Statements,
  accountId: string,
  from: number | undefined,
): Promise<HistoryStart> {
  return readJson(
    db,
    Prisma.sql`
      SELECT json_build_object('removed', ${removedOf(accountId)}, 'last', ${lastOf(accountId)},
        'isLost', ${isLostSql(accountId, from)})::text`,
  );
}

/** Identifies a query apart from the id of its workspace or resource. Equal queries are read together. */
export function queryText({ accountId, place, conditions, direction, from, limit, columns }: ChangeQuery): string {
  return JSON.stringify([accountId, place?.of, conditions.map(({ text }) => text), direction, from, limit, columns]);
}

/**
 * SQL of the rows of each query. With several workspaces or resources, each row has its query's `ordinal`, from 1; rows
 * without it are of every query.
 */
function forEachPlace(queries: readonly ChangeQuery[], select: (within: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  const [query, ...others] = queries;
  if (query === undefined) return Prisma.sql`SELECT WHERE false`;
  const { accountId, place, conditions } = query;
  const retained = Prisma.sql`c."account_id" = ${accountId}::uuid AND c."sequence" > ${removedOf(accountId)}`;
  const all = Prisma.join([retained, ...conditions.map(({ sql }) => sql)], ' AND ');
  if (place === undefined) return select(all);
  const column = Prisma.raw(`c."${place.of}"`);
  if (others.length === 0) return select(Prisma.sql`${column} = ${place.id}::uuid AND ${all}`);
  const ids = queries.map((each) => each.place?.id ?? '');
  return Prisma.sql`
    SELECT place."ordinal", page.* FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS place("id", "ordinal")
    CROSS JOIN LATERAL (${select(Prisma.sql`${column} = place."id" AND ${all}`)}) AS page`;
}

/**
 * SQL of the number at which a step ends that looks at the next changes of an account, whose row of `change_head` is `h`.
 *
 * @param position the number after which the step begins.
 */
export function endOfStep(position: Prisma.Sql, changesMax: number): Prisma.Sql {
  return Prisma.sql`coalesce((
    SELECT c."sequence" FROM "change" AS c WHERE c."account_id" = h."account_id" AND c."sequence" > ${position}
    ORDER BY c."sequence" OFFSET ${changesMax - 1}::int LIMIT 1), h."last")`;
}

function removedOf(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "removed" FROM "change_horizon" WHERE "account_id" = ${accountId}::uuid), 0)`;
}

function lastOf(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "last" FROM "change_head" WHERE "account_id" = ${accountId}::uuid), 0)`;
}

/**
 * SQL for whether a number is one that a restore skipped, or of a change after the last one. Apart from
 * that, each number after `removed` has its change.
 */
function isLostSql(accountId: string, from: number | undefined): Prisma.Sql {
  if (from === undefined) return Prisma.sql`false`;
  return Prisma.sql`(${from}::bigint > ${removedOf(accountId)} AND ${from}::bigint <> ${lastOf(accountId)} AND NOT EXISTS (
    SELECT FROM "change" WHERE "account_id" = ${accountId}::uuid AND "sequence" IN (${from}::bigint, ${from}::bigint + 1)))`;
}
