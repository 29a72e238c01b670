// Authorizes exports of account metrics.
import { authorizeAccount } from '../auth/authorize.js';
import { readCatalog } from '../metering/read-catalog.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { exportCharges, exportMetrics } from './export.js';
import type { ExportOptions, ExportProfile } from './export.js';
import { getMetricsPart } from './metrics.js';
import type { AskedMetrics } from './metrics-query.js';

/**
 * Exports all groups of a query in pieces, or its charges for a CSV profile.
 *
 * @param parse parses the request, after the caller is authorized. So does `optionsOf` for the options.
 * @throws the errors of getMetrics(), before the first piece; 403 `access_denied` for charges, which name workspaces,
 * unless the caller is an admin of the account.
 */
export function streamMetrics(
  ctx: UsageContext,
  accountId: string,
  parse: () => AskedMetrics,
  optionsOf: () => ExportOptions & { profile: ExportProfile | undefined },
): AsyncGenerator<string> {
  authorizeAccount(ctx, 'metrics:read', accountId);
  const { profile, ...options } = optionsOf();
  const read = (question: () => AskedMetrics) => getMetricsPart(ctx, accountId, question);
  if (profile === undefined) return exportMetrics(read, parse, options);
  return exportCharges(read, parse, options, async () => {
    const { db, account } = authorizeAccount(ctx, 'metrics:read', accountId);
    return { account, provider: ctx.serviceName, catalog: await readCatalog(db) };
  });
}
