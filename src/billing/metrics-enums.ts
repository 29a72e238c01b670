// The values of metrics parameters: GET /accounts/{accountId}/metrics/enums/….
import { authorizeAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { groupDimensions } from '../metering/dimensions.js';
import { requireKeptHours, windowFromParameters } from './metrics-query.js';
import type { MetricsParameters } from './metrics-query.js';
import { typesStatement } from './metrics-statements.js';
import type { UsageSnapshot } from './snapshot-statement.js';
import { readPresent } from './read-present.js';
import { visibleWorkspaces } from './visible-workspaces.js';
import { splitWindow } from '../metering/window.js';

/** Lists the five dimensions that costs can be grouped by. @throws 403 `access_denied` */
export function listGroupDimensions(ctx: RequestContext, accountId: string): string[] {
  authorizeAccount(ctx, 'metrics:read', accountId);
  return Object.keys(groupDimensions);
}

/** Lists the resource types with usage in a window, by name (decision 39). @throws 403 `access_denied`; 400 */
export async function listResourceTypes(
  ctx: RequestContext,
  accountId: string,
  parameters: () => Pick<MetricsParameters, 'startTime' | 'endTime'>,
): Promise<string[]> {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  const window = windowFromParameters(parameters());
  const workspaces = visibleWorkspaces(authorized);
  const statement = typesStatement({
    accountId,
    filters: {},
    workspaces,
    asOf: undefined,
    ...splitWindow(window, 'monthly'),
  });
  const types: UsageSnapshot & { values: string[] } = await readPresent(authorized, accountId, statement, ctx.now);
  requireKeptHours({ window, zoned: undefined }, types.closedBefore);
  return types.values;
}
