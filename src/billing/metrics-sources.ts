// SQL for the rows that answers are added up from: whole buckets (points of one series or cells of many), events of
// partial hours, and negated events that were rolled up after the snapshot.
import { Prisma } from '../database/client/client.js';
import { hiddenFromPlan } from '../database/hidden-from-plan.js';
import { keyOrder, labelColumns } from '../metering/dimensions.js';
import type { GroupDimension, KeyColumn } from '../metering/dimensions.js';
import { labelColumnOf } from '../metering/label-query.js';
import type { LabelCondition, LabelQuery } from '../metering/label-query.js';
import { arrayLiteral, numbersLiteral } from '../metering/sql-arrays.js';
import { eventsOfEntry } from '../metering/usage-rollup.js';
import { firstHourOf, ownBuckets } from '../metering/window.js';
import type { Edge, Piece } from '../metering/window.js';

/** Which usage is added up. */
export interface MetricsScope {
  accountId: string;
  pieces: Piece[];
  edges: Edge[];
  filters: Partial<Record<GroupDimension, string>>;
  /** The labels to group and filter by; undefined for none. */
  labels?: LabelQuery | undefined;
  /** Whether to read all labels of a series together. */
  withTags?: boolean;
  /** Billing dimensions to leave out; undefined for none. */
  withoutDimensions?: readonly string[];
  /** The workspaces visible to the caller; undefined for all. */
  workspaces: string[] | undefined;
  /** The rollup of the snapshot; undefined for the present. */
  asOf: string | undefined;
}

export const columns: Readonly<Record<KeyColumn, Prisma.Sql>> = {
  resource_uuid: Prisma.sql`"resource_uuid"`,
  resource_name: Prisma.sql`"resource_name"`,
  workspace: Prisma.sql`"workspace"`,
  resource_type: Prisma.sql`"resource_type"`,
  billing_dimension: Prisma.sql`"billing_dimension"`,
  label_1: Prisma.sql`"label_1"`,
  label_2: Prisma.sql`"label_2"`,
  label_3: Prisma.sql`"label_3"`,
  label_4: Prisma.sql`"label_4"`,
  tags: Prisma.sql`"tags"`,
};

/** The columns of labels that a scope needs. */
function labelColumnsOf({ labels, withTags = false }: MetricsScope): KeyColumn[] {
  return [...labelColumns.slice(0, labels?.keys.length ?? 0), ...(withTags ? (['tags'] as const) : [])];
}

/** SQL of the values of these columns of a set of labels `l`. A value is preceded by "="; without the label it is empty. */
function labelValues({ labels, withTags = false }: MetricsScope): Prisma.Sql {
  const values = (labels?.keys ?? []).map(
    (key, index) =>
      Prisma.sql`, coalesce('=' || (l."labels"->>${key}::text), '') COLLATE "C" AS ${columns[labelColumns[index] ?? 'tags']}`,
  );
  const tags = withTags ? [Prisma.sql`, coalesce(l."labels"::text, '') COLLATE "C" AS "tags"`] : [];
  return values.length + tags.length === 0 ? Prisma.empty : Prisma.join([...values, ...tags], '');
}

/** SQL for the series of all accounts, with the columns of their labels. */
export function seriesOf(scope: MetricsScope): Prisma.Sql {
  if (labelColumnsOf(scope).length === 0) return Prisma.sql`"usage_series"`;
  return Prisma.sql`(
    SELECT s.*${labelValues(scope)} FROM "usage_series" AS s LEFT JOIN "usage_label_set" AS l
      ON l."account_id" = s."account_id" AND l."label_set_id" = s."label_set_id")`;
}

/** SQL for further columns of a select list. */
export function list(dimensions: readonly KeyColumn[]): Prisma.Sql {
  return dimensions.length === 0 ? Prisma.empty : Prisma.sql`, ${Prisma.join(dimensions.map((each) => columns[each]))}`;
}

export function directionOf(isAscending: boolean): Prisma.Sql {
  return isAscending ? Prisma.sql`ASC` : Prisma.sql`DESC`;
}

/** SQL for the pieces as a table. Each is then read by a range scan of the key or a lookup. */
export function piecesOf({ pieces }: MetricsScope): Prisma.Sql {
  const column = (type: string, read: (piece: Piece) => number) =>
    hiddenFromPlan(Prisma.sql`${numbersLiteral(pieces.map(read))}::text::${Prisma.raw(type)}[]`);
  return Prisma.sql`
    unnest(${column('smallint', ({ level }) => level)}, ${column('int', ({ from }) => from)}, ${column('int', ({ to }) => to)})
      AS piece("level", "from", "to")`;
}

/** Cells. With labels, the usage of resources that have one of them is moved from the usage without labels. */
export function cells(scope: MetricsScope): Prisma.Sql {
  const keys = scope.labels?.keys ?? [];
  if (keys.length === 0) return plainCells(scope, Prisma.empty);
  const names = labelColumnsOf(scope);
  const empty = Prisma.join(names.map(() => Prisma.sql`''`));
  const labelSql = Prisma.join(
    keys.map((key) => Prisma.sql`l."labels"->>${key}::text IS NOT NULL`),
    ' OR ',
  );
  return Prisma.sql`
    ${plainCells(
      scope,
      Prisma.join(
        names.map((name) => Prisma.sql`, '' AS ${columns[name]}`),
        '',
      ),
    )}
    UNION ALL
    SELECT c."level"::int, c."bucket", c."workspace", c."resource_type", c."billing_dimension", '', '',
      moved."sign" * c."events", moved."sign" * c."cost", moved."sign" * c."usage"${ofSource(names, 'moved')}
    FROM (
      SELECT l."label_set_id"${labelValues(scope)} FROM "usage_label_set" AS l
      WHERE l."account_id" = ${scope.accountId}::uuid AND (${labelSql}) OFFSET 0) AS l
    JOIN (
      SELECT c.* FROM ${piecesOf(scope)}, LATERAL (
        SELECT * FROM "usage_label_cell" WHERE "account_id" = ${scope.accountId}::uuid
          AND "usage_label_cell"."level" = piece."level" AND "bucket" >= piece."from" AND "bucket" < piece."to" OFFSET 0) AS c
    ) AS c USING ("label_set_id"),
    LATERAL (VALUES (1${ofSource(names, 'l')}), (-1, ${empty})) AS moved("sign"${list(names)})`;
}

/** SQL for further columns of a source in a select list. */
function ofSource(names: readonly KeyColumn[], source: 's' | 'l' | 'moved'): Prisma.Sql {
  const prefix = Prisma.raw(`${source}.`);
  return names.length === 0
    ? Prisma.empty
    : Prisma.sql`, ${Prisma.join(names.map((name) => Prisma.sql`${prefix}${columns[name]}`))}`;
}

/** OFFSET forces a range scan of the key per piece. A plain join would read all cells of the account. */
function plainCells(scope: MetricsScope, further: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT c.*${further} FROM ${piecesOf(scope)}, LATERAL (
      SELECT "level"::int, "bucket", "workspace", "resource_type", "billing_dimension", '' AS "resource_name",
        '' AS "resource_uuid", "events", "cost", "usage"
      FROM "usage_cell" WHERE "account_id" = ${scope.accountId}::uuid AND "usage_cell"."level" = piece."level"
        AND "bucket" >= piece."from" AND "bucket" < piece."to" OFFSET 0) AS c`;
}

/** Events by set of labels and workspace: those of whole buckets, and those of partial hours. */
export function labelSets(scope: MetricsScope): Prisma.Sql[] {
  const { accountId } = scope;
  return [
    Prisma.sql`
      SELECT c."label_set_id", c."workspace", c."events" FROM ${piecesOf(scope)}, LATERAL (
        SELECT * FROM "usage_label_cell" WHERE "account_id" = ${accountId}::uuid
          AND "usage_label_cell"."level" = piece."level" AND "bucket" >= piece."from" AND "bucket" < piece."to" OFFSET 0) AS c`,
    ...edgeEvents(scope).map(
      (events) => Prisma.sql`
        SELECT s."label_set_id", s."workspace", e."events"::bigint FROM (${events}) AS e
        JOIN "usage_series" AS s ON s."account_id" = ${accountId}::uuid AND s."series_id" = e."series_id"`,
    ),
  ];
}

export function points(scope: MetricsScope): Prisma.Sql {
  const names = labelColumnsOf(scope);
  // OFFSET reads the labels once for each series.
  const series =
    names.length === 0
      ? Prisma.sql`"usage_series"`
      : Prisma.sql`(
          SELECT * FROM ${seriesOf(scope)} AS s
          WHERE s."account_id" = ${scope.accountId}::uuid AND ${narrowed(scope)} OFFSET 0)`;
  return Prisma.sql`
    SELECT p."level"::int, p."bucket", s."workspace", s."resource_type", s."billing_dimension", s."resource_name",
      s."resource_uuid", p."events"::bigint, p."cost", p."usage"${ofSource(names, 's')}
    FROM ${series} AS s, ${piecesOf(scope)}, ${pointsOf(scope, Prisma.sql`s."series_id"`)}
    WHERE s."account_id" = ${scope.accountId}::uuid`;
}

/** Points of one series in one piece. OFFSET forces a lookup; a plain join would read points outside the request. */
export function pointsOf(scope: MetricsScope, seriesId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`LATERAL (
    SELECT * FROM "usage_point" WHERE "account_id" = ${scope.accountId}::uuid AND "usage_point"."level" = piece."level"
      AND "usage_point"."series_id" = ${seriesId} AND "bucket" >= piece."from" AND "bucket" < piece."to" OFFSET 0) AS p`;
}

/** Events of partial hours, with the dimensions of their series. */
export function edges(scope: MetricsScope): Prisma.Sql[] {
  return edgeEvents(scope).map((events) => withDimensions(scope, events, 1));
}

/** Negated events that were rolled up after the snapshot. */
export function later(scope: MetricsScope): Prisma.Sql[] {
  return scope.asOf === undefined ? [] : [withDimensions(scope, laterEvents(scope), -1)];
}

function withDimensions(scope: MetricsScope, events: Prisma.Sql, sign: 1 | -1): Prisma.Sql {
  const factor = Prisma.raw(String(sign));
  return Prisma.sql`
    SELECT e."level", e."bucket", s."workspace", s."resource_type", s."billing_dimension", s."resource_name",
      s."resource_uuid", (${factor} * e."events")::bigint AS "events", ${factor} * e."cost", ${factor} * e."usage"${ofSource(labelColumnsOf(scope), 's')}
    FROM (${events}) AS e JOIN ${seriesOf(scope)} AS s ON s."account_id" = ${scope.accountId}::uuid AND s."series_id" = e."series_id"`;
}

/** Events of partial hours. The two of a window are read by separate selects, many by one join. */
export function edgeEvents({ accountId, edges, asOf }: MetricsScope): Prisma.Sql[] {
  const known = asOf === undefined ? Prisma.sql`TRUE` : Prisma.sql`"rollup_id" <= ${asOf}::text::bigint`;
  if (edges.length > 2) return [eventsOfParts(accountId, edges, known)];
  return edges.map(
    ({ hour, from, to, order }) => Prisma.sql`
      SELECT abs(e."entry") AS "series_id", ${bucketOfEdge(hour, order)}, e."cost", e."usage",
        ${eventsOfEntry} AS "events"
      FROM "usage_segment", unnest("series_ids", "nanos", "costs", "usages") AS e("entry", "nano", "cost", "usage")
      WHERE "account_id" = ${accountId}::uuid AND "hour" = ${hour}::int AND ${known}
        AND e."nano" >= ${String(from)}::text::bigint AND e."nano" < ${String(to)}::text::bigint`,
  );
}

function bucketOfEdge(hour: number, order: number | undefined): Prisma.Sql {
  const [level, bucket] = order === undefined ? [1, hour] : [ownBuckets, order];
  return Prisma.sql`${Prisma.raw(String(level))} AS "level", ${bucket}::int AS "bucket"`;
}

/** OFFSET forces a lookup per part, as in cells(). */
function eventsOfParts(accountId: string, edges: readonly Edge[], known: Prisma.Sql): Prisma.Sql {
  const numbers = (read: (edge: Edge) => number) => numbersLiteral(edges.map(read));
  const part = Prisma.sql`
    unnest(${numbers(({ hour }) => hour)}::text::int[], ${numbers(({ from }) => from)}::text::bigint[],
      ${numbers(({ to }) => to)}::text::bigint[], ${numbers(({ order = 0 }) => order)}::text::int[])
      AS part("hour", "from", "to", "order")`;
  return Prisma.sql`
    SELECT abs(e."entry") AS "series_id", ${Prisma.raw(String(ownBuckets))} AS "level", part."order" AS "bucket",
      e."cost", e."usage", ${eventsOfEntry} AS "events"
    FROM ${part}, LATERAL (
      SELECT * FROM "usage_segment" WHERE "account_id" = ${accountId}::uuid
        AND "usage_segment"."hour" = part."hour" AND ${known} OFFSET 0) AS s,
      unnest(s."series_ids", s."nanos", s."costs", s."usages") AS e("entry", "nano", "cost", "usage")
    WHERE e."nano" >= part."from" AND e."nano" < part."to"`;
}

export const noSeries = Prisma.sql`
  SELECT NULL::bigint AS "series_id", 1 AS "level", 0 AS "bucket", 0::bigint AS "cost", 0::bigint AS "usage",
    0 AS "events" WHERE FALSE`;

/** Events of whole hours of the window that were rolled up after the snapshot. */
export function laterEvents({ accountId, asOf, pieces, edges }: MetricsScope): Prisma.Sql {
  const hours = wholeHours(pieces);
  if (asOf === undefined || hours === undefined) return noSeries;
  const cut = edges.map(({ hour }) => hour).filter((hour) => hour >= hours.from && hour < hours.to);
  const wholeCondition = Prisma.sql`AND e."hour" <> ALL (${numbersLiteral(cut)}::text::int[])`;
  return Prisma.sql`
    SELECT abs(e."entry") AS "series_id", 1 AS "level", e."hour" AS "bucket", e."cost", e."usage",
      ${eventsOfEntry} AS "events"
    FROM "usage_batch", unnest("series_ids", "hours", "costs", "usages") AS e("entry", "hour", "cost", "usage")
    WHERE "account_id" = ${accountId}::uuid AND "rollup_id" > ${asOf}::text::bigint
      AND e."hour" >= ${hours.from}::int AND e."hour" < ${hours.to}::int ${cut.length > 0 ? wholeCondition : Prisma.empty}`;
}

export function narrowed({ filters, labels, withoutDimensions = [], workspaces }: MetricsScope): Prisma.Sql {
  const conditions = keyOrder.flatMap((dimension) => {
    const value = filters[dimension];
    return value === undefined ? [] : [Prisma.sql`${columns[dimension]} = ${value}::text`];
  });
  conditions.push(...(labels?.conditions ?? []).flatMap(labelConditions));
  if (withoutDimensions.length > 0) {
    conditions.push(Prisma.sql`"billing_dimension" <> ALL (${arrayLiteral(withoutDimensions)}::text::text[])`);
  }
  if (workspaces !== undefined) {
    conditions.push(Prisma.sql`"workspace" = ANY (${arrayLiteral(workspaces)}::text::text[])`);
  }
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.join(conditions, ' AND ');
}

function labelConditions({ column, values, isSet }: LabelCondition): Prisma.Sql[] {
  const name = columns[column];
  return [
    ...(isSet === undefined ? [] : [isSet ? Prisma.sql`${name} <> ''` : Prisma.sql`${name} = ''`]),
    ...(values === undefined
      ? []
      : [Prisma.sql`${name} = ANY (${arrayLiteral(values.map(labelColumnOf))}::text::text[])`]),
  ];
}

function wholeHours(pieces: readonly Piece[]): { from: number; to: number } | undefined {
  const spans = pieces.map(({ level, from, to }) => ({ from: firstHourOf(level, from), to: firstHourOf(level, to) }));
  if (spans.length === 0) return undefined;
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}
