// Finds the resources that usage names, for meters that do not know their ids (decision 230). A name can be used again after a deletion,
// so it stands for the resource that had it at the time of the usage.
import { Prisma } from '../database/client/client.js';
import { resourceKindNames, resourceKinds } from '../resource-kinds.js';
import { msFromInstant } from './instant.js';
import { timeSql } from './label-sets.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';

const billedKinds = resourceKindNames.filter((kind) => resourceKinds[kind].isBilled);

/** An event that names a resource without its id. */
export type NamedUsage = Pick<UsageEvent, 'workspace' | 'resourceType' | 'resourceName' | 'hour' | 'nano'>;

/** Whether usage of a type belongs to resources of this platform, which have ids. */
export function hasResources(resourceType: string): boolean {
  return kindOf(resourceType) !== undefined;
}

function kindOf(resourceType: string): (typeof billedKinds)[number] | undefined {
  return billedKinds.find((kind) => resourceKinds[kind].shortName === resourceType);
}

/**
 * SQL that returns the id of each event's resource as a JSON array, with null where there is none. Usage before the first
 * resource of a name counts for that one, because a platform that moves in has usage from before.
 *
 * A resource that was moved in has its name from its `createdAt` (`from`) on, but a resource that had the name in this
 * platform at the time (between `since` and `until`) comes first. Of several others, the newest one counts.
 *
 * @param accessibleSql SQL that says whether the caller has access to the workspace `w`.
 */
export function resourceIdsSql(accountId: string, named: readonly NamedUsage[], accessibleSql: Prisma.Sql): Prisma.Sql {
  const texts = (read: (usage: NamedUsage) => string) => arrayLiteral(named.map(read));
  const milliseconds = numbersLiteral(named.map(msFromInstant));
  const existing = billedKinds.map((kind) => {
    const table = Prisma.raw(`"${resourceKinds[kind].table}"`);
    return Prisma.sql`
      SELECT e."id", e."created_at" AS "from", 'infinity'::timestamptz AS "since", 'infinity'::timestamptz AS "until"
      FROM ${table} AS e
      WHERE r."kind" = ${kind}::text AND e."workspace_id" = w."id" AND e."name" = r."name"`;
  });
  const deleted = Prisma.sql`
    SELECT d."resource_id" AS "id", coalesce(m."from", '-infinity') AS "from", coalesce(m."since", '-infinity') AS "since",
      d."time" AS "until"
    FROM "change" AS d LEFT JOIN LATERAL (
      SELECT c."time" AS "since", least(c."time", (c."after" -> 'metadata' ->> 'createdAt')::timestamptz) AS "from"
      FROM "change" AS c
      WHERE c."account_id" = d."account_id" AND c."resource_id" = d."resource_id" AND c."verb" = 'created'
      ORDER BY c."sequence" LIMIT 1) AS m ON TRUE
    WHERE d."account_id" = ${accountId}::uuid AND d."workspace_id" = w."id" AND d."kind" = r."kind" AND d."name" = r."name"
      AND d."verb" = 'deleted'`;
  return Prisma.sql`
    SELECT coalesce(json_agg(found."id" ORDER BY r."n"), '[]')::text
    FROM (
      SELECT "workspace", "kind", "name", ${timeSql(Prisma.sql`"ms"`)} AS "time", "n"
      FROM unnest(${texts(({ workspace }) => workspace)}::text::text[],
        ${texts(({ resourceType }) => kindOf(resourceType) ?? '')}::text::text[],
        ${texts(({ resourceName }) => resourceName)}::text::text[], ${milliseconds}::text::bigint[])
        WITH ORDINALITY AS u("workspace", "kind", "name", "ms", "n")) AS r
    LEFT JOIN "workspace" AS w
      ON w."account_id" = ${accountId}::uuid AND w."name" = r."workspace" AND ${accessibleSql}
    LEFT JOIN LATERAL (
      SELECT l."id" FROM (
        SELECT *, min("from") OVER () AS "first" FROM (${Prisma.join([...existing, deleted], ' UNION ALL ')}) AS b) AS l
      WHERE l."until" > r."time" AND (l."from" <= r."time" OR l."from" = l."first")
      ORDER BY l."since" <= r."time" DESC, CASE WHEN l."since" <= r."time" THEN l."until" END, l."until" DESC
      LIMIT 1) AS found ON TRUE`;
}
