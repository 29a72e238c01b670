// What is asked of the rows of a kind, as parts of SQL.
import { Prisma } from '../../database/client/client.js';
import type { KindDefinition, PageKey } from './kind-definition.js';
import type { ListQuery } from './page-statement.js';
import { rankedOrder, rankedTable } from './ranking.js';
import { listOrders } from './resource-order.js';

/** What to read of a list. */
export function listQuery<Row extends object>(kind: KindDefinition<Row>, key: PageKey): ListQuery {
  const { parent, condition, hasFacets = false } = kind;
  const { sort, search, filter, slice, limit, ranking } = key;
  const columns = columnsOf(kind, key.columns);
  const order = ranking === undefined ? listOrders[sort] : rankedOrder(ranking);
  const table = ranking === undefined ? tableOf(kind) : rankedTable(tableOf(kind));
  return { table, parent, condition, order, columns, slice, limit, search, filter, hasFacets };
}

/** The columns that are wanted, as SQL; all of them when none are named. */
export function columnsOf<Row extends object>(
  kind: KindDefinition<Row>,
  wanted: ReadonlySet<string> | undefined,
): Record<string, Prisma.Sql> {
  const columns = Object.entries<Prisma.Sql>(kind.columns);
  return Object.fromEntries(wanted === undefined ? columns : columns.filter(([name]) => wanted.has(name)));
}

export function tableOf({ table }: { table: string }): Prisma.Sql {
  return Prisma.raw(`"${table}"`);
}

export function parentOf({ parent }: { parent?: Prisma.Sql }): Prisma.Sql {
  return parent ?? Prisma.sql`r."workspace_id"`;
}
