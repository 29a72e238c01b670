// Parses the parameters of account metrics into a query. Pure.
import { invalidParameter } from '../errors.js';
import { groupDimensions, isGroupDimension, keyOrder } from '../metering/dimensions.js';
import type { GroupDimension, KeyColumn } from '../metering/dimensions.js';
import { compareInstants, instantFromText, textFromInstant } from '../metering/instant.js';
import type { Instant } from '../metering/instant.js';
import { labelQuery } from '../metering/label-query.js';
import type { LabelParameters, LabelQuery } from '../metering/label-query.js';
import { filtersFromParameters } from '../metering/metrics-filters.js';
import type { FilterParameters, MetricsFilters } from '../metering/metrics-filters.js';
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

/** The order of groups: by key in byte order, which new usage never changes, or by cost. REST supports only the first. */
export type MetricsOrder = 'key' | 'cost:desc' | 'cost:asc';

/** Forward: the page after a cursor; backward: the page before it. Both have the same order of groups. */
export type PageDirection = 'forward' | 'backward';

export interface MetricsQuery {
  window: Window;
  resolution: Resolution;
  /** The buckets in local time; undefined for UTC. */
  zoned: ZonedBuckets | undefined;
  /** In key order: dimensions, then labels. */
  groupBy: KeyColumn[];
  /** The labels to group and filter by; undefined for none. */
  labels: LabelQuery | undefined;
  filters: MetricsFilters;
  order: MetricsOrder;
  direction: PageDirection;
  limit: number;
  cursor: string | undefined;
}

/** The parameters, with the same names in REST and GraphQL. REST has none of labels. */
export interface MetricsParameters extends FilterParameters, LabelParameters {
  startTime?: string | undefined;
  endTime?: string | undefined;
  resolution?: string | undefined;
  /** An IANA name; UTC by default. */
  timeZone?: string | undefined;
  groupBy?: string | undefined;
  /** The specification defines these two parameters and requires an error for them. */
  label?: string | undefined;
  unit?: string | undefined;
}

/** The requested page and order of groups. */
export interface MetricsPaging {
  order: MetricsOrder;
  direction: PageDirection;
  limit: number;
  cursor: string | undefined;
}

/**
 * @param isOfSeries whether to group by all dimensions, one group per charge, regardless of `groupBy`.
 * @throws 400 `invalid_parameter` naming the missing or invalid parameter.
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
  if (isOfSeries && zone !== undefined) {
    throw invalidParameter('timeZone', 'must be UTC with this profile, because billing months are in UTC');
  }
  const chosen = resolutionOf(window, parameters.resolution, zone);
  const resolution = isOfSeries ? withinMonths(chosen, parameters) : chosen;
  const labels = labelQuery(parameters);
  return {
    window,
    resolution,
    zoned: zone === undefined ? undefined : zonedBuckets(window, resolution, zone),
    groupBy: isOfSeries ? [...keyOrder, 'tags'] : [...groupByFromText(parameters.groupBy), ...(labels?.groupBy ?? [])],
    labels,
    filters: filtersFromParameters(parameters),
    ...paging,
  };
}

/** A request for metrics: its parameters, the page, and the transport's name of the cursor. */
export interface AskedMetrics {
  parameters: MetricsParameters;
  paging: MetricsPaging;
  cursorName: string;
  /** Whether to group by all dimensions, one group per charge. */
  isOfSeries?: boolean;
  /** Billing dimensions to leave out. Pages of such a request have no cursors. */
  withoutDimensions?: readonly string[];
}

/** Parameters that only REST has. */
interface RestParameters extends MetricsParameters {
  limit?: string | undefined;
  cursor?: string | undefined;
  /** The profile of an export. */
  profile?: string | undefined;
  /** Whether a CSV export has texts unchanged. */
  raw?: string | undefined;
}

/** Converts REST parameters to a request. An empty cursor, as on the last page, means the first page. @throws 400 */
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

/** Returns the time zone of a query's buckets. */
export function timeZoneName({ zoned }: MetricsQuery): string {
  return zoned?.zone.name ?? 'UTC';
}

/** Returns the pieces that a query's buckets are added up from. */
export function piecesOfBuckets({ window, resolution, zoned }: MetricsQuery): { pieces: Piece[]; edges: Edge[] } {
  return zoned ?? splitWindow(window, resolution);
}

/**
 * Rejects parts of hours in closed months, of which only hourly sums are kept.
 *
 * @throws 400 `invalid_parameter` naming the edge of the window within such an hour, or the time zone whose buckets
 * start within one.
 */
export function requireKeptHours(
  { window: { start, end }, zoned }: Pick<MetricsQuery, 'window' | 'zoned'>,
  closedBefore: number,
): void {
  const openFrom = textFromInstant({ hour: closedBefore, nano: 0 });
  for (const [field, { hour, nano }] of Object.entries({ startTime: start, endTime: end })) {
    if (nano === 0 || hour >= closedBefore) continue;
    throw invalidParameter(field, `must be a full hour: usage before ${openFrom} is stored by the hour`);
  }
  if (zoned?.edges.some(({ hour }) => hour < closedBefore)) {
    throw invalidParameter(
      'timeZone',
      `must differ from UTC by whole hours: usage before ${openFrom} is stored by the hour`,
    );
  }
}

function readInstant(field: string, text: string | undefined): Instant {
  if (text === undefined || text === '') throw invalidParameter(field, 'is required');
  const read = instantFromText(text);
  if ('rule' in read) throw invalidParameter(field, read.rule);
  return read;
}

/** Returns the zone; undefined for UTC. */
function zoneFromText(text: string | undefined): TimeZone | undefined {
  if (text === undefined) return undefined;
  const zone = timeZoneOf(text);
  if (zone === undefined) throw invalidParameter('timeZone', 'must be an IANA time zone, such as Europe/Berlin');
  return zone.isUtc ? undefined : zone;
}

function resolutionOf(window: Window, text: string | undefined, zone: TimeZone | undefined): Resolution {
  if (text === undefined) return defaultResolution(window, zone);
  if (!isResolution(text)) {
    throw invalidParameter('resolution', `must be one of: ${Object.keys(resolutions).join(', ')}`);
  }
  if (!isWithinCap(window, text, zone)) {
    throw invalidParameter(
      'resolution',
      `must be coarser: ${text} is allowed for periods of at most ${windowMaxTexts[text]}`,
    );
  }
  return text;
}

/**
 * Charges belong to a month. @throws 400 for weekly buckets, which can span two months, and for a different grouping.
 */
function withinMonths(
  resolution: Resolution,
  { resolution: requested, groupBy, groupByLabels }: MetricsParameters,
): Resolution {
  if (groupBy !== undefined)
    throw invalidParameter('groupBy', 'cannot be combined with a profile, which includes all dimensions');
  if ((groupByLabels ?? []).length > 0)
    throw invalidParameter('groupByLabels', 'cannot be combined with a profile, which includes all labels');
  if (resolution !== 'weekly') return resolution;
  if (requested === undefined) return 'monthly';
  throw invalidParameter(
    'resolution',
    'must be hourly, daily or monthly with this profile, because a week can span two months',
  );
}

function groupByFromText(text: string | undefined): GroupDimension[] {
  if (text === undefined) return [];
  const names = text.split(',');
  for (const dimension of names) {
    if (!isGroupDimension(dimension)) {
      const known = Object.keys(groupDimensions).join(', ');
      throw invalidParameter('groupBy', `must contain only ${known} (got ${JSON.stringify(dimension)})`);
    }
  }
  const distinct = new Set(names);
  if (distinct.size < names.length) throw invalidParameter('groupBy', 'must contain each dimension only once');
  if (names.length > groupByMax)
    throw invalidParameter('groupBy', `must have at most ${groupByMax} dimensions`, {
      limit: groupByMax,
      actual: names.length,
    });
  return keyOrder.filter((dimension) => distinct.has(dimension));
}

function limitFromText(text: string | undefined): number {
  if (text === undefined) return metricsLimitDefault;
  if (!/^\d+$/.test(text) || Number(text) < 1) throw invalidParameter('limit', 'must be a whole number of at least 1');
  return Math.min(Number(text), metricsLimitMax);
}
