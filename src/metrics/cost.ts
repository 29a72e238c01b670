// What single resources and workspaces cost, beside them: what many are asked at once is one statement.
import DataLoader from 'dataloader';
import { authorizeAccount, authorizeReach } from '../access/authorize.js';
import type { ReachableWorkspace } from '../access/caller.js';
import { perRequest } from '../access/context.js';
import type { RequestContext } from '../access/context.js';
import { ApiError } from '../errors.js';
import { loadByQuery } from '../kind/load-by-query.js';
import { metricsQueryFromParameters, piecesOfBuckets, requireKeptHours } from './metrics-query.js';
import type { MetricsParameters, MetricsQuery } from './metrics-query.js';
import { readSums } from './read-sums.js';
import { addRows, groupsFromSums } from './report.js';
import type { Amounts, MetricsGroup } from './report.js';
import { visibleWorkspaces } from './visible-workspaces.js';

export type CostParameters = Pick<MetricsParameters, 'startTime' | 'endTime' | 'resolution' | 'timeZone'>;

/** What something costs in a window. */
export interface Cost {
  query: MetricsQuery;
  total: Amounts;
  /** What is not zero, by the order of the bucket from the first. */
  buckets: MetricsGroup['buckets'];
}

interface CostKey {
  accountId: string;
  of: 'resource_uuid' | 'workspace';
  value: string;
  query: MetricsQuery;
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
  const { account } = resource.workspace;
  const authorized = authorizeAccount(ctx, 'metrics:read', account.id);
  const workspaces = visibleWorkspaces(authorized);
  return costs(ctx).load(costKey(account.id, 'resource_uuid', resource.id, parameters, workspaces));
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
  const key = costKey(account.id, 'workspace', name, parameters, workspaces);
  return costs(ctx).load({ ...key, withoutDimensions });
}

function costKey(
  accountId: string,
  of: CostKey['of'],
  value: string,
  parameters: CostParameters,
  workspaces: string[] | undefined,
): CostKey {
  const paging = { order: 'key', direction: 'forward', limit: 1, cursor: undefined } as const;
  const query = metricsQueryFromParameters({ ...parameters, groupBy: of }, paging);
  return { accountId, of, value, query, workspaces, withoutDimensions: [] };
}

const costs = perRequest(
  (ctx) =>
    new DataLoader<CostKey, Cost, string>(
      async (keys) => {
        const found = await loadByQuery<CostKey, Cost | undefined>(keys, queryText, undefined, (same) =>
          readCosts(ctx, same),
        );
        return found.map((cost) => cost ?? new Error('a cost was not answered'));
      },
      { cacheKeyFn: (key) => `${key.value} ${queryText(key)}` },
    ),
);

function queryText({ accountId, of, query: { window, resolution, zoned }, withoutDimensions }: CostKey): string {
  const { start, end } = window;
  const times = [start.hour, start.nano, end.hour, end.nano];
  return JSON.stringify([accountId, of, ...times, resolution, zoned?.zone.name, ...withoutDimensions]);
}

/** The costs of keys that differ in their values alone. */
async function readCosts(ctx: RequestContext, keys: readonly CostKey[]): Promise<Cost[]> {
  const [key] = keys;
  if (key === undefined) return [];
  const { accountId, of, query, workspaces, withoutDimensions } = key;
  const values = keys.map(({ value }) => value);
  const asked = of === 'workspace' ? { workspaces: values } : { resourceUuids: values, workspaces };
  const scope = { accountId, filters: {}, withoutDimensions, asOf: undefined, ...asked, ...piecesOfBuckets(query) };
  const grouping = { groupBy: query.groupBy, enriched: [] };
  const page = { order: 'key', direction: 'forward', limit: values.length, after: undefined } as const;
  const sums = await readSums(authorizeReach(ctx), scope, grouping, page, ctx.now);
  requireKeptHours(query, sums.closedBefore);
  const groups = groupsFromSums(sums, grouping);
  addRows(query, groups, sums.rows);
  const byValue = new Map(groups.map((group) => [group.key[0], group]));
  return values.map((value) => {
    const { cost = 0n, usage = 0n, buckets = new Map() } = byValue.get(value) ?? {};
    return { query, total: { cost, usage }, buckets };
  });
}
