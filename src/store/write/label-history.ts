// The labels that resources had at each time, so that usage counts under the labels of its time, however late it arrives.
// A resource without a row has never had labels, and was not deleted since its account had labels, or no usage refers to it
// any more (usage-retention.ts). Before its first row, it counts with the labels of that row.
import { isDeepStrictEqual } from 'node:util';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { kindsWith, resourceKinds } from '../../resource-kinds.js';
import type { ResourceKindName } from '../../resource-kinds.js';
import type { ColumnValues } from './rows.js';

/**
 * How many changes of a resource's labels in a day (UTC) are kept with their time. The last of any further changes holds
 * from the next day on, so that the history and the series of usage stay small however often the labels change.
 */
export const labelChangesPerDayMax = 100;

/** The columns of the row of a resource that can have labels. */
type LabeledValues = ColumnValues & { readonly labels?: unknown };

/** SQL of the CTEs that keep the labels of a new resource; undefined for kinds without labels. */
export function newLabelsCtes(
  within: AuthorizedWorkspace,
  kind: ResourceKindName,
  values: LabeledValues,
): Prisma.Sql | undefined {
  if (values.labels === undefined) return undefined;
  const after = jsonbOf(values.labels);
  // Of a new resource without labels, usage must not count with those of a deleted resource with the same name.
  return keptCtes(
    within,
    kind,
    values,
    Prisma.sql`
      SELECT ${timeOf(within.ctx.now())} AS "since", ${after} AS "labels"
      WHERE ${after} <> '{}' OR EXISTS (
        SELECT FROM "label_history" AS h WHERE h."account_id" = r."account_id" AND h."workspace" = r."workspace"
          AND h."resource_type" = r."resource_type" AND h."name" = r."name")`,
  );
}

/** SQL of the CTEs that keep the changed labels of a locked resource; undefined if its labels do not change. */
export function changedLabelsCtes(
  within: AuthorizedWorkspace,
  kind: ResourceKindName,
  before: Readonly<Record<string, unknown>>,
  values: LabeledValues,
): Prisma.Sql | undefined {
  if (values.labels === undefined || isDeepStrictEqual(before['labels'] ?? {}, values.labels ?? {})) return undefined;
  const now = within.ctx.now();
  const today = new Date(now);
  today.setUTCHours(0, 0, 0, 0);
  const tomorrow = new Date(today.getTime() + 86_400_000);
  const own = Prisma.sql`
    SELECT FROM "label_history" AS h WHERE h."account_id" = r."account_id" AND h."resource_id" = r."resource_id"`;
  const changesToday = Prisma.sql`(
    SELECT count(*) FROM (${own} AND h."since" >= ${timeOf(today)} AND h."since" < ${timeOf(tomorrow)}) AS c)`;
  const last = Prisma.sql`(
    SELECT max(h."since") FROM "label_history" AS h
    WHERE h."account_id" = r."account_id" AND h."resource_id" = r."resource_id")`;
  return keptCtes(
    within,
    kind,
    values,
    Prisma.sql`
      SELECT ${String(values['created_at'])}::text::timestamptz AS "since", ${jsonbOf(before['labels'])} AS "labels"
      WHERE NOT EXISTS (${own}) AND ${String(values['created_at'])}::text::timestamptz < ${timeOf(now)}
      UNION ALL
      SELECT greatest(${timeOf(now)}, ${last},
        CASE WHEN ${changesToday} >= ${labelChangesPerDayMax}::int THEN ${timeOf(tomorrow)} END), ${jsonbOf(values.labels)}`,
  );
}

/**
 * SQL of the CTEs that keep that a resource which is deleted never had labels; undefined if it has some. Its late usage
 * must not count with those of a later resource with its name.
 */
export function deletedLabelsCtes(
  within: AuthorizedWorkspace,
  kind: ResourceKindName,
  values: LabeledValues,
): Prisma.Sql | undefined {
  if (values.labels === undefined || !isDeepStrictEqual(values.labels ?? {}, {})) return undefined;
  return keptCtes(
    within,
    kind,
    values,
    Prisma.sql`
      SELECT ${String(values['created_at'])}::text::timestamptz AS "since", ${jsonbOf({})} AS "labels"
      WHERE EXISTS (SELECT FROM "label_history" AS h WHERE h."account_id" = r."account_id")
        AND NOT EXISTS (
          SELECT FROM "label_history" AS h
          WHERE h."account_id" = r."account_id" AND h."resource_id" = r."resource_id")`,
  );
}

/** SQL that records, for each resource of a deleted workspace, that it had no labels. */
export function deletedWorkspaceLabelsStatement({ account, workspace }: AuthorizedWorkspace): Prisma.Sql {
  const withoutLabels = kindsWith('hasLabels').map((kind) => {
    const { table, shortName } = resourceKinds[kind];
    return Prisma.sql`
      SELECT r."id"::text AS "resource_id", ${shortName}::text AS "resource_type", r."name", r."created_at" AS "since"
      FROM ${Prisma.raw(`"${table}"`)} AS r
      WHERE r."workspace_id" = ${workspace.id}::uuid AND coalesce(r."labels"::jsonb, '{}') = '{}'`;
  });
  return Prisma.sql`
    WITH "kept" AS MATERIALIZED (
      SELECT ${account.id}::uuid AS "account_id", r."resource_id", r."since", ${workspace.name}::text AS "workspace",
        r."resource_type", r."name", l."labels", ${labelSetId} AS "label_set_id"
      FROM (${Prisma.join(withoutLabels, ' UNION ALL ')}) AS r, (VALUES ('{}'::jsonb)) AS l("labels")
      WHERE EXISTS (SELECT FROM "label_history" AS h WHERE h."account_id" = ${account.id}::uuid)
        AND NOT EXISTS (
          SELECT FROM "label_history" AS h
          WHERE h."account_id" = ${account.id}::uuid AND h."resource_id" = r."resource_id")),
    ${insertion}
    SELECT`;
}

/** @param labels SQL of the times and labels to keep of the resource `r`. */
function keptCtes(
  { workspace }: AuthorizedWorkspace,
  kind: ResourceKindName,
  { id, name }: ColumnValues & { readonly name?: unknown },
  labels: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`
    "kept" AS MATERIALIZED (
      SELECT r.*, l."since", l."labels", ${labelSetId} AS "label_set_id"
      FROM (
        SELECT ${workspace.account.id}::uuid AS "account_id", ${id}::text AS "resource_id", ${workspace.name}::text AS "workspace",
          ${resourceKinds[kind].shortName}::text AS "resource_type", ${String(name)}::text AS "name") AS r, LATERAL (${labels}) AS l),
    ${insertion}`;
}

/** SQL that keeps the labels of new resources of one workspace, from their creation on. */
export function importedLabelsStatement(kind: ResourceKindName, rows: readonly ColumnValues[]): Prisma.Sql {
  return Prisma.sql`
    WITH "kept" AS MATERIALIZED (
      SELECT w."account_id", l."id" AS "resource_id", w."name" AS "workspace", ${resourceKinds[kind].shortName}::text AS "resource_type",
        l."name", l."created_at" AS "since", l."labels", ${labelSetId} AS "label_set_id"
      FROM json_to_recordset(${JSON.stringify(rows)}::json)
        AS l("id" text, "workspace_id" uuid, "name" text, "created_at" timestamptz, "labels" jsonb)
      JOIN "workspace" AS w ON w."id" = l."workspace_id"
      WHERE l."labels" <> '{}'),
    ${insertion}
    SELECT`;
}

/** SQL that adds the rows of `kept`. */
const insertion = Prisma.sql`
  "history" AS (
    INSERT INTO "label_history"
      ("account_id", "resource_id", "since", "workspace", "resource_type", "name", "labels", "label_set_id")
    SELECT "account_id", "resource_id", "since", "workspace", "resource_type", "name", "labels", "label_set_id" FROM "kept"
    ON CONFLICT ("account_id", "resource_id", "since")
    DO UPDATE SET "labels" = EXCLUDED."labels", "label_set_id" = EXCLUDED."label_set_id")`;

/** SQL of the id of the labels `l`. The text of jsonb is the same for the same labels. */
const labelSetId = Prisma.sql`
  CASE WHEN l."labels" = '{}' THEN '00000000-0000-0000-0000-000000000000'
    ELSE encode(substring(sha256(convert_to(l."labels"::text, 'UTF8')) FROM 1 FOR 16), 'hex') END::uuid`;

function jsonbOf(labels: unknown): Prisma.Sql {
  return Prisma.sql`${JSON.stringify(labels ?? {})}::text::jsonb`;
}

function timeOf(time: Date): Prisma.Sql {
  return Prisma.sql`${time.toISOString()}::text::timestamptz`;
}
