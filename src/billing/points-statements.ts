// The SQL of the points of chosen series, which are looked up series by series.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral, numbersLiteral } from '../metering/sql-arrays.js';
import { edgeEvents, laterEvents, narrowed, piecesOf, pointsOf } from './metrics-sources.js';
import type { MetricsScope } from './metrics-sources.js';
import { moment } from './moment-statement.js';
import type { Moment } from './moment-statement.js';
import { packedRows } from './packed-rows.js';

/** The packed rows of those groups that have any, by their numbers, which count from one. */
export type GroupRows = [number: number, rows: string][];

/** The sums of groups of series by bucket, as GroupRows. @param groups the number of each series' group. */
export function pointsStatement(scope: MetricsScope, seriesIds: string[], groups: number[]): Prisma.Sql {
  const chosen = Prisma.sql`
    unnest(${numbersLiteral(seriesIds)}::text::bigint[], ${numbersLiteral(groups)}::text::int[]) AS c("series_id", "n")`;
  return Prisma.sql`SELECT (${packedPoints(scope, chosen)})::text`;
}

/** What some resources cost, each with the place of its uuid as its number, from one. */
export interface ResourceSums extends Moment {
  rows: GroupRows;
}

/** The sums of resources by bucket. OFFSET keeps each a look-up: joined otherwise all series of the account are read. */
export function resourceSumsStatement(scope: MetricsScope, uuids: readonly string[]): Prisma.Sql {
  return Prisma.sql`
    WITH chosen AS MATERIALIZED (
      SELECT s."series_id", asked."n"
      FROM unnest(${arrayLiteral(uuids)}::text::text[]) WITH ORDINALITY AS asked("uuid", "n"), LATERAL (
        SELECT "series_id" FROM "usage_series"
        WHERE "account_id" = ${scope.accountId}::uuid AND "resource_uuid" = asked."uuid" AND ${narrowed(scope)}
        OFFSET 0) AS s)
    SELECT json_build_object(${moment(scope)}, 'rows', (${packedPoints(scope, Prisma.sql`chosen AS c`)}))::text`;
}

/** @param chosen series `c`, each with the number `n` of its group. */
function packedPoints(scope: MetricsScope, chosen: Prisma.Sql): Prisma.Sql {
  const events = [
    ...edgeEvents(scope).map(
      (each) => Prisma.sql`SELECT "series_id", "level", "bucket", "cost", "usage" FROM (${each}) AS e`,
    ),
    Prisma.sql`
    SELECT "series_id", "level", "bucket", -"cost" AS "cost", -"usage" AS "usage" FROM (${laterEvents(scope)}) AS e`,
  ];
  return Prisma.sql`
    SELECT coalesce(json_agg(json_build_array("n", "rows")), '[]') FROM (SELECT "n", ${packedRows} AS "rows" FROM (
      SELECT "n", "level", "bucket", sum("cost") AS "cost", sum("usage") AS "usage" FROM (
        SELECT "n", p."level"::int, p."bucket", p."cost", p."usage" FROM ${chosen}, ${piecesOf(scope)}, ${pointsOf(scope, Prisma.sql`c."series_id"`)}
        UNION ALL
        SELECT "n", "level", "bucket", "cost", "usage" FROM (${Prisma.join(events, ' UNION ALL ')}) AS e JOIN ${chosen} USING ("series_id")
      ) AS s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3) AS r GROUP BY "n") AS g`;
}
