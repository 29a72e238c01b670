// Where a page of metrics begins, and of which moment it is: all pages of a query are of the moment of the first.
import { cursorAgeHoursMax, cursorExpired, queryCursors } from '../pagination/cursor.js';
import type { QueryCursors } from '../pagination/cursor.js';
import type { Position } from '../pagination/page.js';
import type { Seal } from '../encryption.js';
import { keyOrder } from '../metering/dimensions.js';
import type { MetricsQuery } from './metrics-query.js';
import type { GroupPosition } from './metrics-statements.js';

/** The moment that an answer is of: a fold, and in which hour since 1970 it was the last one. */
export interface MetricsMoment {
  fold: string;
  hour: number;
}

/** Where a page begins, and the moment of the pages before it. */
export interface MetricsStart {
  after: GroupPosition;
  moment: MetricsMoment;
}

/** What cursors are sealed with, and the clock. */
export interface CursorServices {
  seal: Seal;
  now: () => Date;
}

/** @param workspaces those that the caller sees; absent: all of them. */
export function metricsCursors(
  { seal, now }: CursorServices,
  accountId: string,
  query: MetricsQuery,
  workspaces: string[] | undefined,
): QueryCursors {
  const { window, resolution, zoned, groupBy, filters, order } = query;
  return queryCursors(seal, now, {
    list: 'metrics',
    account: accountId,
    window: JSON.stringify(window),
    resolution,
    ...(zoned === undefined ? {} : { timeZone: zoned.zone.name }),
    order,
    groupBy: groupBy.join(','),
    filters: JSON.stringify(keyOrder.map((dimension) => filters[dimension] ?? null)),
    workspaces: JSON.stringify(workspaces ?? null),
  });
}

/** Where a group stands, for a cursor to hold. */
export function positionFromStart(start: MetricsStart): Position {
  return { key: JSON.stringify(start), id: '' };
}

/** @param field the parameter or argument that the cursor came in. @throws 400 `cursor_expired` */
export function startFromPosition({ key }: Position, field: string, now: Date): MetricsStart {
  const start: MetricsStart = JSON.parse(key);
  // A page is as old as the first: what came in since is taken off, and is known for so long only.
  if (hourOf(now) - start.moment.hour > cursorAgeHoursMax) throw cursorExpired(field);
  return start;
}

/** One hour for all answers of it, so that the same group has the same cursor. */
export function hourOf(time: Date): number {
  return Math.floor(time.getTime() / 3_600_000);
}
