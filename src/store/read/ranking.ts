// Sorts a list by a number that is computed outside of its table, such as the cost of each row. All pages use one
// snapshot, whose time is in their cursors.
import { Prisma } from '../../database/client/client.js';
import type { Position } from '../../pagination/page.js';

/** An order by computed ranks. */
export interface RankOrder {
  /** Identifies the order; bound into cursors. */
  text: string;
  /** @param from the position after which the page starts; its snapshot is used again. */
  read: (from: Position | undefined) => Promise<Ranking>;
}

export interface Ranking {
  text: string;
  descending: boolean;
  /** The time of the snapshot, without spaces. */
  snapshot: string;
  /** Rows ("id" text, "rank" numeric), each id once. Ids without a row rank as 0. */
  ranks: Prisma.Sql;
}

/** The name of the ranks in a statement. */
export const ranksName = Prisma.sql`"ranked"`;

/** A table with the rank of each row. */
export function rankedTable(table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT t.*, coalesce(k."rank", 0) AS "rank" FROM ${table} AS t LEFT JOIN ${ranksName} AS k ON k."id" = t."id"::text)`;
}

const rank = Prisma.sql`r."rank"`;

/** The order of a ranked table, in the form that lists take. */
export function rankedOrder({ descending, snapshot }: Ranking) {
  return {
    column: rank,
    key: Prisma.sql`${snapshot}::text || ' ' || ${rank}::text`,
    keyValue: (key: string) => rankOf(key).toString(),
    keyType: Prisma.sql`numeric`,
    descending,
    rowsMax: 0,
  };
}

/** The snapshot of a position. */
export function snapshotOf({ key }: Position): string {
  return key.slice(0, key.indexOf(' '));
}

/** The rank in a position's key. */
export function rankOf(key: string): bigint {
  return BigInt(key.slice(key.indexOf(' ') + 1));
}
