// Reads groups of metrics for an export. Groups are returned while their buckets are still being read, so that the next
// groups can be found meanwhile.
import { GroupWalk } from './group-walk.js';
import { positionFromStart } from './metrics-cursor.js';
import type { AskedMetrics, MetricsQuery } from './metrics-query.js';
import { requireKeptHours } from './metrics-query.js';
import {
  addBuckets,
  askMetrics,
  isWalked,
  noGroups,
  nothing,
  readBySums,
  readClosed,
  readPoints,
  walkedGroups,
  withoutGroups,
} from './read-metrics.js';
import type { MetricsReading } from './read-metrics.js';
import { readSums } from './read-sums.js';
import { addRows, groupsFromWalk } from './report.js';
import type { MetricsGroup } from './report.js';

export interface MetricsPart {
  query: MetricsQuery;
  groups: MetricsGroup[];
  /** The buckets of each group as packed rows. @throws 400 like readMetrics(). */
  rows: Promise<readonly string[]>;
  /** Adds the rows to the groups, which have no buckets before that. */
  fill: (rows: readonly string[]) => void;
  /** The cursor of the next part; undefined after the last. */
  nextCursor: string | undefined;
}

/**
 * Reads groups of a query from its cursor on, in key order. The limit is the maximum number of series read, or of
 * groups.
 *
 * @throws like readMetrics().
 */
export async function readPart(reading: MetricsReading, request: AskedMetrics): Promise<MetricsPart> {
  const { reads, now } = reading;
  const { query, scope, cursors, start, hour } = await askMetrics(reading, request);
  const after = start?.after;
  const cursorAt = (group: MetricsGroup | undefined, rollup: string) =>
    group && cursors.encode(positionFromStart({ after: { key: group.key, cost: '0' }, snapshot: { rollup, hour } }));
  if (!isWalked(query)) {
    const { groups, rows, rollup, closedBefore } = await readBySums(reading, scope, query, after, now);
    requireKeptHours(query, closedBefore);
    const found = groups.slice(0, query.limit);
    return {
      query,
      groups: found,
      rows: Promise.resolve(rows),
      fill: (known) => addRows(query, found, known),
      nextCursor: groups.length > query.limit ? cursorAt(found.at(-1), rollup) : undefined,
    };
  }
  const asOf = scope.asOf ?? (await readSums(reading, withoutGroups(scope), nothing, noGroups, now)).rollup;
  const scoped = { ...scope, asOf };
  const walk = new GroupWalk(scoped, query, after?.key, query.limit, false);
  const walked = await walkedGroups(reads, walk);
  const groups = groupsFromWalk(walked);
  const readRows = async () => {
    const rows = await readPoints(reads, scoped, query, walked);
    requireKeptHours(query, await readClosed(reads, scope, query));
    return rows;
  };
  return {
    query,
    groups,
    rows: readRows(),
    fill: (rows) => {
      addRows(query, groups, rows);
      addBuckets(groups);
    },
    nextCursor: walk.hasMore ? cursorAt(groups.at(-1), asOf) : undefined,
  };
}
