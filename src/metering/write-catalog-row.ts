import { AuthorizedAccount } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { NewChange } from '../changes/record-changes.js';
import { writeRecorded } from '../changes/write-recorded.js';
import { Prisma } from '../database/client/client.js';

/**
 * Writes one row of the billing catalog, and records the change in the change log of the platform's account. Without
 * such an account, there is no record.
 *
 * @param within authorizes changes of the platform, in a transaction.
 * @param written SQL that writes and returns the row.
 * @param along SQL of related rows to write with it.
 * @returns false when there was no row to write.
 */
export async function writeCatalogRow(
  within: Authorized,
  written: Prisma.Sql,
  change: NewChange,
  ...along: Prisma.Sql[]
): Promise<boolean> {
  if (within instanceof AuthorizedAccount) return writeRecorded(within, written, [change], { along });
  for (const statement of along) await within.db.$executeRaw(statement);
  const count = await within.db.$text(Prisma.sql`
    WITH "written" AS (${written}) SELECT count(*)::text FROM "written"`);
  return count !== '0';
}
