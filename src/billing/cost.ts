// What single resources and workspaces cost, beside them: what many are asked at once is one statement.
import DataLoader from 'dataloader';
import { authorizeAccount } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { ReachableWorkspace } from '../auth/caller.js';
import { perRequest } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { ApiError } from '../errors.js';
import { metricsQueryFromParameters, piecesOfBuckets, requireKeptHours } from './metrics-query.js';
import type { MetricsParameters, MetricsQuery } from './metrics-query.js';
import { resourceSumsStatement } from './points-statements.js';
import type { ResourceSums } from './points-statements.js';
import { readPresent } from './read-present.js';
import { readSums } from './read-sums.js';
import { addRows, addUp, bucketTimes, groupsFromSums, rowsOfGroups, rowsOfSums } from './report.js';
import type { Amounts, MetricsGroup } from './report.js';
import { visibleWorkspaces } from './visible-workspaces.js';

export type CostParameters = Pick<MetricsParameters, 'startTime' | 'endTime' | 'resolution' | 'timeZone'>;

/** What something costs in a window. */
export interface Cost {
  query: MetricsQuery;
  /** When each bucket begins. */
  times: () => string[];
  total: Amounts;
  /** What is not zero, by the order of the bucket from the first. */
  buckets: MetricsGroup['buckets'];
}

/** What is asked alike of many, by their ids or by their names. */
interface CostQuestion {
  accountId: string;
  of: 'resource_uuid' | 'workspace';
  query: MetricsQuery;
  times: () => string[];
  /** The workspaces whose usage is added up; absent: all of them. */
  workspaces: string[] | undefined;
  /** Billing dimensions that are left out. */
  withoutDimensions: readonly string[];
}

/**
 * What a resource costs, by its id: as account metrics of its `resourceUuid` are.
 *
 * @throws 403 without `metrics:read`; 400 for a parameter that breaks a rule.
 */
export async function getResourceCost(
  ctx: RequestContext,
  resource: { id: string; workspace: ReachableWorkspace },
  parameters: CostParameters,
): Promise<Cost> {
  const authorized = authorizeAccount(ctx, 'metrics:read', resource.workspace.account.id);
  return costsOf(authorized, 'resource_uuid', parameters, []).load(resource.id);
}

/**
 * What a workspace costs, with all that was ever in it.
 *
 * @param withoutDimensions billing dimensions that are left out.
 * @throws 403 without `metrics:read`; 403 `access_denied` but for an admin of the account, and for whoever sees no
 *   other workspace's usage; 400 for a parameter that breaks a rule.
 */
export async function getWorkspaceCost(
  ctx: RequestContext,
  { name, account }: ReachableWorkspace,
  parameters: CostParameters,
  withoutDimensions: readonly string[] = [],
): Promise<Cost> {
  const authorized = authorizeAccount(ctx, 'metrics:read', account.id);
  const workspaces = visibleWorkspaces(authorized);
  if (workspaces !== undefined && (workspaces.length !== 1 || workspaces[0] !== name)) {
    throw new ApiError('access_denied', 'Access denied.');
  }
  return costsOf(authorized, 'workspace', parameters, withoutDimensions).load(name);
}

/** The questions of a request. */
const questions = perRequest(() => new Map<string, DataLoader<string, Cost>>());

/** What answers a question of many: it is read once what is asked, and one statement reads what that costs. */
function costsOf(
  authorized: AuthorizedAccount,
  of: CostQuestion['of'],
  parameters: CostParameters,
  withoutDimensions: readonly string[],
): DataLoader<string, Cost> {
  const { ctx, account } = authorized;
  const { startTime, endTime, resolution, timeZone } = parameters;
  const text = JSON.stringify([account.id, of, startTime, endTime, resolution, timeZone, withoutDimensions]);
  const known = questions(ctx).get(text);
  if (known !== undefined) return known;
  const paging = { order: 'key', direction: 'forward', limit: 1, cursor: undefined } as const;
  const query = metricsQueryFromParameters({ ...parameters, groupBy: of }, paging);
  const workspaces = visibleWorkspaces(authorized);
  let knownTimes: string[] | undefined;
  const times = () => (knownTimes ??= bucketTimes(query));
  const question = { accountId: account.id, of, query, times, workspaces, withoutDimensions };
  const read = of === 'workspace' ? readWorkspaceCosts : readResourceCosts;
  const costs = new DataLoader<string, Cost>((values) => read(authorized, question, values));
  questions(ctx).set(text, costs);
  return costs;
}

/** What each of some resources costs, by their ids. */
async function readResourceCosts(
  authorized: AuthorizedAccount,
  question: CostQuestion,
  uuids: readonly string[],
): Promise<Cost[]> {
  const { accountId, query, times, workspaces } = question;
  const scope = { accountId, filters: {}, workspaces, asOf: undefined, ...piecesOfBuckets(query) };
  const statement = resourceSumsStatement(scope, uuids);
  const { rows, closedBefore } = await readPresent<ResourceSums>(authorized, accountId, statement, authorized.ctx.now);
  requireKeptHours(query, closedBefore);
  const costs = uuids.map((): Cost => ({ query, times, total: { cost: 0n, usage: 0n }, buckets: new Map() }));
  addRows(query, costs, rowsOfGroups(costs.length, rows));
  for (const { total, buckets } of costs) addUp(total, buckets);
  return costs;
}

/** What each of some workspaces costs, by their names. */
async function readWorkspaceCosts(
  authorized: AuthorizedAccount,
  question: CostQuestion,
  names: readonly string[],
): Promise<Cost[]> {
  const { accountId, query, times, withoutDimensions } = question;
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
  const sums = await readSums(authorized, scope, grouping, page, authorized.ctx.now);
  requireKeptHours(query, sums.closedBefore);
  const groups = groupsFromSums(sums, grouping);
  addRows(query, groups, rowsOfSums(sums));
  const byName = new Map(groups.map((group) => [group.key[0], group]));
  return names.map((name) => {
    const { cost = 0n, usage = 0n, buckets = new Map() } = byName.get(name) ?? {};
    return { query, times, total: { cost, usage }, buckets };
  });
}
