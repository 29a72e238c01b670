// Account metrics: GET /accounts/{accountId}/metrics, and the same in GraphQL.
import { authorizeAccount } from '../auth/authorize.js';
import type { UsageContext } from '../metering/usage-memory.js';
import type { MetricsSnapshot } from './metrics-cursor.js';
import type { AskedMetrics } from './metrics-query.js';
import { readMetrics } from './read-metrics.js';
import type { MetricsPage, MetricsReading } from './read-metrics.js';
import { readPart } from './read-part.js';
import { usageSources } from './read-present.js';
import type { MetricsPart } from './read-part.js';
import { visibleWorkspaces } from './visible-workspaces.js';

/**
 * Returns the cost of an account in a window, and the usage when grouped by billing dimension.
 *
 * @param parse parses the request, after the caller is authorized.
 * @param snapshot the snapshot of an answer without a cursor; by default the present.
 * @throws 403 `access_denied` for an inaccessible account, and for grouping or filtering by workspaces unless the
 * caller is an admin of the account; 400 for an invalid parameter.
 */
export async function getMetrics(
  ctx: UsageContext,
  accountId: string,
  parse: () => AskedMetrics,
  snapshot?: MetricsSnapshot,
): Promise<MetricsPage> {
  return readMetrics(readingOf(ctx, accountId), parse(), snapshot);
}

/** Returns the next groups of a query for an export. @throws the errors of getMetrics(). */
export async function getMetricsPart(
  ctx: UsageContext,
  accountId: string,
  parse: () => AskedMetrics,
): Promise<MetricsPart> {
  return readPart(readingOf(ctx, accountId), parse());
}

function readingOf(ctx: UsageContext, accountId: string): MetricsReading {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  const { encryption, now } = ctx;
  const workspaces = visibleWorkspaces(authorized);
  return { ...usageSources(ctx, authorized), encryption, now, accountId, workspaces };
}
