// The costs of single resources and workspaces. Requests for many at once are batched into one statement.
import DataLoader from 'dataloader';
import { authorizeAccount } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import { perRequest } from '../auth/context.js';
import { ApiError } from '../errors.js';
import { metricsQueryFromParameters, piecesOfBuckets, requireKeptHours } from './metrics-query.js';
import type { MetricsParameters, MetricsQuery } from './metrics-query.js';
import { resourceSumsStatement } from './points-statements.js';
import type { ResourceSums } from './points-statements.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { readPresent, usageSources } from './read-present.js';
import type { UsageSources } from './read-present.js';
import { readSums } from './read-sums.js';
import { addRows, addUp, bucketTimes, groupsFromSums, rowsOfGroups, rowsOfSums } from './report.js';
import type { Amounts, MetricsGroup } from './report.js';
import { visibleWorkspaces } from './visible-workspaces.js';

export type CostParameters = Pick<MetricsParameters, 'startTime' | 'endTime' | 'resolution' | 'timeZone'>;

/** The cost of a resource or workspace in a window. */
export interface Cost {
  query: MetricsQuery;
  /** The start times of the buckets. */
  times: () => string[];
  total: Amounts;
  /** Buckets that are not zero, by their index from 0. */
  buckets: MetricsGroup['buckets'];
}

/** A query shared by many resources or workspaces. */
interface CostQuestion {
  accountId: string;
  of: 'resource_uuid' | 'workspace';
  query: MetricsQuery;
  times: () => string[];
  /** The workspaces whose usage counts; undefined for all. */
  workspaces: string[] | undefined;
  /** Billing dimensions to leave out. */
  withoutDimensions: readonly string[];
  now: () => Date;
}

/**
 * Returns the cost of a resource, by its id, like account metrics filtered by `resourceUuid`.
 *
 * @throws 403 without `metrics:read`; 400 for an invalid parameter.
 */
export async function getResourceCost(
  ctx: UsageContext,
  resource: { id: string; workspace: AccessibleWorkspace },
  parameters: CostParameters,
): Promise<Cost> {
  const authorized = authorizeAccount(ctx, 'metrics:read', resource.workspace.account.id);
  return costsOf(ctx, authorized, 'resource_uuid', parameters, []).load(resource.id);
}

/**
 * Returns the cost of a workspace, including deleted resources.
 *
 * @param withoutDimensions billing dimensions to leave out.
 * @throws 403 without `metrics:read`; 403 `access_denied` unless the caller is an admin of the account, for workspaces
 * whose usage the caller does not see; 400 for an invalid parameter.
 */
export async function getWorkspaceCost(
  ctx: UsageContext,
  { name, account }: AccessibleWorkspace,
  parameters: CostParameters,
  withoutDimensions: readonly string[] = [],
): Promise<Cost> {
  const authorized = authorizeAccount(ctx, 'metrics:read', account.id);
  const workspaces = visibleWorkspaces(authorized);
  if (workspaces !== undefined && (workspaces.length !== 1 || workspaces[0] !== name)) {
    throw new ApiError('access_denied', 'Access denied.');
  }
  return costsOf(ctx, authorized, 'workspace', parameters, withoutDimensions).load(name);
}

/** The loaders of a request, by query. */
const questions = perRequest(() => new Map<string, DataLoader<string, Cost>>());

/** Returns the loader of a query. It parses the query once and reads all costs in one statement. */
function costsOf(
  ctx: UsageContext,
  authorized: AuthorizedAccount,
  of: CostQuestion['of'],
  parameters: CostParameters,
  withoutDimensions: readonly string[],
): DataLoader<string, Cost> {
  const { account } = authorized;
  const { startTime, endTime, resolution, timeZone } = parameters;
  const text = JSON.stringify([account.id, of, startTime, endTime, resolution, timeZone, withoutDimensions]);
  const known = questions(ctx).get(text);
  if (known !== undefined) return known;
  const paging = { order: 'key', direction: 'forward', limit: 1, cursor: undefined } as const;
  const query = metricsQueryFromParameters({ ...parameters, groupBy: of }, paging);
  const workspaces = visibleWorkspaces(authorized);
  let knownTimes: string[] | undefined;
  const times = () => (knownTimes ??= bucketTimes(query));
  const question = { accountId: account.id, of, query, times, workspaces, withoutDimensions, now: ctx.now };
  const read = of === 'workspace' ? readWorkspaceCosts : readResourceCosts;
  const costs = new DataLoader<string, Cost>((values) => read(usageSources(ctx, authorized), question, values));
  questions(ctx).set(text, costs);
  return costs;
}

/** Reads the costs of resources, by their ids. */
async function readResourceCosts(
  sources: UsageSources,
  question: CostQuestion,
  uuids: readonly string[],
): Promise<Cost[]> {
  const { accountId, query, times, workspaces, now } = question;
  const scope = { accountId, filters: {}, workspaces, asOf: undefined, ...piecesOfBuckets(query) };
  const statement = resourceSumsStatement(scope, uuids);
  const { rows, closedBefore } = await readPresent<ResourceSums>(sources, accountId, statement, now);
  requireKeptHours(query, closedBefore);
  const costs = uuids.map((): Cost => ({ query, times, total: { cost: 0n, usage: 0n }, buckets: new Map() }));
  addRows(query, costs, rowsOfGroups(costs.length, rows));
  for (const { total, buckets } of costs) addUp(total, buckets);
  return costs;
}

/** Reads the costs of workspaces, by their names. */
async function readWorkspaceCosts(
  sources: UsageSources,
  question: CostQuestion,
  names: readonly string[],
): Promise<Cost[]> {
  const { accountId, query, times, withoutDimensions, now } = question;
  const scope = {
    accountId,
    filters: {},
    withoutDimensions,
    workspaces: [...names],
    asOf: undefined,
    ...piecesOfBuckets(query),
  };
  const grouping = { groupBy: query.groupBy, enriched: [] };
  const page = { order: 'key', direction: 'forward', limit: names.length, after: undefined } as const;
  const sums = await readSums(sources, scope, grouping, page, now);
  requireKeptHours(query, sums.closedBefore);
  const groups = groupsFromSums(sums, grouping);
  addRows(query, groups, rowsOfSums(sums));
  const byName = new Map(groups.map((group) => [group.key[0], group]));
  return names.map((name) => {
    const { cost = 0n, usage = 0n, buckets = new Map() } = byName.get(name) ?? {};
    return { query, times, total: { cost, usage }, buckets };
  });
}
