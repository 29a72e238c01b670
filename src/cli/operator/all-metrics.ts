// Metrics of all accounts, for operators. The API must not import it.
import type { Database } from '../../database/open.js';
import { Reads } from '../../database/reads.js';
import { exportCharges, exportMetrics } from '../../billing/export.js';
import type { ExportForm } from '../../billing/export.js';
import { askedInRest } from '../../billing/metrics-query.js';
import type { AskedMetrics, MetricsParameters } from '../../billing/metrics-query.js';
import { readPart } from '../../billing/read-part.js';
import type { Seal } from '../../encryption.js';
import { readCatalog } from '../../metering/read-catalog.js';
import { findAccount } from './all-accounts.js';

export interface MetricsServices {
  db: Database;
  seal: Seal;
  now: () => Date;
  serviceName: string;
}

/**
 * Streams the costs of an account as a file, as an admin of the account gets it over HTTP.
 *
 * @param form a media type, or `focus`.
 * @throws 404 for an unknown account; 400 for an invalid parameter, before the first chunk.
 */
export async function exportMetricsOf(
  { db, seal, now, serviceName }: MetricsServices,
  accountName: string,
  parameters: MetricsParameters,
  form: ExportForm | 'focus',
): Promise<AsyncGenerator<string>> {
  const account = await findAccount(db, accountName);
  const reading = { db, reads: new Reads(db), seal, now, accountId: account.id, workspaces: undefined };
  const read = async (asked: () => AskedMetrics) => readPart(reading, asked());
  const asked = () => askedInRest(parameters);
  if (form !== 'focus') return exportMetrics(read, asked, form);
  return exportCharges(read, asked, async () => ({ account, provider: serviceName, catalog: await readCatalog(db) }));
}
