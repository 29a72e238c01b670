// The questions, each as a request to the control plane and as SQL for those who have only hourly points. The peers
// add up the same cost and usage, for the same groups and buckets, with a sum of the whole window; they fill in no
// empty buckets, enrich no groups and seal no cursors.
import { levels } from '../../src/metering/window.js';
import type { Resolution } from '../../src/metering/window.js';
import { textFromInstant } from '../../src/metering/instant.js';
import { isSmoke } from '../smoke-mode.js';
import { endHour } from './generation.js';

export interface BenchQuery {
  name: string;
  from: number;
  to: number;
  resolution: Resolution;
  groupBy: Dimension[];
  resourceUuid?: string;
  /** Of `pageSize` groups each. */
  page?: number;
  /** The last group of the page before. */
  after?: string;
  /** Asks for resource types instead. */
  isOfTypes?: boolean;
}

export const pageSize = isSmoke ? 20 : 100;

const deepPage = isSmoke ? 2 : 50;

export type Dimension = 'workspace' | 'resource_type' | 'billing_dimension' | 'resource_uuid';

const day = 24;
const hourOf = (year: number, month: number, date = 1) => Date.UTC(year, month - 1, date) / 3_600_000;

const windows = {
  '6 h hourly': { from: endHour - 14, to: endHour - 8, resolution: 'hourly' },
  '30 d daily': { from: endHour - 30 * day, to: endHour, resolution: 'daily' },
  '1 y weekly': { from: hourOf(2025, 11), to: endHour, resolution: 'weekly' },
  '3 y monthly': { from: hourOf(2023, 11), to: endHour, resolution: 'monthly' },
} as const satisfies Record<string, { from: number; to: number; resolution: Resolution }>;

/** The shortest window in which a plain GROUP BY has to be ten times slower, in hours. */
export const longWindow = 30 * day;

/** @param resourceUuid a resource with usage in all windows. */
export function queriesOf(resourceUuid: string): BenchQuery[] {
  const queries: BenchQuery[] = [];
  const add = (name: string, more: Partial<BenchQuery>, chosen: (keyof typeof windows)[]) => {
    for (const window of chosen) queries.push({ name: `${window}, ${name}`, ...windows[window], groupBy: [], ...more });
  };
  const all = ['6 h hourly', '30 d daily', '1 y weekly', '3 y monthly'] as const;
  add('no groups', {}, [...all]);
  add('by workspace', { groupBy: ['workspace'] }, [...all]);
  add('by billing dimension', { groupBy: ['billing_dimension'] }, [...all]);
  add('by three dimensions', { groupBy: ['workspace', 'resource_type', 'billing_dimension'] }, [...all]);
  add('by resource_uuid, page 1', { groupBy: ['resource_uuid'], page: 1 }, ['30 d daily', '1 y weekly']);
  add(`by resource_uuid, page ${deepPage}`, { groupBy: ['resource_uuid'], page: deepPage }, [
    '30 d daily',
    '1 y weekly',
  ]);
  add('one resource', { resourceUuid }, [...all]);
  add('resource types', { isOfTypes: true }, ['1 y weekly']);
  return queries;
}

/** The path and query string of the control plane. */
export function pathOf(query: BenchQuery, accountId: string, cursor = ''): string {
  const { from, to, resolution, groupBy, resourceUuid, page, isOfTypes } = query;
  const text = (hour: number) => textFromInstant({ hour, nano: 0 });
  const parameters = new URLSearchParams({ startTime: text(from), endTime: text(to) });
  if (isOfTypes) return `/v0/accounts/${accountId}/metrics/enums/resource-types?${parameters.toString()}`;
  parameters.set('resolution', resolution);
  if (groupBy.length > 0) parameters.set('groupBy', groupBy.join(','));
  if (page !== undefined) parameters.set('limit', String(pageSize));
  if (resourceUuid !== undefined) parameters.set('resourceUuid', resourceUuid);
  if (cursor !== '') parameters.set('cursor', cursor);
  return `/v0/accounts/${accountId}/metrics?${parameters.toString()}`;
}

/** How a peer's SQL names what it reads. */
export interface Dialect {
  /** The hourly points of the account in the window, with the columns of groups. */
  points: (query: BenchQuery) => string;
  /** The bucket that a point is in. */
  bucket: (resolution: Resolution) => string;
  /** A bucket that is none, for the sum of all. */
  none: string;
  /** Turns an integer sum into one type on both sides of a UNION. */
  sum: (column: string) => string;
}

/** Rows of group, bucket, cost, usage. What is not paged adds up to the sum of all by itself. */
export function sqlOf(query: BenchQuery, { points, bucket, none, sum }: Dialect): string {
  const { groupBy, resolution, page, after, isOfTypes } = query;
  const source = points(query);
  if (isOfTypes)
    return `SELECT resource_type AS a, 0 AS bucket, 0 AS cost, 0 AS usage FROM ${source} GROUP BY 1 ORDER BY 1`;
  const keys = groupBy.map((dimension) => `${dimension}, `).join('');
  const places = groupBy.map((_, place) => `${place + 1}, `).join('');
  const grouped = (where: string) => `
    SELECT ${keys}${bucket(resolution)} AS bucket, ${sum('cost')} AS cost, ${sum('usage')} AS usage FROM ${source}${where}
    GROUP BY ${places}${groupBy.length + 1}`;
  if (page === undefined) return grouped('');
  const behind = after === undefined ? '' : ` AND resource_uuid > '${after}'`;
  const chosen = `SELECT resource_uuid FROM ${source}${behind} GROUP BY 1 ORDER BY 1 LIMIT ${pageSize}`;
  return `
    ${grouped(` AND resource_uuid IN (${chosen})`)}
    UNION ALL SELECT 'all', ${none}, ${sum('cost')}, ${sum('usage')} FROM ${source}`;
}

export function bucketColumn(resolution: Resolution): string {
  return (['hour', 'day', 'week', 'month'] as const)[levels[resolution] - 1] ?? 'hour';
}
