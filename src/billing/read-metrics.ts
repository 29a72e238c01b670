// What an account's usage costs, read without asking who wants it. All numbers of an answer, and all pages of a query, are of
// one moment.
import type { Reads } from '../database/reads.js';
import { ApiError } from '../errors.js';
import type { QueryCursors } from '../pagination/cursor.js';
import type { Position } from '../pagination/page.js';
import { enrichedDimensions } from '../metering/dimensions.js';
import { readCatalog } from '../metering/read-catalog.js';
import { GroupWalk } from './group-walk.js';
import type { WalkedGroup } from './group-walk.js';
import { hourOf, metricsCursors, positionFromStart, startFromPosition } from './metrics-cursor.js';
import type { CursorServices, MetricsMoment, MetricsStart } from './metrics-cursor.js';
import { isOfSpecification, requireBilled } from './metrics-filters.js';
import { metricsQueryFromParameters, piecesOfBuckets, requireKeptHours } from './metrics-query.js';
import type { AskedMetrics, MetricsQuery } from './metrics-query.js';
import type { MetricsScope } from './metrics-sources.js';
import { countStatement, isOfCells } from './metrics-statements.js';
import type { GroupPosition, Sums } from './metrics-statements.js';
import { closedStatement } from './moment-statement.js';
import { pointsStatement } from './points-statements.js';
import { reachFold } from './read-present.js';
import type { UsageSources } from './read-present.js';
import { readSums } from './read-sums.js';
import { addRows, addUp, groupsFromSums, groupsFromWalk, rowsOfGroups, rowsOfSums } from './report.js';
import type { MetricsGroup, MetricsReport } from './report.js';
import { splitWindow } from '../metering/window.js';

export interface MetricsPage extends MetricsReport {
  moment: MetricsMoment;
  cursors: QueryCursors;
  /** Where a group of the page stands, for a cursor. */
  positionOf: (group: MetricsGroup) => Position;
  /** How many groups there are on all pages together. */
  countGroups: () => Promise<number>;
}

/** Whose metrics are read, and for whom. */
export interface MetricsReading extends CursorServices, UsageSources {
  accountId: string;
  /** Those whose usage is seen; absent: all of them. */
  workspaces: string[] | undefined;
}

/**
 * Cost, and usage beside billing dimensions, of one account in a window.
 *
 * @param given the moment of an answer without a cursor; the present when it is left out.
 * @throws 403 `access_denied` for workspaces by who does not see all of them; 400 for a parameter that breaks a rule.
 */
export async function readMetrics(
  reading: MetricsReading,
  asked: AskedMetrics,
  given?: MetricsMoment,
): Promise<MetricsPage> {
  const { reads, now } = reading;
  const { query, scope, cursors, start, hour } = await askMetrics(reading, asked, given);
  const read = isWalked(query) ? readByWalk : readBySums;
  const { total, groups, rows, fold, closedBefore } = await read(reading, scope, query, start?.after, now);
  requireKeptHours(query, closedBefore);
  addRows(query, groups, rows);
  if (read === readByWalk) addBuckets(groups);
  const found = groups.slice(0, query.limit);
  const page = query.direction === 'forward' ? found : found.toReversed();
  const moment = { fold, hour };
  const positionOf = ({ key, cost }: MetricsGroup) =>
    positionFromStart({ after: { key, cost: cost.toString() }, moment });
  const hasMore = groups.length > query.limit;
  const last = page.at(-1);
  return {
    query,
    total,
    groups: page,
    hasMore,
    nextCursor: hasMore && last !== undefined ? cursors.seal(positionOf(last)) : '',
    moment,
    cursors,
    positionOf,
    countGroups: async () => Number(await reads.$text(countStatement({ ...scope, asOf: fold }, query.groupBy))),
  };
}

/** A question that keeps the rules, and where its answer begins. */
interface Question {
  query: MetricsQuery;
  scope: MetricsScope;
  cursors: QueryCursors;
  start: MetricsStart | undefined;
  hour: number;
}

/** What is read for a question. @throws like readMetrics. */
export async function askMetrics(
  reading: MetricsReading,
  { parameters, paging, cursorName, isOfSeries = false, withoutDimensions = [] }: AskedMetrics,
  given?: MetricsMoment,
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
      : startFromPosition(cursors.open(cursorName, query.cursor), cursorName, now());
  const known = start?.moment ?? given;
  if (known !== undefined) await reachFold(reads, accountId, known.fold);
  const scope = {
    accountId,
    filters: query.filters,
    withoutDimensions,
    workspaces,
    asOf: known?.fold,
    ...splitWindow(query.window, query.resolution),
  };
  return { query, scope, cursors, start, hour: known?.hour ?? hourOf(now()) };
}

interface ReadGroups {
  total: MetricsReport['total'];
  /** One more than the page holds, if there are, the nearest to its start first; without their buckets. */
  groups: MetricsGroup[];
  /** Those, as packed rows of each group. */
  rows: string[];
  fold: string;
  /** Parts of earlier hours were not all there when the groups were read. */
  closedBefore: number;
}

/** Whether its groups are of many resources, and in the order that the dictionary of series is kept in. */
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
    fold: scope.asOf ?? sums.fold,
    closedBefore: sums.closedBefore,
  };
}

/** Of all groups together, and of no group. */
export const nothing = { groupBy: [], enriched: [] };
export const noGroups = { order: 'key', direction: 'forward', limit: 0, after: undefined } as const;

/** The sum of all groups, which says what the moment is; the groups of the page, by a walk; and their points. */
async function readByWalk(
  sources: UsageSources,
  scope: MetricsScope,
  query: MetricsQuery,
  after: GroupPosition | undefined,
  now: () => Date,
): Promise<ReadGroups> {
  const { reads } = sources;
  const summing = readSums(sources, scope, nothing, noGroups, now);
  const asOf = scope.asOf ?? (await summing).fold;
  const moment = { ...scope, asOf };
  const walk = new GroupWalk(moment, query, after?.key, query.limit + 1);
  const [sums, walked] = await Promise.all([summing, walkedGroups(reads, walk)]);
  const groups = groupsFromWalk(walked);
  const rows = await readPoints(reads, moment, query, walked);
  const closedBefore = await readClosed(reads, scope, query);
  return { total: totalOf(sums), groups, rows, fold: asOf, closedBefore };
}

/** The sums of walked groups by bucket, as packed rows of each group. */
export async function readPoints(
  reads: Reads,
  scope: MetricsScope,
  query: MetricsQuery,
  walked: readonly WalkedGroup[],
): Promise<string[]> {
  if (walked.length === 0) return [];
  const numbers = walked.flatMap(({ seriesIds }, place) => seriesIds.map(() => place + 1));
  const seriesIds = walked.flatMap((group) => group.seriesIds);
  const found = await reads.$text(pointsStatement({ ...scope, ...piecesOfBuckets(query) }, seriesIds, numbers));
  return rowsOfGroups(walked.length, JSON.parse(found));
}

/** What all hours of a question were read of that are closed before it, asked when they are read. */
export async function readClosed(reads: Reads, scope: MetricsScope, query: MetricsQuery): Promise<number> {
  // Parts of hours are dropped after they are closed: what was open at the end was there all the while.
  const isOfWholeHours = piecesOfBuckets(query).edges.length === 0;
  return isOfWholeHours ? 0 : Number(await reads.$text(closedStatement(scope)));
}

/** Adds the buckets of groups up. */
export function addBuckets(groups: readonly MetricsGroup[]): void {
  for (const group of groups) addUp(group, group.buckets);
}

/** Goes a walk to its end. */
export async function walkedGroups(reads: Reads, walk: GroupWalk): Promise<WalkedGroup[]> {
  while (walk.groups === undefined) walk.take(JSON.parse(await reads.$text(walk.statement())));
  return walk.groups;
}

function totalOf({ total: [cost, usage] }: Sums): MetricsReport['total'] {
  return { cost: BigInt(cost), usage: BigInt(usage) };
}
