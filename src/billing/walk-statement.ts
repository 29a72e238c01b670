// SQL for a walk through the series of an account, in the order of an index.
import { Prisma } from '../database/client/client.js';
import type { KeyColumn } from '../metering/dimensions.js';
import type { PageDirection } from './metrics-query.js';
import {
  columns as keyColumns,
  directionOf,
  edgeEvents,
  laterEvents,
  narrowed,
  noSeries,
  piecesOf,
  pointsOf,
  seriesOf,
} from './metrics-sources.js';
import type { MetricsScope } from './metrics-sources.js';

/** A column of a series. */
export type WalkColumn = KeyColumn | 'label_set_id';

const columns: Readonly<Record<WalkColumn, Prisma.Sql>> = { ...keyColumns, label_set_id: Prisma.sql`"label_set_id"` };

/** The position and order of a walk. */
export interface Walk {
  /** The columns to read. */
  columns: readonly WalkColumn[];
  /** The columns of the index, in order. */
  order: readonly WalkColumn[];
  /** The start: included for a prefix of the columns, excluded when it has values of all columns. */
  from: string[];
  limit: number;
  direction: PageDirection;
}

/** A series: its id, then the columns to read. */
export type SeriesRow = [id: string, ...values: string[]];

/** Returns the next series with an event in the scope. */
export function walkStatement(scope: MetricsScope, walk: Walk, days: { first: number; last: number }): Prisma.Sql {
  const direction = directionOf(walk.direction === 'forward');
  const order = Prisma.join(walk.order.map((each) => Prisma.sql`${columns[each]} ${direction}`));
  return Prisma.sql`
    WITH later AS MATERIALIZED (
      SELECT "series_id", sum("events") AS "events" FROM (${laterEvents(scope)}) AS e GROUP BY 1),
    cut AS MATERIALIZED (
      SELECT "series_id" FROM (${Prisma.join([noSeries, ...edgeEvents(scope)], ' UNION ALL ')}) AS e
      GROUP BY 1 HAVING sum("events") > 0)
    SELECT coalesce(json_agg(json_build_array("series_id"::text, ${Prisma.join(walk.columns.map((each) => columns[each]))}) ORDER BY ${order}), '[]')::text FROM (
      SELECT * FROM ${seriesOf(scope)} AS s
      WHERE "account_id" = ${scope.accountId}::uuid AND ${startOfWalk(walk)} AND ${narrowed(scope)}
        AND "first_day" <= ${days.last}::int AND "last_day" >= ${days.first}::int
        AND (s."series_id" IN (SELECT "series_id" FROM cut) OR ${pointExistsSql(scope)})
      ORDER BY ${order} LIMIT ${walk.limit}::int) AS found`;
}

function pointExistsSql(scope: MetricsScope): Prisma.Sql {
  const { accountId, pieces } = scope;
  if (pieces.length === 0) return Prisma.sql`FALSE`;
  // The planner turns EXISTS into a join, which reads the points of every series.
  const looked = pieces.map(
    ({ level, from, to }) => Prisma.sql`(
      SELECT 1 FROM "usage_point" AS p WHERE p."account_id" = ${accountId}::uuid AND p."level" = ${level}::smallint
        AND p."series_id" = s."series_id" AND p."bucket" >= ${from}::int AND p."bucket" < ${to}::int
        AND p."events" > 0 LIMIT 1) IS NOT NULL`,
  );
  const counted = Prisma.sql`(
    SELECT sum("events") FROM ${piecesOf(scope)}, ${pointsOf(scope, Prisma.sql`s."series_id"`)})
    > (SELECT later."events" FROM later WHERE later."series_id" = s."series_id")`;
  return Prisma.sql`
    CASE WHEN s."series_id" IN (SELECT "series_id" FROM later) THEN ${counted} ELSE ${Prisma.join(looked, ' OR ')} END`;
}

function startOfWalk({ order, from, direction }: Walk): Prisma.Sql {
  if (from.length === 0) return Prisma.sql`TRUE`;
  const behind = direction === 'forward' ? Prisma.sql`>` : Prisma.sql`<`;
  const comparison = from.length === order.length ? behind : Prisma.sql`${behind}=`;
  const names = Prisma.join(order.slice(0, from.length).map((each) => columns[each]));
  const values = from.map((value, index) =>
    order[index] === 'label_set_id' ? Prisma.sql`${value}::text::uuid` : Prisma.sql`${value}::text`,
  );
  return Prisma.sql`(${names}) ${comparison} (${Prisma.join(values)})`;
}
