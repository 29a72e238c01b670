// From the parameters of account metrics, as text, to a query that can be answered. Pure.
import { invalidParameter } from '../errors.js';
import { groupDimensions, isGroupDimension, keyOrder } from '../metering/dimensions.js';
import type { GroupDimension } from '../metering/dimensions.js';
import { compareInstants, instantFromText, textFromInstant } from '../metering/instant.js';
import type { Instant } from '../metering/instant.js';
import { filtersFromParameters } from './metrics-filters.js';
import type { FilterParameters, MetricsFilters } from './metrics-filters.js';
import { timeZoneOf } from '../metering/time-zone.js';
import type { TimeZone } from '../metering/time-zone.js';
import {
  defaultResolution,
  isResolution,
  isWithinCap,
  resolutions,
  splitWindow,
  windowMaxTexts,
} from '../metering/window.js';
import type { Edge, Piece, Resolution, Window } from '../metering/window.js';
import { zonedBuckets } from './zoned-buckets.js';
import type { ZonedBuckets } from './zoned-buckets.js';

export const groupByMax = 3;
export const metricsLimitDefault = 100;
export const metricsLimitMax = 100;

/** The orders of groups. REST knows the first alone. */
export const metricsOrders = {
  key: 'Group key, in byte order. New usage never changes this order.',
  'cost:desc': 'Highest cost first.',
  'cost:asc': 'Lowest cost first.',
} as const;

export type MetricsOrder = keyof typeof metricsOrders;

/** Forward: a page behind a cursor; backward: the one before it. Its groups are in the same order. */
export type PageDirection = 'forward' | 'backward';

export interface MetricsQuery {
  window: Window;
  resolution: Resolution;
  /** Its buckets where they are those of a time zone; absent where they are those of UTC. */
  zoned: ZonedBuckets | undefined;
  /** In the order of keys. */
  groupBy: GroupDimension[];
  filters: MetricsFilters;
  order: MetricsOrder;
  direction: PageDirection;
  limit: number;
  cursor: string | undefined;
}

/** What is asked, in words, by the names that both doors give them. */
export interface MetricsParameters extends FilterParameters {
  startTime?: string | undefined;
  endTime?: string | undefined;
  resolution?: string | undefined;
  /** IANA name; UTC by default. */
  timeZone?: string | undefined;
  groupBy?: string | undefined;
  /** The specification knows these two, and has them refused. */
  label?: string | undefined;
  unit?: string | undefined;
}

/** Which groups are asked for, and in which order. */
export interface MetricsPaging {
  order: MetricsOrder;
  direction: PageDirection;
  limit: number;
  cursor: string | undefined;
}

/**
 * @param isOfSeries by all dimensions, each charge by itself: `groupBy` says nothing then.
 * @throws 400 `invalid_parameter` naming the parameter that is missing, or breaks a rule.
 */
export function metricsQueryFromParameters(
  parameters: MetricsParameters,
  paging: MetricsPaging,
  isOfSeries = false,
): MetricsQuery {
  for (const name of ['label', 'unit'] as const) {
    if (parameters[name] !== undefined) throw invalidParameter(name, 'is not supported');
  }
  const window = windowFromParameters(parameters);
  const zone = zoneFromText(parameters.timeZone);
  const chosen = resolutionOf(window, parameters.resolution, zone);
  const resolution = isOfSeries ? withinMonths(chosen, parameters) : chosen;
  return {
    window,
    resolution,
    zoned: zone === undefined ? undefined : zonedBuckets(window, resolution, zone),
    groupBy: isOfSeries ? [...keyOrder] : groupByFromText(parameters.groupBy),
    filters: filtersFromParameters(parameters),
    ...paging,
  };
}

/** What a door is asked: the question in words, the page, and what the door calls its cursor. */
export interface AskedMetrics {
  parameters: MetricsParameters;
  paging: MetricsPaging;
  cursorName: string;
  /** Whether it is asked of each charge by itself, by all dimensions. */
  isOfSeries?: boolean;
  /** Billing dimensions that are left out; its pages have no cursors. */
  withoutDimensions?: readonly string[];
}

/** What REST takes beside the question itself. */
interface RestParameters extends MetricsParameters {
  limit?: string | undefined;
  cursor?: string | undefined;
  /** Of a file. */
  profile?: string | undefined;
}

/** What the parameters of REST ask. An empty cursor, as the last page has it, is the first page. @throws 400 */
export function askedInRest({ limit, cursor, ...parameters }: RestParameters): AskedMetrics {
  const paging = {
    order: 'key',
    direction: 'forward',
    limit: limitFromText(limit),
    cursor: cursor === '' ? undefined : cursor,
  } as const;
  return { parameters, paging, cursorName: 'cursor' };
}

/** @throws 400 `invalid_parameter` */
export function windowFromParameters({ startTime, endTime }: Pick<MetricsParameters, 'startTime' | 'endTime'>): Window {
  const window = { start: readInstant('startTime', startTime), end: readInstant('endTime', endTime) };
  if (compareInstants(window.start, window.end) >= 0) throw invalidParameter('endTime', 'must be after startTime');
  return window;
}

/** The zone that the buckets of a query are of. */
export function timeZoneName({ zoned }: MetricsQuery): string {
  return zoned?.zone.name ?? 'UTC';
}

/** The pieces that the buckets of a query are added up from. */
export function piecesOfBuckets({ window, resolution, zoned }: MetricsQuery): { pieces: Piece[]; edges: Edge[] } {
  return zoned ?? splitWindow(window, resolution);
}

/**
 * Of closed months only the sums of hours are kept, so a part of an hour cannot be answered.
 *
 * @throws 400 `invalid_parameter` naming the edge of the window that lies inside such an hour, or the zone whose buckets
 *   begin there.
 */
export function requireKeptHours(
  { window: { start, end }, zoned }: Pick<MetricsQuery, 'window' | 'zoned'>,
  closedBefore: number,
): void {
  const kept = textFromInstant({ hour: closedBefore, nano: 0 });
  for (const [field, { hour, nano }] of Object.entries({ startTime: start, endTime: end })) {
    if (nano === 0 || hour >= closedBefore) continue;
    throw invalidParameter(field, `must be a full hour: usage before ${kept} is only stored by the hour`);
  }
  if (zoned?.edges.some(({ hour }) => hour < closedBefore)) {
    throw invalidParameter(
      'timeZone',
      `must be a whole number of hours off UTC: usage before ${kept} is only stored by the hour`,
    );
  }
}

function readInstant(field: string, text: string | undefined): Instant {
  if (text === undefined || text === '') throw invalidParameter(field, 'is required');
  const read = instantFromText(text);
  if ('rule' in read) throw invalidParameter(field, read.rule);
  return read;
}

/** The zone of a name; undefined for UTC. */
function zoneFromText(text: string | undefined): TimeZone | undefined {
  if (text === undefined) return undefined;
  const zone = timeZoneOf(text);
  if (zone === undefined)
    throw invalidParameter('timeZone', 'must be a zone of the IANA database, such as Europe/Berlin');
  return zone.isUtc ? undefined : zone;
}

function resolutionOf(window: Window, text: string | undefined, zone: TimeZone | undefined): Resolution {
  if (text === undefined) return defaultResolution(window, zone);
  if (!isResolution(text)) {
    throw invalidParameter('resolution', `must be one of: ${Object.keys(resolutions).join(', ')}`);
  }
  if (!isWithinCap(window, text, zone)) {
    throw invalidParameter('resolution', `must be coarser: ${text} is for windows of at most ${windowMaxTexts[text]}`);
  }
  return text;
}

/** Charges belong to a month. @throws 400 for weeks, of which some lie in two, and for a grouping beside that of charges. */
function withinMonths(resolution: Resolution, { resolution: asked, groupBy }: MetricsParameters): Resolution {
  if (groupBy !== undefined)
    throw invalidParameter('groupBy', 'cannot be combined with a profile, which includes all dimensions');
  if (resolution !== 'weekly') return resolution;
  if (asked === undefined) return 'monthly';
  throw invalidParameter(
    'resolution',
    'must be hourly, daily or monthly with this profile, because a week can span two months',
  );
}

function groupByFromText(text: string | undefined): GroupDimension[] {
  if (text === undefined) return [];
  const asked = text.split(',');
  for (const dimension of asked) {
    if (!isGroupDimension(dimension)) {
      const known = Object.keys(groupDimensions).join(', ');
      throw invalidParameter('groupBy', `must be made of ${known}; ${JSON.stringify(dimension)} is none of them`);
    }
  }
  const distinct = new Set(asked);
  if (distinct.size < asked.length) throw invalidParameter('groupBy', 'must name each dimension once');
  if (asked.length > groupByMax) throw invalidParameter('groupBy', `must have at most ${groupByMax} dimensions`);
  return keyOrder.filter((dimension) => distinct.has(dimension));
}

function limitFromText(text: string | undefined): number {
  if (text === undefined) return metricsLimitDefault;
  if (!/^\d+$/.test(text) || Number(text) < 1) throw invalidParameter('limit', 'must be a whole number of at least 1');
  return Math.min(Number(text), metricsLimitMax);
}
