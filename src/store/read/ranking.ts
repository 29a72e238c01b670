// An order of a list by a number that is worked out beside its rows, such as what each of them costs. All pages are in the
// order of one moment, which their cursors hold.
import { Prisma } from '../../database/client/client.js';
import type { Position } from '../../pagination/page.js';

/** An order that a list can be asked for in. */
export interface RankOrder {
  /** What makes it another order than others; bound into cursors. */
  text: string;
  /** @param from the position that a page starts behind, whose moment is gone on with. */
  read: (from: Position | undefined) => Promise<Ranking>;
}

export interface Ranking {
  text: string;
  descending: boolean;
  /** The moment that the ranks are of, without a space. */
  moment: string;
  /** Rows ("id" text, "rank" numeric), each id once. What has none ranks as 0. */
  ranks: Prisma.Sql;
}

/** Where the ranks of a statement stand in it. */
export const ranksName = Prisma.sql`"ranked"`;

/** A table, each of whose rows has its rank. */
export function rankedTable(table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT t.*, coalesce(k."rank", 0) AS "rank" FROM ${table} AS t LEFT JOIN ${ranksName} AS k ON k."id" = t."id"::text)`;
}

const rank = Prisma.sql`r."rank"`;

/** The order of such a table, as a list takes it. */
export function rankedOrder({ descending, moment }: Ranking) {
  return {
    column: rank,
    key: Prisma.sql`${moment}::text || ' ' || ${rank}::text`,
    keyValue: (key: string) => rankOf(key).toString(),
    keyType: Prisma.sql`numeric`,
    descending,
    rowsMax: 0,
  };
}

/** The moment that a position is of. */
export function momentOf({ key }: Position): string {
  return key.slice(0, key.indexOf(' '));
}

/** The rank in the key of a position. */
export function rankOf(key: string): bigint {
  return BigInt(key.slice(key.indexOf(' ') + 1));
}
