// The SQL of pages and counts. A statement gives its rows as one JSON text, because the driver then parses one value
// instead of one for each column of each row.
import { Prisma } from '../../database/client/client.js';
import { hiddenFromPlan } from '../../database/hidden-from-plan.js';
import { gramsOf, likePattern } from '../../database/search-pattern.js';
import type { Position, Slice } from '../../pagination/page.js';
import type { Filter, IndexedValueScope } from './filter.js';
import { enumNameSql, groupsMax } from './grouping.js';
import type { ListParent } from './list-definition.js';
import { ranksName } from './ranking.js';
import type { Ranking } from './ranking.js';

export interface ListOrder {
  /** The SQL to sort by. */
  column: Prisma.Sql;
  /** The name of this column in the table, if it is an unchanged column. */
  name?: string;
  /** The key of a position, if it is more than the column. */
  key?: Prisma.Sql;
  /** Gives the part of a position's key that is compared with the column; all of it by default. */
  keyValue?: (key: string) => string;
  /** The SQL type of the key. */
  keyType: Prisma.Sql;
  descending: boolean;
  /** How many rows a time-bucket scan checks at most. */
  rowsMax: number;
}

export interface ListQuery {
  /** The table, without an alias; every fragment calls its rows `r`. */
  table: Prisma.Sql;
  /** The type of `r."id"`; uuid by default. */
  idType?: Prisma.Sql;
  /** Whether no workspace limits the rows. */
  isAcrossWorkspaces?: boolean;
  /** The column that holds the id of the list's parent; absent if that is the workspace. */
  parent?: Prisma.Sql | undefined;
  /** A condition on all rows of the list. */
  condition?: Prisma.Sql | undefined;
  order: ListOrder;
  slice: Slice;
  /** How many rows to read of each list. */
  limit: number;
  /** The columns to read of each row, under their names. */
  columns: Record<string, Prisma.Sql>;
  /** The one of them that is a row's key: it is not read twice. */
  keyColumn?: string | undefined;
  /** A term of two characters or more in lower case, looked for in the column `search`. */
  search?: string | undefined;
  filter?: Filter | undefined;
  /** The order, if it is computed separately from the rows. */
  ranking?: Ranking | undefined;
  hasSearchIndex: boolean;
  /** Whether rows have indexed filter values. */
  hasIndexedValues: boolean;
}

/** Decides in which direction a page is read. */
type ListSlice = Pick<ListQuery, 'order' | 'slice'>;

/** The ids of a parent in SQL: parameters for one parent, columns for several. */
interface ParentSql {
  workspaceId: Prisma.Sql;
  id: Prisma.Sql;
  /** Whether it is the only one: values that follow from it are then computed once, and not for each of its rows. */
  isOnly: boolean;
  /** Whether values are hidden from PostgreSQL's planner. */
  isHidden?: boolean;
}

/** The SQL of pages of the same slice of each parent's list, in the order of the list. */
export type PageSql = (parent: ParentSql) => Prisma.Sql;

/** Whether a search or a filter narrows a list. */
export function isNarrowed({ search, filter }: Pick<ListQuery, 'search' | 'filter'>): boolean {
  return search !== undefined || filter !== undefined;
}

/** The page by scanning the list in its order to the end. */
export function orderedScan(query: ListQuery): PageSql {
  return (values) => {
    const parent = isNarrowed(query) ? values : unknownToPlan(values);
    const conditions = allOf([...within(query, parent), ...matching(query, parent)]);
    return Prisma.sql`SELECT ${rowColumns(query)} FROM ${query.table} AS r WHERE ${conditions} ${orderBy(query)} LIMIT ${Prisma.raw(String(query.limit))}`;
  };
}

/**
 * Hides the ids of a parent, and where the page starts, from PostgreSQL's planner. The scan is the best plan for every
 * list; planned without the values, and with its limit as a number, it has the same cost as with them, so that PostgreSQL
 * keeps the plan instead of planning each execution.
 */
function unknownToPlan({ workspaceId, id, isOnly }: ParentSql): ParentSql {
  if (!isOnly) return { workspaceId, id, isOnly, isHidden: true };
  return { workspaceId: hiddenFromPlan(workspaceId), id: hiddenFromPlan(id), isOnly, isHidden: true };
}

/** The page of a narrowed list by scanning this many rows in its order: not full when matches are rare. */
export function boundedScan(query: ListQuery, rows: number): PageSql {
  return (parent) => {
    const scanned = Prisma.sql`(SELECT * FROM ${query.table} AS r WHERE ${allOf(within(query, parent))} ${orderBy(query)} LIMIT ${rows})`;
    const conditions = allOf(matching(query, parent));
    return Prisma.sql`SELECT ${rowColumns(query)} FROM ${scanned} AS r WHERE ${conditions} ${orderBy(query)} LIMIT ${query.limit}`;
  };
}

/** The page of a narrowed list by the indexes: all candidates, the rows of the page, then their columns. */
export function indexScan(query: ListQuery): PageSql {
  return (parent) => Prisma.sql`
    WITH candidate AS MATERIALIZED (
      SELECT r."id", ${query.order.column} AS "key" FROM ${query.table} AS r WHERE ${allMatches(query, parent)}),
    chosen AS (SELECT "id" FROM candidate ORDER BY "key" ${direction(query)}, "id" ${direction(query)} LIMIT ${query.limit})
    SELECT ${rowColumns(query)} FROM ${query.table} AS r JOIN chosen USING ("id") ${orderBy(query)}`;
}

/** The number of rows of each list that a search and a filter match. */
export function matchCount(query: ListQuery): PageSql {
  return (parent) => Prisma.sql`SELECT count(*) AS "total" FROM ${query.table} AS r WHERE ${allMatches(query, parent)}`;
}

/** The number of rows of each list that have each value: the most frequent ones. */
export function groupCounts(query: ListQuery, value: Prisma.Sql): PageSql {
  return (parent) => Prisma.sql`
    SELECT * FROM (
      SELECT ${value} AS "value", count(*) AS "count" FROM ${query.table} AS r
      WHERE ${allMatches(query, parent)} GROUP BY 1) AS g
    ORDER BY "count" DESC, "value" COLLATE "C" LIMIT ${groupsMax}`;
}

/** The same by status, for all of a workspace's rows of a table that triggers count. */
export function keptStatusCounts(table: string): PageSql {
  return ({ workspaceId }) => Prisma.sql`
    SELECT * FROM (
      SELECT ${keptStatus} AS "value", sum("total") AS "count" FROM "resource_count"
      WHERE "resource" = ${table} AND "workspace_id" = ${workspaceId} GROUP BY 1 HAVING sum("total") > 0) AS g
    ORDER BY "count" DESC, "value" COLLATE "C"`;
}

/** The status of a row of resource_count. */
export const keptStatus = enumNameSql(Prisma.sql`nullif("status", '')`);

/** The number of all rows of a workspace in a table that triggers count. */
export function keptTotal(table: string): PageSql {
  return ({ workspaceId }) => Prisma.sql`
    SELECT coalesce(sum("total"), 0) AS "total" FROM "resource_count"
    WHERE "resource" = ${table} AND "workspace_id" = ${workspaceId}`;
}

/** The pages of all these parents as one JSON text. Each row of several parents has the parent's `ordinal`, from 1. */
export function pagesStatement(parents: readonly ListParent[], page: PageSql, ranking?: Ranking): Prisma.Sql {
  const ranks = ranking === undefined ? Prisma.empty : Prisma.sql`WITH ${ranksName} AS MATERIALIZED (${ranking.ranks})`;
  const [only, ...others] = parents;
  if (only !== undefined && others.length === 0) {
    const workspaceId = Prisma.sql`${only.workspaceId ?? only.id}::uuid`;
    const parent = { workspaceId, id: Prisma.sql`${only.id}::uuid`, isOnly: true };
    return rowsStatement(Prisma.sql`${ranks} ${page(parent)}`);
  }
  const workspaceIds = parents.map(({ workspaceId, id }) => workspaceId ?? id);
  const ids = parents.map(({ id }) => id);
  const parent = { workspaceId: Prisma.sql`parent."workspace_id"`, id: Prisma.sql`parent."id"`, isOnly: false };
  return rowsStatement(Prisma.sql`
    ${ranks} SELECT parent."ordinal", page.*
    FROM unnest(${workspaceIds}::uuid[], ${ids}::uuid[]) WITH ORDINALITY AS parent("workspace_id", "id", "ordinal")
    CROSS JOIN LATERAL (${page(parent)}) AS page`);
}

/** Rows as one JSON text. */
export function rowsStatement(rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT coalesce(json_agg(p), '[]')::text FROM (${rows}) AS p`;
}

/** The conditions of the search and the filter, without the bounds of the column that the list is sorted by. */
export function matching(query: ListQuery, { workspaceId, isOnly }: ParentSql, isPlanned = false): Prisma.Sql[] {
  const { search, filter, order, hasIndexedValues } = query;
  const scope = hasIndexedValues && isOnly ? { workspaceId, isPlanned } : undefined;
  return [
    ...(filter === undefined ? [] : filter.sql(scope, order.name)),
    ...(search === undefined ? [] : [Prisma.sql`r."search" LIKE ${likePattern(search)}`]),
  ];
}

/** The conditions of all rows that a search and a filter match, with those that the indexes serve. */
function allMatches(query: ListQuery, parent: ParentSql): Prisma.Sql {
  const { search, hasSearchIndex } = query;
  const grams =
    search === undefined || !hasSearchIndex
      ? []
      : [Prisma.sql`search_grams(r."workspace_id", r."search") @> (${gramsOf(parent.workspaceId, search)})`];
  return allOf([...within(query, parent), ...matching(query, parent, true), ...grams]);
}

/** The conditions by which the index of filter values finds rows of a workspace. */
export function indexedValues({ filter, hasIndexedValues }: ListQuery, scope: IndexedValueScope): Prisma.Sql[] {
  return hasIndexedValues && filter !== undefined ? filter.indexedValues(scope) : [];
}

export function allOf(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ');
}

export function rowColumns({ order, columns, keyColumn }: ListQuery): Prisma.Sql {
  const key = keyColumn === undefined ? { key: order.key ?? order.column } : {};
  return columnList({ id: Prisma.sql`r."id"`, ...key, ...columns });
}

/** The columns of a row `r`, each under its name. */
export function columnList(columns: Record<string, Prisma.Sql>): Prisma.Sql {
  return Prisma.join(Object.entries(columns).map(([name, sql]) => Prisma.sql`${sql} AS ${Prisma.raw(`"${name}"`)}`));
}

/** The conditions of the rows of a parent's list, from where the page starts. */
export function within(query: ListQuery, parent: ParentSql): Prisma.Sql[] {
  const { from } = query.slice;
  return [
    ...(query.isAcrossWorkspaces === true ? [] : [Prisma.sql`r."workspace_id" = ${parent.workspaceId}`]),
    ...(query.parent === undefined ? [] : [Prisma.sql`${query.parent} = ${parent.id}`]),
    ...(query.condition === undefined ? [] : [query.condition]),
    ...(query.order.name === undefined ? [] : (query.filter?.boundsOf(query.order.name) ?? [])),
    ...(from === undefined ? [] : [behind(query, from, parent.isHidden === true)]),
  ];
}

function behind(query: ListQuery, from: Position, isHidden: boolean): Prisma.Sql {
  const comparison = isDescending(query) ? Prisma.sql`<` : Prisma.sql`>`;
  const { column, keyType, keyValue = (key) => key } = query.order;
  const idType = query.idType ?? Prisma.sql`uuid`;
  const values = [Prisma.sql`${keyValue(from.key)}::${keyType}`, Prisma.sql`${from.id}::${idType}`];
  return Prisma.sql`(${column}, r."id") ${comparison} (${Prisma.join(isHidden ? values.map(hiddenFromPlan) : values)})`;
}

export function orderBy(query: ListQuery): Prisma.Sql {
  return Prisma.sql`ORDER BY ${query.order.column} ${direction(query)}, r."id" ${direction(query)}`;
}

export function direction(query: ListSlice): Prisma.Sql {
  return isDescending(query) ? Prisma.sql`DESC` : Prisma.sql`ASC`;
}

function isDescending(query: ListSlice): boolean {
  return query.order.descending === (query.slice.direction === 'forward');
}
