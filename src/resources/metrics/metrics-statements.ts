// The SQL of account metrics, which Prisma cannot say. Three sources add up to every answer: whole buckets
// (points of one series, or cells of many), events of the hours that the window cuts, and, with its sign
// turned, what was folded after the moment that is asked for.
import { Prisma } from '../../database/client/client.js';
import { keyOrder } from './dimensions.js';
import type { GroupDimension } from './dimensions.js';
import type { MetricsOrder } from './metrics-query.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import { isWaiting } from './usage-fold.js';
import { firstHourOf } from './window.js';
import type { Edge, Piece } from './window.js';

/** Which usage is added up. */
export interface MetricsScope {
  accountId: string;
  pieces: Piece[];
  edges: Edge[];
  filters: Partial<Record<GroupDimension, string>>;
  /** The workspaces that the caller may see; absent: all of them. */
  workspaces: string[] | undefined;
  /** The fold whose moment is asked for; absent: the present. */
  asOf: string | undefined;
}

export interface Grouping {
  groupBy: GroupDimension[];
  enriched: GroupDimension[];
}

/** What tells a group from the others, and where it stands when costs order them. */
export interface GroupPosition {
  key: string[];
  cost: string;
}

export interface GroupPage {
  order: MetricsOrder;
  /** How many groups to read. */
  limit: number;
  after: GroupPosition | undefined;
}

/** Where an answer stands in time: the fold, and whether there are batches that no fold has taken yet. */
export interface Moment {
  fold: string;
  waits: boolean;
  /** Of earlier hours only sums are kept. */
  closedBefore: number;
}

const columns: Readonly<Record<GroupDimension, Prisma.Sql>> = {
  resource_uuid: Prisma.sql`"resource_uuid"`,
  resource_name: Prisma.sql`"resource_name"`,
  workspace: Prisma.sql`"workspace"`,
  resource_type: Prisma.sql`"resource_type"`,
  billing_dimension: Prisma.sql`"billing_dimension"`,
};

const cellDimensions: readonly GroupDimension[] = ['workspace', 'resource_type', 'billing_dimension'];

/** Whether cells can answer it: nothing in it tells resources of one workspace and type apart. */
export function isOfCells(scope: Pick<MetricsScope, 'filters'>, groupBy: readonly GroupDimension[]): boolean {
  const { resource_uuid: uuid, resource_name: name } = scope.filters;
  return uuid === undefined && name === undefined && groupBy.every((dimension) => cellDimensions.includes(dimension));
}

/** Whether the cells are what is asked for as they are, with nothing to be added to them. */
function isOfWholeCells(scope: MetricsScope, grouping: readonly GroupDimension[]): boolean {
  return grouping.length === cellDimensions.length && isOfCells(scope, grouping) && isOfWholeHours(scope);
}

/** Whether no hour is cut, and nothing has to be taken off again. */
function isOfWholeHours({ edges, asOf }: MetricsScope): boolean {
  return edges.length === 0 && asOf === undefined;
}

/** What sumsStatement answers. Amounts are whole numbers in text. */
export interface Sums extends Moment {
  /** Cost and usage of all groups together. */
  total: [cost: string, usage: string];
  /** Cost and usage, then the values of the grouping. */
  groups: [cost: string, usage: string, ...values: (string | null)[]][];
  rows: string;
}

/** All groups of a scope added up, and one page of them with their buckets. */
export function sumsStatement(scope: MetricsScope, grouping: Grouping, page: GroupPage): Prisma.Sql {
  const { groupBy, enriched } = grouping;
  const key = list(groupBy);
  const all = list([...groupBy, ...enriched]);
  const ranges = enriched.map(
    (each) =>
      Prisma.sql`, CASE WHEN min(${columns[each]}) = max(${columns[each]}) THEN min(${columns[each]}) END AS ${columns[each]}`,
  );
  const groupsOf = (names: readonly GroupDimension[]) =>
    names.length === 0 ? Prisma.empty : Prisma.sql`GROUP BY ${Prisma.join(names.map((each) => columns[each]))}`;
  const joined = Prisma.join(
    [Prisma.sql`TRUE`, ...groupBy.map((each) => Prisma.sql`cell.${columns[each]} = page.${columns[each]}`)],
    ' AND ',
  );
  const source = isOfCells(scope, [...groupBy, ...enriched]) ? cells(scope) : points(scope);
  const isAddedUp = isOfWholeCells(scope, [...groupBy, ...enriched]);
  const amounts = isAddedUp
    ? Prisma.sql`"events", "cost", "usage"`
    : Prisma.sql`sum("events") AS "events", sum("cost") AS "cost", sum("usage") AS "usage"`;
  return Prisma.sql`
    WITH cell AS MATERIALIZED (
      SELECT "level", "bucket"${all}, ${amounts}
      FROM (${Prisma.join([source, ...edges(scope), ...later(scope)], ' UNION ALL ')}) AS source
      WHERE ${narrowed(scope)} ${isAddedUp ? Prisma.empty : Prisma.sql`GROUP BY "level", "bucket"${all}`}),
    combination AS (
      SELECT sum("cost") AS "cost", sum("usage") AS "usage"${all}
      FROM cell ${groupsOf([...groupBy, ...enriched])} HAVING sum("events") > 0),
    grouped AS (
      SELECT sum("cost") AS "cost", sum("usage") AS "usage"${key}${Prisma.join(ranges.length > 0 ? ranges : [Prisma.empty], '')}
      FROM combination ${groupsOf(groupBy)}),
    page AS MATERIALIZED (
      SELECT *, row_number() OVER (ORDER BY ${orderOf(page, groupBy)}) AS "n" FROM grouped
      WHERE ${behind(page, groupBy)} ORDER BY "n" LIMIT ${page.limit}::int)
    SELECT json_build_object(${moment(scope)},
      'total', (SELECT json_build_array(coalesce(sum("cost"), 0)::text, coalesce(sum("usage"), 0)::text) FROM cell),
      'groups', (SELECT coalesce(json_agg(json_build_array("cost"::text, "usage"::text${all}) ORDER BY "n"), '[]') FROM page),
      'rows', (SELECT ${packedRows} FROM (
        SELECT "n", "level", "bucket", cell."cost", cell."usage" FROM cell JOIN page ON ${joined}) AS r))::text`;
}

/** Where a walk through the series goes on. */
export interface Walk {
  /** The order of the index that is walked along. */
  order: readonly GroupDimension[];
  /** From these values on, or, when they are those of all dimensions, behind them. */
  from: string[];
  limit: number;
}

/** A series: its id, then its dimensions in the order of keys. */
export type SeriesRow = [id: string, ...values: string[]];

/** Series with an event in the scope, in the order of a walk. */
export function walkStatement(scope: MetricsScope, walk: Walk, days: { first: number; last: number }): Prisma.Sql {
  const order = Prisma.join(walk.order.map((each) => columns[each]));
  return Prisma.sql`
    WITH later AS MATERIALIZED (
      SELECT "series_id", count(*) AS "events" FROM (${laterEvents(scope)}) AS e GROUP BY 1),
    cut AS MATERIALIZED (${Prisma.join([noSeries, ...edgeEvents(scope)], ' UNION ALL ')})
    SELECT coalesce(json_agg(json_build_array("series_id"::text${list(keyOrder)}) ORDER BY ${order}), '[]')::text FROM (
      SELECT * FROM "usage_series" AS s
      WHERE "account_id" = ${scope.accountId}::uuid AND ${startOfWalk(walk)} AND ${narrowed(scope)}
        AND "first_day" <= ${days.last}::int AND "last_day" >= ${days.first}::int
        AND (s."series_id" IN (SELECT "series_id" FROM cut) OR ${hasPoint(scope)})
      ORDER BY ${order} LIMIT ${walk.limit}::int) AS found`;
}

/** The sums of groups of series by bucket, as packed rows. @param groups the number of each series' group. */
export function pointsStatement(scope: MetricsScope, seriesIds: string[], groups: number[]): Prisma.Sql {
  const chosen = Prisma.sql`
    unnest(${numbersLiteral(seriesIds)}::text::bigint[], ${numbersLiteral(groups)}::text::int[]) AS c("series_id", "n")`;
  const events = [
    ...edgeEvents(scope).map((each) => Prisma.sql`SELECT * FROM (${each}) AS e`),
    Prisma.sql`
    SELECT "series_id", "level", "bucket", -"cost" AS "cost", -"usage" AS "usage" FROM (${laterEvents(scope)}) AS e`,
  ];
  return Prisma.sql`
    SELECT ${packedRows} FROM (
      SELECT "n", "level", "bucket", sum("cost") AS "cost", sum("usage") AS "usage" FROM (
        SELECT "n", p."level"::int, p."bucket", p."cost", p."usage" FROM ${chosen}, ${piecesOf(scope)}, ${pointsOf(scope, Prisma.sql`c."series_id"`)}
        UNION ALL
        SELECT "n", "level", "bucket", "cost", "usage" FROM (${Prisma.join(events, ' UNION ALL ')}) AS e JOIN ${chosen} USING ("series_id")
      ) AS s GROUP BY 1, 2, 3) AS r`;
}

/** The resource types with an event in the scope, by name. */
export function typesStatement(scope: MetricsScope): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object(${moment(scope)}, 'values', coalesce(json_agg(DISTINCT "resource_type"), '[]'))::text
    FROM (${Prisma.join([cells(scope), ...edges(scope)], ' UNION ALL ')}) AS source WHERE ${narrowed(scope)}`;
}

/** The hour that all earlier ones are closed before: of those only sums are kept. */
export function closedStatement({ accountId }: MetricsScope): Prisma.Sql {
  return Prisma.sql`SELECT (${closedBefore(accountId)})::text`;
}

const packedRows = Prisma.sql`coalesce(string_agg(concat_ws(',', "n", "level", "bucket", "cost", "usage"), ';'), '')`;

function moment({ accountId }: MetricsScope): Prisma.Sql {
  return Prisma.sql`
    'closedBefore', ${closedBefore(accountId)},
    'fold', coalesce((SELECT "fold_id"::text FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), '0'),
    'waits', ${isWaiting(accountId)}`;
}

function closedBefore(accountId: string): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), 0)`;
}

function list(dimensions: readonly GroupDimension[]): Prisma.Sql {
  return dimensions.length === 0 ? Prisma.empty : Prisma.sql`, ${Prisma.join(dimensions.map((each) => columns[each]))}`;
}

function piecesOf({ pieces }: MetricsScope): Prisma.Sql {
  const numbers = (read: (piece: Piece) => number) => numbersLiteral(pieces.map(read));
  return Prisma.sql`
    unnest(${numbers(({ level }) => level)}::text::smallint[], ${numbers(({ from }) => from)}::text::int[],
      ${numbers(({ to }) => to)}::text::int[]) AS piece("level", "from", "to")`;
}

/** OFFSET keeps each piece a walk along the key: joined otherwise it reads every cell of the account. */
function cells(scope: MetricsScope): Prisma.Sql {
  return Prisma.sql`
    SELECT c.* FROM ${piecesOf(scope)}, LATERAL (
      SELECT "level"::int, "bucket", "workspace", "resource_type", "billing_dimension", '' AS "resource_name",
        '' AS "resource_uuid", "events", "cost", "usage"
      FROM "usage_cell" WHERE "account_id" = ${scope.accountId}::uuid AND "usage_cell"."level" = piece."level"
        AND "bucket" >= piece."from" AND "bucket" < piece."to" OFFSET 0) AS c`;
}

function points(scope: MetricsScope): Prisma.Sql {
  return Prisma.sql`
    SELECT p."level"::int, p."bucket", s."workspace", s."resource_type", s."billing_dimension", s."resource_name",
      s."resource_uuid", p."events"::bigint, p."cost", p."usage"
    FROM "usage_series" AS s, ${piecesOf(scope)}, ${pointsOf(scope, Prisma.sql`s."series_id"`)}
    WHERE s."account_id" = ${scope.accountId}::uuid`;
}

/** Points of one series in one piece. OFFSET keeps it a look-up: joined otherwise it reads what is not asked for. */
function pointsOf(scope: MetricsScope, seriesId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`LATERAL (
    SELECT * FROM "usage_point" WHERE "account_id" = ${scope.accountId}::uuid AND "usage_point"."level" = piece."level"
      AND "usage_point"."series_id" = ${seriesId} AND "bucket" >= piece."from" AND "bucket" < piece."to" OFFSET 0) AS p`;
}

/** Events of the hours that the window cuts, with their series' dimensions. */
function edges(scope: MetricsScope): Prisma.Sql[] {
  return edgeEvents(scope).map((events) => withDimensions(scope, events, 1));
}

/** What was folded after the moment that is asked for, to be taken off again. */
function later(scope: MetricsScope): Prisma.Sql[] {
  return scope.asOf === undefined ? [] : [withDimensions(scope, laterEvents(scope), -1)];
}

function withDimensions(scope: MetricsScope, events: Prisma.Sql, sign: 1 | -1): Prisma.Sql {
  const factor = Prisma.raw(String(sign));
  return Prisma.sql`
    SELECT e."level", e."bucket", s."workspace", s."resource_type", s."billing_dimension", s."resource_name",
      s."resource_uuid", (${factor})::bigint AS "events", ${factor} * e."cost", ${factor} * e."usage"
    FROM (${events}) AS e JOIN "usage_series" AS s ON s."account_id" = ${scope.accountId}::uuid AND s."series_id" = e."series_id"`;
}

function edgeEvents({ accountId, edges, asOf }: MetricsScope): Prisma.Sql[] {
  const known = asOf === undefined ? Prisma.sql`TRUE` : Prisma.sql`"fold_id" <= ${asOf}::text::bigint`;
  return edges.map(
    ({ hour, from, to }) => Prisma.sql`
      SELECT e."series_id", 1 AS "level", "hour" AS "bucket", e."cost", e."usage"
      FROM "usage_segment", unnest("series_ids", "nanos", "costs", "usages") AS e("series_id", "nano", "cost", "usage")
      WHERE "account_id" = ${accountId}::uuid AND "hour" = ${hour}::int AND ${known}
        AND e."nano" >= ${String(from)}::text::bigint AND e."nano" < ${String(to)}::text::bigint`,
  );
}

const noSeries = Prisma.sql`
  SELECT NULL::bigint AS "series_id", 1 AS "level", 0 AS "bucket", 0::bigint AS "cost", 0::bigint AS "usage" WHERE FALSE`;

/** Events of whole hours of the window that were folded after the moment that is asked for. */
function laterEvents({ accountId, asOf, pieces }: MetricsScope): Prisma.Sql {
  const hours = wholeHours(pieces);
  if (asOf === undefined || hours === undefined) return noSeries;
  return Prisma.sql`
    SELECT e."series_id", 1 AS "level", e."hour" AS "bucket", e."cost", e."usage"
    FROM "usage_batch", unnest("series_ids", "hours", "costs", "usages") AS e("series_id", "hour", "cost", "usage")
    WHERE "account_id" = ${accountId}::uuid AND "fold_id" > ${asOf}::text::bigint
      AND e."hour" >= ${hours.from}::int AND e."hour" < ${hours.to}::int`;
}

function hasPoint(scope: MetricsScope): Prisma.Sql {
  const { accountId, pieces } = scope;
  if (pieces.length === 0) return Prisma.sql`FALSE`;
  // EXISTS would become a join, which reads the points of every series.
  const looked = pieces.map(
    ({ level, from, to }) => Prisma.sql`(
      SELECT 1 FROM "usage_point" AS p WHERE p."account_id" = ${accountId}::uuid AND p."level" = ${level}::smallint
        AND p."series_id" = s."series_id" AND p."bucket" >= ${from}::int AND p."bucket" < ${to}::int LIMIT 1) IS NOT NULL`,
  );
  const counted = Prisma.sql`(
    SELECT sum("events") FROM ${piecesOf(scope)}, ${pointsOf(scope, Prisma.sql`s."series_id"`)})
    > (SELECT later."events" FROM later WHERE later."series_id" = s."series_id")`;
  return Prisma.sql`
    CASE WHEN s."series_id" IN (SELECT "series_id" FROM later) THEN ${counted} ELSE ${Prisma.join(looked, ' OR ')} END`;
}

function startOfWalk({ order, from }: Walk): Prisma.Sql {
  if (from.length === 0) return Prisma.sql`TRUE`;
  const comparison = from.length === order.length ? Prisma.sql`>` : Prisma.sql`>=`;
  const names = Prisma.join(order.slice(0, from.length).map((each) => columns[each]));
  return Prisma.sql`(${names}) ${comparison} (${Prisma.join(from.map((value) => Prisma.sql`${value}::text`))})`;
}

function narrowed({ filters, workspaces }: MetricsScope): Prisma.Sql {
  const conditions = keyOrder.flatMap((dimension) => {
    const value = filters[dimension];
    return value === undefined ? [] : [Prisma.sql`${columns[dimension]} = ${value}::text`];
  });
  if (workspaces !== undefined) {
    conditions.push(Prisma.sql`"workspace" = ANY (${arrayLiteral(workspaces)}::text::text[])`);
  }
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.join(conditions, ' AND ');
}

function orderOf({ order }: GroupPage, groupBy: readonly GroupDimension[]): Prisma.Sql {
  const byKey = groupBy.map((each) => columns[each]);
  if (order === 'key') return byKey.length === 0 ? Prisma.sql`"cost"` : Prisma.join(byKey);
  const direction = order === 'cost:desc' ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  return Prisma.join([Prisma.sql`"cost" ${direction}`, ...byKey]);
}

function behind({ order, after }: GroupPage, groupBy: readonly GroupDimension[]): Prisma.Sql {
  if (after === undefined) return Prisma.sql`TRUE`;
  // Without groups there is one entry, and nothing behind it.
  if (groupBy.length === 0) return Prisma.sql`FALSE`;
  const names = Prisma.join(groupBy.map((each) => columns[each]));
  const values = Prisma.join(after.key.map((value) => Prisma.sql`${value}::text`));
  const isBehind = Prisma.sql`(${names}) > (${values})`;
  if (order === 'key') return isBehind;
  const comparison = order === 'cost:desc' ? Prisma.sql`<` : Prisma.sql`>`;
  const cost = Prisma.sql`${after.cost}::text::numeric`;
  return Prisma.sql`("cost" ${comparison} ${cost} OR ("cost" = ${cost} AND ${isBehind}))`;
}

function wholeHours(pieces: readonly Piece[]): { from: number; to: number } | undefined {
  const spans = pieces.map(({ level, from, to }) => ({ from: firstHourOf(level, from), to: firstHourOf(level, to) }));
  if (spans.length === 0) return undefined;
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}
