// The values of metrics parameters: GET /accounts/{accountId}/metrics/enums/….
import { authorizeAccount } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import { groupDimensions } from '../metering/dimensions.js';
import type { Prisma } from '../database/client/client.js';
import type { UsedLabel } from './metrics-shape.js';
import type { MetricsScope } from './metrics-sources.js';
import { requireKeptHours, windowFromParameters } from './metrics-query.js';
import type { MetricsParameters } from './metrics-query.js';
import { labelsStatement, typesStatement } from './metrics-statements.js';
import type { UsageSnapshot } from './snapshot-statement.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { readPresent, usageSources } from './read-present.js';
import { visibleWorkspaces } from './visible-workspaces.js';
import { splitWindow } from '../metering/window.js';

/** Lists the five dimensions that costs can be grouped by. @throws 403 `access_denied` */
export function listGroupDimensions(ctx: UsageContext, accountId: string): string[] {
  authorizeAccount(ctx, 'metrics:read', accountId);
  return Object.keys(groupDimensions);
}

/** Lists the resource types with usage in a window, by name (decision 39). @throws 403 `access_denied`; 400 */
export async function listResourceTypes(
  ctx: UsageContext,
  accountId: string,
  parameters: () => Pick<MetricsParameters, 'startTime' | 'endTime'>,
): Promise<string[]> {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  return readUsed(ctx, authorized, accountId, parameters(), typesStatement);
}

/** The number of values that a key of a label is listed with. */
export const labelValuesMax = 100;

/**
 * Lists the labels that resources with usage in a window had at the time, by key. A key has its first values by name.
 *
 * @throws 403 `access_denied`; 400
 */
export async function listUsedLabels(
  ctx: UsageContext,
  accountId: string,
  parameters: Pick<MetricsParameters, 'startTime' | 'endTime'>,
): Promise<UsedLabel[]> {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  return readUsed(ctx, authorized, accountId, parameters, (scope) => labelsStatement(scope, labelValuesMax));
}

/** Reads values of the usage in a window that the caller sees. */
async function readUsed<Value>(
  ctx: UsageContext,
  authorized: AuthorizedAccount,
  accountId: string,
  parameters: Pick<MetricsParameters, 'startTime' | 'endTime'>,
  statementOf: (scope: MetricsScope) => Prisma.Sql,
): Promise<Value[]> {
  const window = windowFromParameters(parameters);
  const statement = statementOf({
    accountId,
    filters: {},
    workspaces: visibleWorkspaces(authorized),
    asOf: undefined,
    ...splitWindow(window, 'monthly'),
  });
  const read: UsageSnapshot & { values: Value[] } = await readPresent(
    usageSources(ctx, authorized),
    accountId,
    statement,
    ctx.now,
  );
  requireKeptHours({ window, zoned: undefined }, read.closedBefore);
  return read.values;
}
