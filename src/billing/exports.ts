// Authorizes exports of account metrics.
import { authorizeAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { readCatalog } from '../metering/read-catalog.js';
import { exportCharges, exportMetrics } from './export.js';
import type { ExportForm, ExportProfile } from './export.js';
import { getMetricsPart } from './metrics.js';
import type { AskedMetrics } from './metrics-query.js';

/**
 * Exports all groups of a query in pieces, or its charges for a CSV profile.
 *
 * @throws the errors of getMetrics(), before the first piece; 403 `access_denied` for charges, which name workspaces,
 * unless the caller is an admin of the account.
 */
export function streamMetrics(
  ctx: RequestContext,
  accountId: string,
  parse: () => AskedMetrics,
  { form, profile }: { form: ExportForm; profile: ExportProfile | undefined },
): AsyncGenerator<string> {
  const read = (question: () => AskedMetrics) => getMetricsPart(ctx, accountId, question);
  if (profile === undefined) return exportMetrics(read, parse, form);
  return exportCharges(read, parse, async () => {
    const { db, account } = authorizeAccount(ctx, 'metrics:read', accountId);
    return { account, provider: ctx.serviceName, catalog: await readCatalog(db) };
  });
}
