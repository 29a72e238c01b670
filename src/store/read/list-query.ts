// Builds the SQL parts of a page of a list.
import { Prisma } from '../../database/client/client.js';
import type { ListDefinition, PageKey } from './list-definition.js';
import { allOf } from './page-statement.js';
import type { ListQuery } from './page-statement.js';
import { rankedOrder, rankedTable } from './ranking.js';
import { sqlOrder } from './resource-order.js';

/** The query of one page. */
export function listQuery<Row extends object>(list: ListDefinition<Row>, key: PageKey): ListQuery {
  const { parent, idType, isAcrossWorkspaces = false, hasSearchIndex = false, hasIndexedValues = false } = list;
  const { order, search, filter, slice, limit, ranking, accessible } = key;
  const conditions = [list.condition, accessible].filter((each) => each !== undefined);
  return {
    table: ranking === undefined ? tableOf(list) : rankedTable(tableOf(list)),
    ...(idType === undefined ? {} : { idType }),
    isAcrossWorkspaces,
    parent,
    condition: conditions.length === 0 ? undefined : allOf(conditions),
    order: ranking === undefined ? sqlOrder(order) : rankedOrder(ranking),
    columns: columnsOf(list, key.columns),
    slice,
    limit,
    search,
    filter,
    ranking,
    hasSearchIndex,
    hasIndexedValues,
  };
}

/** The requested columns as SQL; all by default. */
export function columnsOf<Row extends object>(
  list: ListDefinition<Row>,
  wanted: ReadonlySet<string> | undefined,
): Record<string, Prisma.Sql> {
  const columns = Object.entries<Prisma.Sql>(list.columns);
  return Object.fromEntries(wanted === undefined ? columns : columns.filter(([name]) => wanted.has(name)));
}

export function tableOf({ table, source }: { table: string; source?: Prisma.Sql }): Prisma.Sql {
  return source ?? Prisma.raw(`"${table}"`);
}

export function parentOf({ parent }: { parent?: Prisma.Sql }): Prisma.Sql {
  return parent ?? Prisma.sql`r."workspace_id"`;
}
