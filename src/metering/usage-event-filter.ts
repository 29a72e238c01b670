// Parses the filter of usage events. It has the filters of account metrics, so those of a bucket find the events behind
// it. Pure.
import { invalidParameter } from '../errors.js';
import { compareInstants, instantFromText } from './instant.js';
import type { Instant } from './instant.js';
import { labelQuery } from './label-query.js';
import type { LabelParameters, LabelQuery } from './label-query.js';
import { filtersFromParameters } from './metrics-filters.js';
import type { FilterParameters, MetricsFilters } from './metrics-filters.js';
import { isName } from './usage-event.js';

export const usageEventStates = {
  active: 'The event counts as it was recorded.',
  amended: 'The event counts with amended contents.',
  voided: 'The event no longer counts.',
} as const;

export type UsageEventState = keyof typeof usageEventStates;

/** The filter of usage events, with the same names in the API and on the command line. */
export interface UsageEventParameters extends FilterParameters, Pick<LabelParameters, 'labels'> {
  /** RFC 3339, inclusive. */
  startTime?: string | undefined;
  /** RFC 3339, exclusive. */
  endTime?: string | undefined;
  source?: string | undefined;
  eventId?: string | undefined;
  state?: UsageEventState | undefined;
}

export interface UsageEventFilter {
  start: Instant | undefined;
  end: Instant | undefined;
  filters: MetricsFilters;
  labels: LabelQuery | undefined;
  source: string | undefined;
  eventId: string | undefined;
  state: UsageEventState | undefined;
}

/** @throws 400 `invalid_parameter` naming the parameter. */
export function usageEventFilter(parameters: UsageEventParameters): UsageEventFilter {
  const { source, eventId, state } = parameters;
  const start = readInstant('startTime', parameters.startTime);
  const end = readInstant('endTime', parameters.endTime);
  if (start !== undefined && end !== undefined && compareInstants(start, end) >= 0) {
    throw invalidParameter('endTime', 'must be after startTime');
  }
  for (const [field, value] of Object.entries({ source, eventId })) {
    if (value !== undefined && !isName(value)) {
      throw invalidParameter(field, 'must be 1 to 200 characters, without control characters');
    }
  }
  const labels = labelQuery({ labels: parameters.labels });
  return { start, end, filters: filtersFromParameters(parameters), labels, source, eventId, state };
}

function readInstant(field: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined;
  const read = instantFromText(text);
  if ('rule' in read) throw invalidParameter(field, read.rule);
  return read;
}
