// What an account's usage costs: GET /accounts/{accountId}/metrics, its two lists of words, and the same for
// GraphQL. All numbers of an answer, and all pages of a query, are of one moment.
import type { RequestContext } from '../../context.js';
import { ApiError } from '../../errors.js';
import { cursorAgeHoursMax, cursorExpired, queryCursors } from '../../paging/cursor.js';
import type { QueryCursors } from '../../paging/cursor.js';
import type { ReachableAccount } from '../../access/caller.js';
import { getReachableAccount } from '../accounts/reachable.js';
import { enrichedDimensions, groupDimensions, keyOrder } from './dimensions.js';
import { metricsQueryFromParameters, pagingNames, requireKeptHours, windowFromParameters } from './metrics-query.js';
import type { MetricsOrder, MetricsParameters, MetricsQuery } from './metrics-query.js';
import { closedStatement, isOfCells, pointsStatement, sumsStatement, typesStatement } from './metrics-statements.js';
import type { GroupPosition, MetricsScope, Moment, Sums } from './metrics-statements.js';
import { addRows } from './report.js';
import type { MetricsGroup, MetricsReport } from './report.js';
import { withWaiting } from './usage-fold.js';
import { walkGroups } from './walk-groups.js';
import { splitWindow } from './window.js';

export interface MetricsPage extends MetricsReport {
  moment: MetricsMoment;
  cursorOf: (group: MetricsGroup) => string;
}

/** The moment that an answer is of: a fold, and when it was the last one. */
export interface MetricsMoment {
  fold: string;
  readAtMs: number;
}

/**
 * Cost, and usage beside billing dimensions, of one account in a window.
 *
 * @param parameters read after the caller's rights are known.
 * @param given the moment of an answer without a cursor; the present when it is left out.
 * @param names what the door calls the parameters of paging.
 * @throws 403 `access_denied` for an account out of reach, and for workspaces by who is no account admin;
 *   400 for a parameter that breaks a rule.
 */
export async function getMetrics(
  ctx: RequestContext,
  accountId: string,
  parameters: () => MetricsParameters,
  order: MetricsOrder = 'key',
  given?: MetricsMoment,
  names = pagingNames,
): Promise<MetricsPage> {
  const account = getReachableAccount(ctx, accountId);
  const query = metricsQueryFromParameters(parameters(), order, names);
  const workspaces = visibleWorkspaces(ctx, account);
  if (workspaces !== undefined && (query.filters.workspace !== undefined || query.groupBy.includes('workspace'))) {
    throw new ApiError('access_denied', 'Access denied.');
  }
  const cursors = queryCursors(ctx.seal, ctx.now, cursorBinding(account, query, workspaces));
  const start = query.cursor === undefined ? undefined : startFrom(ctx, cursors, names.cursor, query.cursor);
  const asked = start?.moment ?? given;
  const readAtMs = asked?.readAtMs ?? ctx.now().getTime();
  const scope = {
    accountId,
    filters: query.filters,
    workspaces,
    asOf: asked?.fold,
    ...splitWindow(query.window, query.resolution),
  };
  const { total, groups, fold, closedBefore } = await readGroups(ctx, scope, query, start?.after);
  requireKeptHours(query.window, closedBefore);
  const page = groups.slice(0, query.limit);
  const moment = { fold, readAtMs };
  const cursorOf = ({ key, cost }: MetricsGroup) =>
    cursors.seal({ key: JSON.stringify({ after: { key, cost: cost.toString() }, moment } satisfies Start), id: '' });
  const hasMore = groups.length > query.limit;
  const last = page.at(-1);
  const nextCursor = hasMore && last !== undefined ? cursorOf(last) : '';
  return { query, total, groups: page, hasMore, nextCursor, moment, cursorOf };
}

/** The five dimensions that costs can be grouped by. @throws 403 `access_denied` */
export function listGroupDimensions(ctx: RequestContext, accountId: string): string[] {
  getReachableAccount(ctx, accountId);
  return Object.keys(groupDimensions);
}

/** The resource types with usage in a window, by name (decision 39). @throws 403 `access_denied`; 400 */
export async function listResourceTypes(
  ctx: RequestContext,
  accountId: string,
  parameters: () => Pick<MetricsParameters, 'startTime' | 'endTime'>,
): Promise<string[]> {
  const account = getReachableAccount(ctx, accountId);
  const window = windowFromParameters(parameters());
  const workspaces = visibleWorkspaces(ctx, account);
  const scope = { accountId, filters: {}, workspaces, asOf: undefined, ...splitWindow(window, 'monthly') };
  const read = async (): Promise<Moment & { values: string[] }> =>
    JSON.parse(await ctx.db.$text(typesStatement(scope)));
  const { values, closedBefore } = await withWaiting(ctx, accountId, read);
  requireKeptHours(window, closedBefore);
  return values;
}

/**
 * The workspaces whose usage a caller sees; absent for an account admin, who sees all of it (decision 36). A
 * credential that is confined to a workspace sees no other, whoever owns it.
 */
function visibleWorkspaces({ caller }: RequestContext, account: ReachableAccount): string[] | undefined {
  if (account.role === 'admin' && caller.confinedTo === undefined) return undefined;
  return Array.from(caller.workspaces.values())
    .filter((workspace) => workspace.account.id === account.id)
    .map(({ name }) => name)
    .toSorted();
}

function cursorBinding(
  account: ReachableAccount,
  query: MetricsQuery,
  workspaces: string[] | undefined,
): Record<string, string> {
  const { window, resolution, groupBy, filters, order } = query;
  return {
    list: 'metrics',
    account: account.id,
    window: JSON.stringify(window),
    resolution,
    order,
    groupBy: groupBy.join(','),
    filters: JSON.stringify(keyOrder.map((dimension) => filters[dimension] ?? null)),
    workspaces: JSON.stringify(workspaces ?? null),
  };
}

/** Where a page begins, and the moment of the pages before it. */
interface Start {
  after: GroupPosition;
  moment: MetricsMoment;
}

/** A page is as old as the first: what came in since is taken off, and is known for so long only. */
function startFrom({ now }: RequestContext, cursors: QueryCursors, name: string, cursor: string): Start {
  const start: Start = JSON.parse(cursors.open(name, cursor).key);
  if (now().getTime() - start.moment.readAtMs > cursorAgeHoursMax * 3_600_000) throw cursorExpired(name);
  return start;
}

interface ReadGroups {
  total: MetricsReport['total'];
  /** One more than the page holds, if there are. */
  groups: MetricsGroup[];
  fold: string;
  /** Parts of earlier hours were not all there when the groups were read. */
  closedBefore: number;
}

function readGroups(
  ctx: RequestContext,
  scope: MetricsScope,
  query: MetricsQuery,
  after: GroupPosition | undefined,
): Promise<ReadGroups> {
  const { groupBy, filters, order } = query;
  const isOfResources = !isOfCells({ filters: {} }, groupBy);
  const isNarrow = filters.resource_name !== undefined || filters.resource_uuid !== undefined;
  return isOfResources && !isNarrow && order === 'key'
    ? readByWalk(ctx, scope, query, after)
    : readBySums(ctx, scope, query, after);
}

async function readBySums(
  ctx: RequestContext,
  scope: MetricsScope,
  query: MetricsQuery,
  after: GroupPosition | undefined,
): Promise<ReadGroups> {
  const { groupBy, order, limit } = query;
  const enriched = enrichedDimensions(groupBy);
  const sums = await readSums(ctx, scope, { groupBy, enriched }, { order, limit: limit + 1, after });
  const dimensions = [...groupBy, ...enriched];
  const groups = sums.groups.map(([cost, usage, ...found]): MetricsGroup => {
    const values: MetricsGroup['values'] = {};
    for (const [place, dimension] of dimensions.entries()) {
      const value = found[place];
      if (value != null) values[dimension] = value;
    }
    const key = groupBy.map((dimension) => values[dimension] ?? '');
    return { key, values, cost: BigInt(cost ?? 0), usage: BigInt(usage ?? 0), buckets: new Map() };
  });
  addRows(query, groups, sums.rows);
  return { total: totalOf(sums), groups, fold: scope.asOf ?? sums.fold, closedBefore: sums.closedBefore };
}

async function readByWalk(
  ctx: RequestContext,
  scope: MetricsScope,
  query: MetricsQuery,
  after: GroupPosition | undefined,
): Promise<ReadGroups> {
  const nothing = { groupBy: [], enriched: [] };
  const summing = readSums(ctx, scope, nothing, { order: 'key', limit: 0, after: undefined });
  const asOf = scope.asOf ?? (await summing).fold;
  const moment = { ...scope, asOf };
  const [sums, walked] = await Promise.all([summing, walkGroups(ctx.db, moment, query, after?.key, query.limit + 1)]);
  const groups = walked.map(({ key, values }): MetricsGroup => ({
    key,
    values,
    cost: 0n,
    usage: 0n,
    buckets: new Map(),
  }));
  const numbers = walked.flatMap(({ seriesIds }, place) => seriesIds.map(() => place + 1));
  const seriesIds = walked.flatMap((group) => group.seriesIds);
  if (groups.length > 0) addRows(query, groups, await ctx.db.$text(pointsStatement(moment, seriesIds, numbers)));
  for (const group of groups) {
    for (const { cost, usage } of group.buckets.values()) {
      group.cost += cost;
      group.usage += usage;
    }
  }
  // Parts of hours are dropped after they are closed: what was open at the end was there all the while.
  const closedBefore = scope.edges.length === 0 ? 0 : Number(await ctx.db.$text(closedStatement(scope)));
  return { total: totalOf(sums), groups, fold: asOf, closedBefore };
}

function totalOf({ total: [cost, usage] }: Sums): MetricsReport['total'] {
  return { cost: BigInt(cost), usage: BigInt(usage) };
}

async function readSums(
  ctx: RequestContext,
  scope: MetricsScope,
  ...rest: Parameters<typeof sumsStatement> extends [MetricsScope, ...infer Rest] ? Rest : never
): Promise<Sums> {
  const read = async (): Promise<Sums> => JSON.parse(await ctx.db.$text(sumsStatement(scope, ...rest)));
  return scope.asOf === undefined ? withWaiting(ctx, scope.accountId, read) : read();
}
