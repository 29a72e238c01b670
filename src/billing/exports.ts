// Account metrics as files, for those who may see them.
import { authorizeAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { readCatalog } from '../metering/read-catalog.js';
import { exportCharges, exportMetrics } from './export.js';
import type { ExportForm, ExportProfile } from './export.js';
import { getMetricsPart } from './metrics.js';
import type { AskedMetrics } from './metrics-query.js';

/**
 * All groups of a question as a file, piece by piece; in a profile of CSV, its charges.
 *
 * @throws what getMetrics throws, before the first piece; 403 `access_denied` for charges, which name workspaces, but for an
 *   admin of the account.
 */
export function streamMetrics(
  ctx: RequestContext,
  accountId: string,
  asked: () => AskedMetrics,
  { form, profile }: { form: ExportForm; profile: ExportProfile | undefined },
): AsyncGenerator<string> {
  const read = (question: () => AskedMetrics) => getMetricsPart(ctx, accountId, question);
  if (profile === undefined) return exportMetrics(read, asked, form);
  return exportCharges(read, asked, async () => {
    const { db, account } = authorizeAccount(ctx, 'metrics:read', accountId);
    return { account, provider: ctx.serviceName, catalog: await readCatalog(db) };
  });
}
