// From the parameters of account metrics, as text, to a query that can be answered. Pure.
import { invalidParameter } from '../../errors.js';
import { billingDimensions, groupDimensions, isBillingDimension, isGroupDimension, keyOrder } from './dimensions.js';
import type { GroupDimension } from './dimensions.js';
import { compareInstants, instantFromText, textFromInstant } from './instant.js';
import type { Instant } from './instant.js';
import { defaultResolution, isResolution, isWithinCap, resolutions, windowMaxTexts } from './window.js';
import type { Resolution, Window } from './window.js';

export const groupByMax = 3;
export const metricsLimitDefault = 100;
export const metricsLimitMax = 100;

/** The orders of groups. REST knows the first alone. */
export const metricsOrders = {
  key: 'By the group itself, bytewise: an order that new usage never changes.',
  'cost:desc': 'What costs most first.',
  'cost:asc': 'What costs least first.',
} as const;

export type MetricsOrder = keyof typeof metricsOrders;

export interface MetricsQuery {
  window: Window;
  resolution: Resolution;
  /** In the order of keys. */
  groupBy: GroupDimension[];
  filters: Partial<Record<GroupDimension, string>>;
  order: MetricsOrder;
  limit: number;
  cursor: string | undefined;
}

/** The parameters as they come, by the names that both doors give them. */
export interface MetricsParameters {
  startTime?: string | undefined;
  endTime?: string | undefined;
  resolution?: string | undefined;
  groupBy?: string | undefined;
  workspace?: string | undefined;
  resourceType?: string | undefined;
  resourceName?: string | undefined;
  resourceUuid?: string | undefined;
  billingDimension?: string | undefined;
  limit?: string | undefined;
  cursor?: string | undefined;
}

/** What a door calls the parameters of paging, for its messages. */
export interface PagingNames {
  limit: string;
  cursor: string;
}

/** As REST has them. */
export const pagingNames: PagingNames = { limit: 'limit', cursor: 'cursor' };

/** The dimension that each filter narrows. */
const filters = [
  { name: 'workspace', dimension: 'workspace' },
  { name: 'resourceType', dimension: 'resource_type' },
  { name: 'resourceName', dimension: 'resource_name' },
  { name: 'resourceUuid', dimension: 'resource_uuid' },
  { name: 'billingDimension', dimension: 'billing_dimension' },
] as const satisfies { name: keyof MetricsParameters; dimension: GroupDimension }[];

/** @throws 400 `invalid_parameter` naming the parameter that is missing, or breaks a rule. */
export function metricsQueryFromParameters(
  parameters: MetricsParameters,
  order: MetricsOrder = 'key',
  names: PagingNames = pagingNames,
): MetricsQuery {
  const window = windowFromParameters(parameters);
  return {
    window,
    resolution: resolutionOf(window, parameters.resolution),
    groupBy: groupByFromText(parameters.groupBy),
    filters: filtersFromParameters(parameters),
    order,
    limit: limitFromText(names.limit, parameters.limit),
    cursor: parameters.cursor === '' ? undefined : parameters.cursor,
  };
}

/** @throws 400 `invalid_parameter` */
export function windowFromParameters({ startTime, endTime }: Pick<MetricsParameters, 'startTime' | 'endTime'>): Window {
  const window = { start: readInstant('startTime', startTime), end: readInstant('endTime', endTime) };
  if (compareInstants(window.start, window.end) >= 0) throw invalidParameter('endTime', 'must be after startTime');
  return window;
}

/**
 * Of closed months only the sums of hours are kept, so a part of an hour cannot be answered.
 *
 * @throws 400 `invalid_parameter` naming the edge of the window that lies inside such an hour.
 */
export function requireKeptHours({ start, end }: Window, closedBefore: number): void {
  const kept = textFromInstant({ hour: closedBefore, nano: 0 });
  for (const [field, { hour, nano }] of Object.entries({ startTime: start, endTime: end })) {
    if (nano === 0 || hour >= closedBefore) continue;
    throw invalidParameter(field, `must fall on an hour: of usage before ${kept} only whole hours are kept`);
  }
}

function readInstant(field: string, text: string | undefined): Instant {
  if (text === undefined || text === '') throw invalidParameter(field, 'is required');
  const read = instantFromText(text);
  if ('rule' in read) throw invalidParameter(field, read.rule);
  return read;
}

function resolutionOf(window: Window, text: string | undefined): Resolution {
  if (text === undefined) return defaultResolution(window);
  if (!isResolution(text)) {
    throw invalidParameter('resolution', `must be one of: ${Object.keys(resolutions).join(', ')}`);
  }
  if (!isWithinCap(window, text)) {
    throw invalidParameter('resolution', `must be coarser: ${text} is for windows of at most ${windowMaxTexts[text]}`);
  }
  return text;
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

function filtersFromParameters(parameters: MetricsParameters): MetricsQuery['filters'] {
  const narrowed: MetricsQuery['filters'] = {};
  for (const { name, dimension } of filters) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (value === '') throw invalidParameter(name, 'must not be empty');
    if (/\p{Cc}/u.test(value)) throw invalidParameter(name, 'must not hold control characters');
    if (dimension === 'billing_dimension' && !isBillingDimension(value)) {
      throw invalidParameter(name, `must be one of: ${Object.keys(billingDimensions).join(', ')}`);
    }
    narrowed[dimension] = value;
  }
  return narrowed;
}

function limitFromText(name: string, text: string | undefined): number {
  if (text === undefined) return metricsLimitDefault;
  if (!/^\d+$/.test(text) || Number(text) < 1) throw invalidParameter(name, 'must be a whole number of at least 1');
  return Math.min(Number(text), metricsLimitMax);
}
