// SQL that reads recorded events, newest first. All pages have the contents of one snapshot: the corrections after it
// are undone, because an amendment could move an event across pages. Events that are recorded later may appear.
import { Prisma } from '../database/client/client.js';
import { keyOrder, labelColumns } from './dimensions.js';
import type { GroupDimension } from './dimensions.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageEventFilter, UsageEventState } from './usage-event-filter.js';
import { waitingBatchesSql } from './usage-rollup.js';

/** Which events are read. */
export interface EventsScope {
  accountId: string;
  filter: UsageEventFilter;
  /** The workspaces visible to the caller; undefined for all. */
  workspaces: string[] | undefined;
  /** The last correction of the snapshot; undefined for the present. */
  asOf: string | undefined;
  /** Whether to leave out voided events. */
  withoutVoided?: boolean;
}

/** The position of an event in the list. */
export interface EventPosition {
  hour: number;
  nano: number;
  source: string;
  id: string;
}

/** The contents of an event. */
export interface EventContents extends Pick<EventPosition, 'hour' | 'nano'> {
  workspace: string;
  resourceType: string;
  resourceName: string;
  resourceUuid: string;
  billingDimension: string;
  /** Micro-units. */
  usage: string;
  /** Nano-dollars. */
  cost: string;
}

export interface StoredCorrection {
  isVoid: boolean;
  at: string;
  by: string;
  reason: string;
  before: EventContents;
}

export interface EventRow extends EventPosition, EventContents {
  voided: boolean;
  arrivedAt: string;
  /** Oldest first. */
  corrections: StoredCorrection[];
}

interface EventsSnapshot {
  /** The last correction of the account. */
  head: string;
  /** Events before this hour were dropped. */
  closedBefore: number;
  /** Whether events are waiting to be rolled up, and the statement may therefore not find them. */
  waits: boolean;
}

export interface EventRows extends EventsSnapshot {
  rows: EventRow[];
}

export interface EventSums extends EventsSnapshot {
  count: string;
  /** Nano-dollars. */
  cost: string;
}

/** The events after a position, or before it when reading backward. */
export interface EventsSlice {
  direction: 'forward' | 'backward';
  limit: number;
  from: EventPosition | undefined;
}

/** Reads EventRows. The rows are in the direction of the slice. */
export function eventsStatement(scope: EventsScope, slice: EventsSlice): Prisma.Sql {
  const order = orderOf(slice.direction);
  const limited = unionOf(scope, slice).map((select) => Prisma.sql`(${select} ${order} LIMIT ${slice.limit}::int)`);
  return Prisma.sql`
    WITH found AS MATERIALIZED (
      SELECT * FROM (${Prisma.join(limited, ' UNION ALL ')}) AS f ${order} LIMIT ${slice.limit}::int)
    SELECT json_build_object(${snapshotOf(scope)}, 'rows', (
      SELECT coalesce(json_agg(json_build_object('source', e."source", 'id', e."id", ${contents('e')},
        'voided', e."voided", 'arrivedAt', e."arrived_at", 'corrections', ${correctionsOf(scope)}) ${order}), '[]')
      FROM found AS e))::text`;
}

/** Reads EventSums. Voided events are counted and cost nothing. */
export function eventSumsStatement(scope: EventsScope): Prisma.Sql {
  return Prisma.sql`
    SELECT json_build_object(${snapshotOf(scope)}, 'count', count(*)::text,
      'cost', coalesce(sum("cost") FILTER (WHERE NOT "voided"), 0)::text)::text
    FROM (${Prisma.join(unionOf(scope, undefined), ' UNION ALL ')}) AS f`;
}

/** Reads the number of the last correction of an account, as text. */
export function correctionHeadStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT coalesce((SELECT "last"::text FROM "usage_correction_head" WHERE "account_id" = ${accountId}::uuid), '0')`;
}

function orderOf(direction: EventsSlice['direction']): Prisma.Sql {
  return direction === 'forward'
    ? Prisma.sql`ORDER BY "hour" DESC, "nano" DESC, "source" DESC, "id" DESC`
    : Prisma.sql`ORDER BY "hour", "nano", "source", "id"`;
}

function snapshotOf({ accountId }: EventsScope): Prisma.Sql {
  return Prisma.sql`
    'head', (${correctionHeadStatement(accountId)}),
    'closedBefore', coalesce((SELECT "closed_before" FROM "usage_account" WHERE "account_id" = ${accountId}::uuid), 0),
    'waits', ${waitingBatchesSql(accountId)}`;
}

/** The selects of events that are unchanged since the snapshot, and of events as they were before a later correction. */
function unionOf(scope: EventsScope, slice: EventsSlice | undefined): Prisma.Sql[] {
  const { asOf, accountId } = scope;
  const events = stored(scope, slice);
  if (asOf === undefined) return [select(scope, slice, events, Prisma.sql`TRUE`)];
  const later = Prisma.sql`"account_id" = ${accountId}::uuid AND "number" > ${asOf}::text::bigint`;
  const before = {
    hour: hourOfEvent,
    rows: Prisma.sql`(
    SELECT c."source", c."id", c."series_id", c."hour", c."nano", c."usage", c."cost", FALSE AS "voided", u."arrived_at"
    FROM (
      SELECT DISTINCT ON ("source", "id") * FROM "usage_correction" WHERE ${later} ORDER BY "source", "id", "number"
    ) AS c JOIN "usage_event" AS u
      ON u."account_id" = ${accountId}::uuid AND u."source" = c."source" AND u."id" = c."id") AS e`,
  };
  const unchangedCondition = Prisma.sql`
    (e."source", e."id") NOT IN (SELECT "source", "id" FROM "usage_correction" WHERE ${later})`;
  return [select(scope, slice, events, unchangedCondition), select(scope, slice, before, Prisma.sql`TRUE`)];
}

const hourOfEvent = Prisma.sql`e."hour"`;

/** SQL of the rows `e`, and of their hour. Of rows that are read hour by hour it is the sorted one. */
interface EventSource {
  rows: Prisma.Sql;
  hour: Prisma.Sql;
}

function select(
  scope: EventsScope,
  slice: EventsSlice | undefined,
  events: EventSource,
  condition: Prisma.Sql,
): Prisma.Sql {
  const { filter } = scope;
  const conditions = [
    condition,
    ...narrowed(scope, keyOrder, 's'),
    ...labeled(scope),
    ...withinHours(scope, slice, hourOfEvent),
    ...(filter.start === undefined ? [] : [Prisma.sql`${timeOfEvent} >= ${timeOf(filter.start)}`]),
    ...(filter.end === undefined ? [] : [Prisma.sql`${timeOfEvent} < ${timeOf(filter.end)}`]),
    ...(filter.source === undefined ? [] : [Prisma.sql`e."source" = ${filter.source}::text`]),
    ...(filter.eventId === undefined ? [] : [Prisma.sql`e."id" = ${filter.eventId}::text`]),
    ...(filter.state === undefined ? [] : [stateConditions[filter.state](correctedSql(scope))]),
    ...(scope.withoutVoided === true ? [Prisma.sql`NOT e."voided"`] : []),
    ...beyond(slice),
  ];
  return Prisma.sql`
    SELECT e."source", e."id", ${events.hour} AS "hour", e."nano", e."usage", e."cost", e."voided", e."arrived_at", s."workspace",
      s."resource_type", s."resource_name", s."resource_uuid", s."billing_dimension"
    FROM ${events.rows} ${seriesOf(scope)}
    WHERE ${Prisma.join(conditions, ' AND ')}`;
}

/**
 * The series `s` of each event. With a filter they are looked up event by event: without statistics, PostgreSQL would
 * read the events of all hours again for each series.
 */
function seriesOf(scope: EventsScope): Prisma.Sql {
  const own = Prisma.sql`s."account_id" = ${scope.accountId}::uuid AND s."series_id" = e."series_id"`;
  return isNarrow(scope)
    ? Prisma.sql`CROSS JOIN LATERAL (SELECT * FROM "usage_series" AS s WHERE ${own} OFFSET 0) AS s`
    : Prisma.sql`JOIN "usage_series" AS s ON ${own}`;
}

/** Whether the filter is by resource, workspace, dimension or label. */
function isNarrow({ filter, workspaces }: EventsScope): boolean {
  return Object.keys(filter.filters).length > 0 || filter.labels !== undefined || workspaces !== undefined;
}

/**
 * SQL for the conditions on the labels of the series `s`. IS TRUE makes PostgreSQL read the sets of labels once, not for each
 * event by a join.
 */
function labeled({ accountId, filter: { labels } }: EventsScope): Prisma.Sql[] {
  return (labels?.conditions ?? []).flatMap(({ column, values, isSet }) => {
    const value = Prisma.sql`(l."labels"->>${labels?.keys[labelColumns.indexOf(column)] ?? ''}::text)`;
    const sets = (condition: Prisma.Sql) => Prisma.sql`(
      SELECT l."label_set_id" FROM "usage_label_set" AS l WHERE l."account_id" = ${accountId}::uuid AND ${condition})`;
    const present = sets(Prisma.sql`${value} IS NOT NULL`);
    return [
      ...(isSet === undefined
        ? []
        : [Prisma.sql`(s."label_set_id" ${isSet ? Prisma.sql`IN` : Prisma.sql`NOT IN`} ${present}) IS TRUE`]),
      ...(values === undefined
        ? []
        : [
            Prisma.sql`(s."label_set_id" IN ${sets(Prisma.sql`${value} = ANY (${arrayLiteral(values)}::text::text[])`)}) IS TRUE`,
          ]),
    ];
  });
}

const timeOfEvent = Prisma.sql`(e."hour", e."nano")`;

function timeOf({ hour, nano }: Pick<EventPosition, 'hour' | 'nano'>): Prisma.Sql {
  return Prisma.sql`(${hour}::int, ${String(nano)}::text::bigint)`;
}

const stateConditions: Record<UsageEventState, (corrected: Prisma.Sql) => Prisma.Sql> = {
  active: (corrected) => Prisma.sql`NOT e."voided" AND NOT ${corrected}`,
  amended: (corrected) => Prisma.sql`NOT e."voided" AND ${corrected}`,
  voided: () => Prisma.sql`e."voided"`,
};

function beyond(slice: EventsSlice | undefined): Prisma.Sql[] {
  if (slice?.from === undefined) return [];
  const { hour, nano, source, id } = slice.from;
  const comparison = slice.direction === 'forward' ? Prisma.sql`<` : Prisma.sql`>`;
  return [
    Prisma.sql`(e."hour", e."nano", e."source", e."id")
      ${comparison} (${hour}::int, ${String(nano)}::text::bigint, ${source}::text, ${id}::text)`,
  ];
}

/**
 * The stored events `e`. With a filter by resource, workspace, dimension or label, only hours with such usage are read: the
 * sums by hour know them, also those whose events were all voided.
 */
function stored(scope: EventsScope, slice: EventsSlice | undefined): EventSource {
  const { accountId, filter } = scope;
  const own = Prisma.sql`"account_id" = ${accountId}::uuid`;
  const isById = filter.source !== undefined && filter.eventId !== undefined;
  if (!isNarrow(scope) || isById) {
    return { hour: hourOfEvent, rows: Prisma.sql`(SELECT * FROM "usage_event" WHERE ${own}) AS e` };
  }
  const direction = slice?.direction === 'backward' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const rows = Prisma.sql`(
    SELECT DISTINCT h."bucket" FROM ${hoursOf(scope)} AND h."level" = 1
      AND ${Prisma.join([Prisma.sql`TRUE`, ...withinHours(scope, slice, Prisma.sql`h."bucket"`)], ' AND ')}
    ORDER BY h."bucket" ${direction}) AS hours,
    LATERAL (SELECT * FROM "usage_event" WHERE ${own} AND "hour" = hours."bucket" OFFSET 0) AS e`;
  return { hour: Prisma.sql`hours."bucket"`, rows };
}

/** The hours with usage, from the sums of series for a filter by resource, otherwise from cells. */
function hoursOf(scope: EventsScope): Prisma.Sql {
  const { accountId, filter } = scope;
  const own = Prisma.sql`h."account_id" = ${accountId}::uuid`;
  const isOfResource = filter.filters.resource_name !== undefined || filter.filters.resource_uuid !== undefined;
  const dimensions = isOfResource
    ? keyOrder
    : keyOrder.filter((each) => !each.startsWith('resource_n') && each !== 'resource_uuid');
  const conditions = narrowed(scope, dimensions, isOfResource ? 'd' : 'h');
  if (!isOfResource) return Prisma.sql`"usage_cell" AS h WHERE ${Prisma.join([own, ...conditions], ' AND ')}`;
  return Prisma.sql`"usage_point" AS h JOIN "usage_series" AS d
    ON d."account_id" = ${accountId}::uuid AND d."series_id" = h."series_id"
    WHERE ${Prisma.join([own, ...conditions], ' AND ')}`;
}

/** The bounds of the hours of a slice, for an index. */
function withinHours({ filter }: EventsScope, slice: EventsSlice | undefined, hour: Prisma.Sql): Prisma.Sql[] {
  const { start, end } = filter;
  const from = slice?.from?.hour;
  const isBackward = slice?.direction === 'backward';
  const atLeast = [start?.hour, isBackward ? from : undefined].filter((each) => each !== undefined);
  const atMost = [end?.hour, isBackward ? undefined : from].filter((each) => each !== undefined);
  return [
    ...(atLeast.length === 0 ? [] : [Prisma.sql`${hour} >= ${Math.max(...atLeast)}::int`]),
    ...(atMost.length === 0 ? [] : [Prisma.sql`${hour} <= ${Math.min(...atMost)}::int`]),
  ];
}

function narrowed(
  { filter, workspaces }: EventsScope,
  dimensions: readonly GroupDimension[],
  alias: 's' | 'd' | 'h',
): Prisma.Sql[] {
  const column = (dimension: GroupDimension) => Prisma.raw(`${alias}."${dimension}"`);
  const conditions = dimensions.flatMap((dimension) => {
    const value = filter.filters[dimension];
    return value === undefined ? [] : [Prisma.sql`${column(dimension)} = ${value}::text`];
  });
  if (workspaces === undefined) return conditions;
  return [...conditions, Prisma.sql`${column('workspace')} = ANY (${arrayLiteral(workspaces)}::text::text[])`];
}

/** SQL for the corrections of the event `e` in the snapshot. */
function correctionsIn({ accountId, asOf }: EventsScope): Prisma.Sql {
  const known = asOf === undefined ? Prisma.sql`TRUE` : Prisma.sql`c."number" <= ${asOf}::text::bigint`;
  return Prisma.sql`
    c."account_id" = ${accountId}::uuid AND c."source" = e."source" AND c."id" = e."id" AND ${known}`;
}

function correctedSql(scope: EventsScope): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM "usage_correction" AS c WHERE ${correctionsIn(scope)})`;
}

function correctionsOf(scope: EventsScope): Prisma.Sql {
  return Prisma.sql`(
    SELECT coalesce(json_agg(json_build_object('isVoid', b."is_void", 'at', b."corrected_at", 'by', b."corrected_by",
      'reason', b."reason", 'before', json_build_object(${contents('b')})) ORDER BY b."number"), '[]')
    FROM (
      SELECT c.*, s."workspace", s."resource_type", s."resource_name", s."resource_uuid", s."billing_dimension"
      FROM "usage_correction" AS c JOIN "usage_series" AS s
        ON s."account_id" = ${scope.accountId}::uuid AND s."series_id" = c."series_id"
      WHERE ${correctionsIn(scope)}) AS b)`;
}

/** SQL for EventContents as fields of a JSON object. */
function contents(alias: 'e' | 'b'): Prisma.Sql {
  return Prisma.raw(
    `'hour', ${alias}."hour", 'nano', ${alias}."nano", 'usage', ${alias}."usage"::text, 'cost', ${alias}."cost"::text, ` +
      `'workspace', ${alias}."workspace", 'resourceType', ${alias}."resource_type", ` +
      `'resourceName', ${alias}."resource_name", 'resourceUuid', ${alias}."resource_uuid", ` +
      `'billingDimension', ${alias}."billing_dimension"`,
  );
}
