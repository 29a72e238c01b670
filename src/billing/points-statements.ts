// SQL for the points of chosen series, which are looked up one by one.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral, numbersLiteral } from '../metering/sql-arrays.js';
import { edgeEvents, laterEvents, narrowed, piecesOf, pointsOf } from './metrics-sources.js';
import type { MetricsScope } from './metrics-sources.js';
import { snapshotSql } from './snapshot-statement.js';
import type { UsageSnapshot } from './snapshot-statement.js';
import { packedRows } from './packed-rows.js';

/** Packed rows by the number of the group, from 1. Groups without rows are absent. */
export type GroupRows = [number: number, rows: string][];

/** Returns the sums of groups of series by bucket, as GroupRows. @param groups the number of each series' group. */
export function pointsStatement(scope: MetricsScope, seriesIds: string[], groups: number[]): Prisma.Sql {
  const chosen = Prisma.sql`
    unnest(${numbersLiteral(seriesIds)}::text::bigint[], ${numbersLiteral(groups)}::text::int[]) AS c("series_id", "n")`;
  return Prisma.sql`SELECT (${packedPoints(scope, chosen)})::text`;
}

/** The costs of resources. The number of a group is the position of its UUID, from 1. */
export interface ResourceSums extends UsageSnapshot {
  rows: GroupRows;
}

/**
 * Returns the sums of resources by bucket. OFFSET forces lookups; a plain join would read all series of the account.
 */
export function resourceSumsStatement(scope: MetricsScope, uuids: readonly string[]): Prisma.Sql {
  return Prisma.sql`
    WITH chosen AS MATERIALIZED (
      SELECT s."series_id", requested."n"
      FROM unnest(${arrayLiteral(uuids)}::text::text[]) WITH ORDINALITY AS requested("uuid", "n"), LATERAL (
        SELECT "series_id" FROM "usage_series"
        WHERE "account_id" = ${scope.accountId}::uuid AND "resource_uuid" = requested."uuid" AND ${narrowed(scope)}
        OFFSET 0) AS s)
    SELECT json_build_object(${snapshotSql(scope)}, 'rows', (${packedPoints(scope, Prisma.sql`chosen AS c`)}))::text`;
}

/** @param chosen SQL for series `c` with the number `n` of their group. */
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
