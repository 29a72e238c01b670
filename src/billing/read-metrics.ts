// Reads account metrics, without authorization. All numbers of an answer and all pages of a query are of one snapshot.
import { readJson } from '../database/read-json.js';
import type { Reads } from '../database/reads.js';
import { ApiError } from '../errors.js';
import type { QueryCursors } from '../pagination/cursor.js';
import type { Position } from '../pagination/page.js';
import { enrichedDimensions } from '../metering/dimensions.js';
import { readCatalog } from '../metering/read-catalog.js';
import { GroupWalk } from './group-walk.js';
import type { WalkedGroup } from './group-walk.js';
import { hourOf, metricsCursors, positionFromStart, startFromPosition } from './metrics-cursor.js';
import type { CursorServices, MetricsSnapshot, MetricsStart } from './metrics-cursor.js';
import { isOfSpecification, requireBilled } from '../metering/metrics-filters.js';
import { metricsQueryFromParameters, piecesOfBuckets, requireKeptHours } from './metrics-query.js';
import type { AskedMetrics, MetricsQuery } from './metrics-query.js';
import type { MetricsScope } from './metrics-sources.js';
import { countStatement, isOfCells } from './metrics-statements.js';
import type { GroupPosition, Sums } from './metrics-statements.js';
import { closedStatement } from './snapshot-statement.js';
import { pointsStatement } from './points-statements.js';
import { waitForRollup } from './read-present.js';
import type { UsageSources } from './read-present.js';
import { readSums } from './read-sums.js';
import { addRows, addUp, groupsFromSums, groupsFromWalk, rowsOfGroups, rowsOfSums } from './report.js';
import type { MetricsGroup, MetricsReport } from './report.js';
import { splitWindow } from '../metering/window.js';

export interface MetricsPage extends MetricsReport {
  snapshot: MetricsSnapshot;
  cursors: QueryCursors;
  /** Returns the position of a group, for its cursor. */
  positionOf: (group: MetricsGroup) => Position;
  /** Returns the number of groups on all pages together. */
  countGroups: () => Promise<number>;
}

/** The account, the visible usage, and the services for reading metrics. */
export interface MetricsReading extends CursorServices, UsageSources {
  accountId: string;
  /** The workspaces whose usage is visible; undefined for all. */
  workspaces: string[] | undefined;
}

/**
 * Reads the cost of an account in a window, and the usage when grouped by billing dimension.
 *
 * @param earlier the snapshot of an answer without a cursor; by default the present.
 * @throws 403 `access_denied` for workspaces unless all of them are visible; 400 for an invalid parameter.
 */
export async function readMetrics(
  reading: MetricsReading,
  request: AskedMetrics,
  earlier?: MetricsSnapshot,
): Promise<MetricsPage> {
  const { reads, now } = reading;
  const { query, scope, cursors, start, hour } = await askMetrics(reading, request, earlier);
  const read = isWalked(query) ? readByWalk : readBySums;
  const { total, groups, rows, rollup, closedBefore } = await read(reading, scope, query, start?.after, now);
  requireKeptHours(query, closedBefore);
  addRows(query, groups, rows);
  if (read === readByWalk) addBuckets(groups);
  const found = groups.slice(0, query.limit);
  const page = query.direction === 'forward' ? found : found.toReversed();
  const snapshot = { rollup, hour };
  const positionOf = ({ key, cost }: MetricsGroup) =>
    positionFromStart({ after: { key, cost: cost.toString() }, snapshot });
  const hasMore = groups.length > query.limit;
  const last = page.at(-1);
  return {
    query,
    total,
    groups: page,
    hasMore,
    nextCursor: hasMore && last !== undefined ? cursors.encode(positionOf(last)) : '',
    snapshot,
    cursors,
    positionOf,
    countGroups: async () => Number(await reads.$text(countStatement({ ...scope, asOf: rollup }, query.groupBy))),
  };
}

/** A validated query, and the start of its page. */
interface Question {
  query: MetricsQuery;
  scope: MetricsScope;
  cursors: QueryCursors;
  start: MetricsStart | undefined;
  hour: number;
}

/** Validates a request and loads what the query needs. @throws like readMetrics(). */
export async function askMetrics(
  reading: MetricsReading,
  { parameters, paging, cursorName, isOfSeries = false, withoutDimensions = [] }: AskedMetrics,
  earlier?: MetricsSnapshot,
): Promise<Question> {
  const { db, reads, accountId, workspaces, now } = reading;
  const query = metricsQueryFromParameters(parameters, paging, isOfSeries);
  if (workspaces !== undefined && (query.filters.workspace !== undefined || query.groupBy.includes('workspace'))) {
    throw new ApiError('access_denied', 'Access denied.');
  }
  if (!isOfSpecification(query)) requireBilled(query, await readCatalog(db));
  const cursors = metricsCursors(reading, accountId, query, workspaces);
  const start =
    query.cursor === undefined
      ? undefined
      : startFromPosition(cursors.decode(cursorName, query.cursor), cursorName, now());
  const known = start?.snapshot ?? earlier;
  if (known !== undefined) await waitForRollup(reads, accountId, known.rollup);
  const scope = {
    accountId,
    filters: query.filters,
    labels: query.labels,
    withTags: query.groupBy.includes('tags'),
    withoutDimensions,
    workspaces,
    asOf: known?.rollup,
    ...splitWindow(query.window, query.resolution),
  };
  return { query, scope, cursors, start, hour: known?.hour ?? hourOf(now()) };
}

interface ReadGroups {
  total: MetricsReport['total'];
  /** Up to one group more than the page holds, nearest to its start first, without buckets. */
  groups: MetricsGroup[];
  /** The buckets of each group as packed rows. */
  rows: string[];
  rollup: string;
  /** Events of partial hours before this were already incomplete when the groups were read. */
  closedBefore: number;
}

/** Whether the groups can be found by a walk: of many resources, in the order of the series dictionary. */
export function isWalked({ groupBy, filters, order }: MetricsQuery): boolean {
  const isNarrow = filters.resource_name !== undefined || filters.resource_uuid !== undefined;
  return !isOfCells({ filters: {} }, groupBy) && !isNarrow && order === 'key';
}

export async function readBySums(
  sources: UsageSources,
  scope: MetricsScope,
  query: MetricsQuery,
  after: GroupPosition | undefined,
  now: () => Date,
): Promise<ReadGroups> {
  const { groupBy, order, direction, limit } = query;
  const grouping = { groupBy, enriched: enrichedDimensions(groupBy) };
  const ofBuckets = { ...scope, ...piecesOfBuckets(query) };
  const sums = await readSums(sources, ofBuckets, grouping, { order, direction, limit: limit + 1, after }, now);
  return {
    total: totalOf(sums),
    groups: groupsFromSums(sums, grouping),
    rows: rowsOfSums(sums),
    rollup: scope.asOf ?? sums.rollup,
    closedBefore: sums.closedBefore,
  };
}

/** The grouping without dimensions: one sum of everything. */
export const nothing = { groupBy: [], enriched: [] };
export const noGroups = { order: 'key', direction: 'forward', limit: 0, after: undefined } as const;

/** The scope of a total, which needs only the labels to filter by. */
export function withoutGroups({ labels, ...scope }: MetricsScope): MetricsScope {
  const filtered = new Set(labels?.conditions.map(({ column }) => column)).size;
  const needed =
    labels === undefined || filtered === 0 ? undefined : { ...labels, keys: labels.keys.slice(0, filtered) };
  return { ...scope, withTags: false, labels: needed };
}

/** Reads the total sum, which determines the snapshot; then the page's groups by a walk; then their points. */
async function readByWalk(
  sources: UsageSources,
  scope: MetricsScope,
  query: MetricsQuery,
  after: GroupPosition | undefined,
  now: () => Date,
): Promise<ReadGroups> {
  const { reads } = sources;
  const summing = readSums(sources, withoutGroups(scope), nothing, noGroups, now);
  const asOf = scope.asOf ?? (await summing).rollup;
  const scoped = { ...scope, asOf };
  const walk = new GroupWalk(scoped, query, after?.key, query.limit + 1);
  const [sums, walked] = await Promise.all([summing, walkedGroups(reads, walk)]);
  const groups = groupsFromWalk(walked);
  const rows = await readPoints(reads, scoped, query, walked);
  const closedBefore = await readClosed(reads, scope, query);
  return { total: totalOf(sums), groups, rows, rollup: asOf, closedBefore };
}

/** Reads the sums of walked groups by bucket, as packed rows of each group. */
export async function readPoints(
  reads: Reads,
  scope: MetricsScope,
  query: MetricsQuery,
  walked: readonly WalkedGroup[],
): Promise<string[]> {
  if (walked.length === 0) return [];
  const numbers = walked.flatMap(({ seriesIds }, index) => seriesIds.map(() => index + 1));
  const seriesIds = walked.flatMap((group) => group.seriesIds);
  const statement = pointsStatement({ ...scope, ...piecesOfBuckets(query) }, seriesIds, numbers);
  return rowsOfGroups(walked.length, await readJson(reads, statement));
}

/** Returns the hour before which months were closed when the query was read. Call it after reading. */
export async function readClosed(reads: Reads, scope: MetricsScope, query: MetricsQuery): Promise<number> {
  // Partial hours are dropped after closing, so an hour that is still open at the end was complete throughout.
  const isOfWholeHours = piecesOfBuckets(query).edges.length === 0;
  return isOfWholeHours ? 0 : Number(await reads.$text(closedStatement(scope)));
}

/** Adds up the buckets of each group. */
export function addBuckets(groups: readonly MetricsGroup[]): void {
  for (const group of groups) addUp(group, group.buckets);
}

/** Runs the statements of a walk until it is complete. */
export async function walkedGroups(reads: Reads, walk: GroupWalk): Promise<WalkedGroup[]> {
  while (walk.groups === undefined) walk.take(await readJson(reads, walk.statement()));
  return walk.groups;
}

function totalOf({ total: [cost, usage] }: Sums): MetricsReport['total'] {
  return { cost: BigInt(cost), usage: BigInt(usage) };
}
