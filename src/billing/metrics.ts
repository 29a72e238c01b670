// What an account's usage costs: GET /accounts/{accountId}/metrics, and the same for GraphQL.
import { authorizeAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import type { MetricsMoment } from './metrics-cursor.js';
import type { AskedMetrics } from './metrics-query.js';
import { readMetrics } from './read-metrics.js';
import type { MetricsPage, MetricsReading } from './read-metrics.js';
import { readPart } from './read-part.js';
import type { MetricsPart } from './read-part.js';
import { visibleWorkspaces } from './visible-workspaces.js';

/**
 * Cost, and usage beside billing dimensions, of one account in a window.
 *
 * @param asked read after the caller's rights are known.
 * @param given the moment of an answer without a cursor; the present when it is left out.
 * @throws 403 `access_denied` for an account out of reach, and for workspaces by who is no account admin;
 *   400 for a parameter that breaks a rule.
 */
export async function getMetrics(
  ctx: RequestContext,
  accountId: string,
  asked: () => AskedMetrics,
  given?: MetricsMoment,
): Promise<MetricsPage> {
  return readMetrics(readingOf(ctx, accountId), asked(), given);
}

/** Groups of the same for a file. @throws what getMetrics throws. */
export async function getMetricsPart(
  ctx: RequestContext,
  accountId: string,
  asked: () => AskedMetrics,
): Promise<MetricsPart> {
  return readPart(readingOf(ctx, accountId), asked());
}

function readingOf(ctx: RequestContext, accountId: string): MetricsReading {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  const { db, reads } = authorized;
  const { seal, now } = ctx;
  return { db, reads, seal, now, accountId, workspaces: visibleWorkspaces(authorized) };
}
