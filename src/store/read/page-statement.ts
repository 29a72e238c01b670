// The SQL of a page of any list. Prisma can say neither a row-wise keyset comparison, nor "so many
// rows of each of these lists", nor "these few columns as one JSON text"; the last makes a page several
// times cheaper to read, because the driver then parses one value instead of one for each column of each row.
import { Prisma } from '../../database/client/client.js';
import { hiddenFromPlan } from '../../database/hidden-from-plan.js';
import { gramsOf, likePattern } from '../../database/search-pattern.js';
import type { Position, Slice } from '../../pagination/page.js';
import type { FacetScope, Filter } from './filter.js';
import { groupsMax } from './grouping.js';
import { ranksName } from './ranking.js';
import type { Ranking } from './ranking.js';

export interface ListOrder {
  /** What is sorted by, as SQL. */
  column: Prisma.Sql;
  /** The column of the table that this is, if it is one as it stands. */
  name?: string;
  /** The key of a position, where it is more than that. */
  key?: Prisma.Sql;
  /** What of a position's key is compared with the column; all of it where there is no such function. */
  keyValue?: (key: string) => string;
  /** The SQL type that it is read as. */
  keyType: Prisma.Sql;
  descending: boolean;
  /**
   * How many rows a search walks through in this order before it turns to the inverted index: more where
   * the order is that of the rows on disk, where a walk is cheap.
   */
  walkRowsMax: number;
}

export interface ListQuery {
  /** The table, without an alias; in every fragment its rows are called `r`. */
  table: Prisma.Sql;
  /** The column that says whose list a row is in; absent where that is the workspace. */
  parent?: Prisma.Sql | undefined;
  /** What else a row has to meet. */
  condition?: Prisma.Sql | undefined;
  order: ListOrder;
  slice: Slice;
  /** How many rows to read of each list. */
  limit: number;
  /** What to read of each row, by the name that it gets. */
  columns: Record<string, Prisma.Sql>;
  /** The one of them that is a row's key: it is not read twice. */
  keyColumn?: string | undefined;
  /** A term of two characters or more in lower case, looked for in the column `search`. */
  search?: string | undefined;
  filter?: Filter | undefined;
  /** Whether rows have facets to be filtered by. */
  hasFacets: boolean;
}

/** What says which way a page goes. */
type ListSlice = Pick<ListQuery, 'order' | 'slice'>;

/** Whose list: a workspace's, or that of a resource in it. */
export interface ListParent {
  workspaceId: string;
  id: string;
}

/** The ids of a parent in SQL: parameters for one parent, columns for several. */
interface ParentSql {
  workspaceId: Prisma.Sql;
  id: Prisma.Sql;
  /** Whether it is the only one: what follows from it is worked out once, and not for each of its rows. */
  isOnly: boolean;
  /** Whether values are hidden from PostgreSQL's planner. */
  isHidden?: boolean;
}

/** Pages of the same slice of each parent's list, in the order of the list; each of them as SQL. */
export type PageSql = (parent: ParentSql) => Prisma.Sql;

/** The page by walking the list in its order: where nothing narrows it, or where there is no index for what does. */
export function walkedPage(query: ListQuery): PageSql {
  return (given) => {
    const parent = isNarrowed(query) ? given : unknownToPlan(given);
    const conditions = allOf([within(query, parent), ...matching(query, parent)]);
    return Prisma.sql`SELECT ${rowColumns(query)} FROM ${query.table} AS r WHERE ${conditions} ${orderBy(query)} LIMIT ${Prisma.raw(String(query.limit))}`;
  };
}

/** Whether a list is asked for by a search or a filter. */
export function isNarrowed({ search, filter }: Pick<ListQuery, 'search' | 'filter'>): boolean {
  return search !== undefined || filter !== undefined;
}

/**
 * Hides the ids of a parent, and where the page starts, from PostgreSQL's planner. The walk is the best plan whosever list
 * it is; planned without the values, and with its limit as a number, it costs what it costs with them, so that PostgreSQL
 * keeps the plan instead of making it anew each time.
 */
function unknownToPlan({ workspaceId, id, isOnly }: ParentSql): ParentSql {
  if (!isOnly) return { workspaceId, id, isOnly, isHidden: true };
  return { workspaceId: hiddenFromPlan(workspaceId), id: hiddenFromPlan(id), isOnly, isHidden: true };
}

/** The page of a narrowed list by walking so many rows from where it starts: short when matches are rare. */
export function stretchedPage(query: ListQuery, rows = query.order.walkRowsMax): PageSql {
  return (parent) => {
    const stretch = Prisma.sql`(SELECT * FROM ${query.table} AS r WHERE ${within(query, parent)} ${orderBy(query)} LIMIT ${rows})`;
    const conditions = allOf(matching(query, parent));
    return Prisma.sql`SELECT ${rowColumns(query)} FROM ${stretch} AS r WHERE ${conditions} ${orderBy(query)} LIMIT ${query.limit}`;
  };
}

/** The page of a narrowed list by the indexes: all candidates, the few that the page holds, then their columns. */
export function indexedPage(query: ListQuery): PageSql {
  return (parent) => Prisma.sql`
    WITH candidate AS MATERIALIZED (
      SELECT r."id", ${query.order.column} AS "key" FROM ${query.table} AS r
      WHERE ${allOf([within(query, parent), ...matching(query, parent, true), ...indexed(query, parent)])}),
    chosen AS (SELECT "id" FROM candidate ORDER BY "key" ${direction(query)}, "id" ${direction(query)} LIMIT ${query.limit})
    SELECT ${rowColumns(query)} FROM ${query.table} AS r JOIN chosen USING ("id") ${orderBy(query)}`;
}

/** How many rows of each list a search and a filter match. */
export function matchCount(query: ListQuery & { hasSearchIndex: boolean }): PageSql {
  return (parent) => {
    const found = query.hasSearchIndex ? indexed(query, parent) : [];
    const conditions = allOf([within(query, parent), ...matching(query, parent, true), ...found]);
    return Prisma.sql`SELECT count(*) AS "total" FROM ${query.table} AS r WHERE ${conditions}`;
  };
}

/** How many rows of each list have each value: the most frequent ones. */
export function groupCounts(query: ListQuery & { hasSearchIndex: boolean }, value: Prisma.Sql): PageSql {
  return (parent) => {
    const found = query.hasSearchIndex ? indexed(query, parent) : [];
    const conditions = allOf([within(query, parent), ...matching(query, parent, true), ...found]);
    return Prisma.sql`
      SELECT * FROM (
        SELECT ${value} AS "value", count(*) AS "count" FROM ${query.table} AS r WHERE ${conditions} GROUP BY 1) AS g
      ORDER BY "count" DESC, "value" COLLATE "C" LIMIT ${groupsMax}`;
  };
}

/** The same by status, of all that a workspace has of a kind whose rows are counted as they are written. */
export function keptStatusCounts(table: string): PageSql {
  return ({ workspaceId }) => Prisma.sql`
    SELECT * FROM (
      SELECT ${keptStatus} AS "value", sum("total") AS "count" FROM "resource_count"
      WHERE "resource" = ${table} AND "workspace_id" = ${workspaceId} GROUP BY 1 HAVING sum("total") > 0) AS g
    ORDER BY "count" DESC, "value" COLLATE "C"`;
}

/** The status that a row of resource_count is of. */
export const keptStatus = Prisma.sql`upper(nullif("status", ''))`;

/** The pages of all these parents as one JSON text. Of several parents each row says whose it is, by `ordinal` from 1. */
export function pagesStatement(parents: readonly ListParent[], page: PageSql, ranking?: Ranking): Prisma.Sql {
  const ranks = ranking === undefined ? Prisma.empty : Prisma.sql`WITH ${ranksName} AS MATERIALIZED (${ranking.ranks})`;
  const [only, ...others] = parents;
  if (only !== undefined && others.length === 0) {
    const workspaceId = Prisma.sql`${only.workspaceId}::uuid`;
    const parent = { workspaceId, id: Prisma.sql`${only.id}::uuid`, isOnly: true };
    return rowsStatement(Prisma.sql`${ranks} ${page(parent)}`);
  }
  const workspaceIds = parents.map(({ workspaceId }) => workspaceId);
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

/** What a row has to meet of the search and the filter, beside the bounds of the order. */
export function matching(
  { search, filter, order, hasFacets }: ListQuery,
  { workspaceId, isOnly }: ParentSql,
  isPlanned = false,
): Prisma.Sql[] {
  const scope = hasFacets && isOnly ? { workspaceId, isPlanned } : undefined;
  return [
    ...(filter === undefined ? [] : filter.sql(scope, order.name)),
    ...(search === undefined ? [] : [Prisma.sql`r."search" LIKE ${likePattern(search)}`]),
  ];
}

/** What the inverted index of facets finds rows of a workspace by. */
export function facetsOf({ filter, hasFacets }: ListQuery, scope: FacetScope): Prisma.Sql[] {
  return hasFacets && filter !== undefined ? filter.facets(scope) : [];
}

/** What the inverted index of searches finds rows by. */
function indexed({ search }: ListQuery, parent: ParentSql): Prisma.Sql[] {
  if (search === undefined) return [];
  return [Prisma.sql`search_grams(r."workspace_id", r."search") @> (${gramsOf(parent.workspaceId, search)})`];
}

export function allOf(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ');
}

export function rowColumns({ order, columns, keyColumn }: ListQuery): Prisma.Sql {
  const key = keyColumn === undefined ? { key: order.key ?? order.column } : {};
  return columnList({ id: Prisma.sql`r."id"`, ...key, ...columns });
}

/** What is read of a row `r`, each column under its name. */
export function columnList(columns: Record<string, Prisma.Sql>): Prisma.Sql {
  return Prisma.join(Object.entries(columns).map(([name, sql]) => Prisma.sql`${sql} AS ${Prisma.raw(`"${name}"`)}`));
}

export function within(query: ListQuery, parent: ParentSql): Prisma.Sql {
  const { from } = query.slice;
  const conditions = [Prisma.sql`r."workspace_id" = ${parent.workspaceId}`];
  if (query.parent !== undefined) conditions.push(Prisma.sql`${query.parent} = ${parent.id}`);
  if (query.condition !== undefined) conditions.push(query.condition);
  if (query.order.name !== undefined) conditions.push(...(query.filter?.boundsOf(query.order.name) ?? []));
  if (from !== undefined) conditions.push(behind(query, from, parent.isHidden === true));
  return Prisma.join(conditions, ' AND ');
}

function behind(query: ListQuery, from: Position, isHidden: boolean): Prisma.Sql {
  const comparison = isDescending(query) ? Prisma.sql`<` : Prisma.sql`>`;
  const { column, keyType, keyValue = (key) => key } = query.order;
  const values = [Prisma.sql`${keyValue(from.key)}::${keyType}`, Prisma.sql`${from.id}::uuid`];
  return Prisma.sql`(${column}, r."id") ${comparison} (${Prisma.join(isHidden ? values.map(hiddenFromPlan) : values)})`;
}

export function orderBy(query: ListQuery): Prisma.Sql {
  return Prisma.sql`ORDER BY ${query.order.column} ${direction(query)}, r."id" ${direction(query)}`;
}

export function direction(query: ListSlice): Prisma.Sql {
  return isDescending(query) ? Prisma.sql`DESC` : Prisma.sql`ASC`;
}

export function isDescending(query: ListSlice): boolean {
  return query.order.descending === (query.slice.direction === 'forward');
}
