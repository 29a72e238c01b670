// Cursors of metrics: the start of a page, and the snapshot, which all pages of a query share.
import { cursorAgeHoursMax, cursorExpired, queryCursors } from '../pagination/cursor.js';
import type { QueryCursors } from '../pagination/cursor.js';
import type { Position } from '../pagination/page.js';
import type { Encryption } from '../encryption.js';
import { keyOrder } from '../metering/dimensions.js';
import type { MetricsQuery } from './metrics-query.js';
import type { GroupPosition } from './metrics-statements.js';

/** The snapshot of an answer: the last rollup, and the hour since 1970 when it was the last one. */
export interface MetricsSnapshot {
  rollup: string;
  hour: number;
}

/** The start of a page, and the snapshot of the previous pages. */
export interface MetricsStart {
  after: GroupPosition;
  snapshot: MetricsSnapshot;
}

/** The key that encrypts cursors, and the clock. */
export interface CursorServices {
  encryption: Encryption;
  now: () => Date;
}

/** @param workspaces the workspaces visible to the caller; undefined for all. */
export function metricsCursors(
  { encryption, now }: CursorServices,
  accountId: string,
  query: MetricsQuery,
  workspaces: string[] | undefined,
): QueryCursors {
  const { window, resolution, zoned, groupBy, filters, labels, order } = query;
  return queryCursors(encryption, now, {
    list: 'metrics',
    account: accountId,
    window: JSON.stringify(window),
    resolution,
    ...(zoned === undefined ? {} : { timeZone: zoned.zone.name }),
    order,
    groupBy: groupBy.join(','),
    ...(labels === undefined ? {} : { labels: JSON.stringify(labels) }),
    filters: JSON.stringify(keyOrder.map((dimension) => filters[dimension] ?? null)),
    workspaces: JSON.stringify(workspaces ?? null),
  });
}

/** Returns the position of a group, for its cursor. */
export function positionFromStart(start: MetricsStart): Position {
  return { key: JSON.stringify(start), id: '' };
}

/** @param field the parameter or argument with the cursor. @throws 400 `cursor_expired` */
export function startFromPosition({ key }: Position, field: string, now: Date): MetricsStart {
  const start: MetricsStart = JSON.parse(key);
  // The snapshot is as old as the first page. Batches rolled up since are subtracted, and are kept only for this long.
  if (hourOf(now) - start.snapshot.hour > cursorAgeHoursMax) throw cursorExpired(field);
  return start;
}

/** Rounded to the hour, so that the same group has the same cursor within it. */
export function hourOf(time: Date): number {
  return Math.floor(time.getTime() / 3_600_000);
}
