import type { Statements } from '../../database/transaction.js';
import { ApiError } from '../../errors.js';

/** The maximum number of changes whose fields the error lists, newest first. */
const changesReadMax = 100;

/**
 * Checks `ifVersion`: refuses a change of a resource whose version has changed since.
 *
 * @param within the transaction, and the account whose change log has the changes.
 * @param label the resource kind as errors name it: `egress IP`.
 * @param row the locked row. A row without an author or a time has those of its last recorded change.
 * @throws 409 `version_mismatch`, with the current version, its author and the fields that changed since.
 */
export async function requireVersion(
  within: { db: Statements; account: { id: string } },
  label: string,
  row: { id: string; version: number; updatedBy?: string | null | undefined; updatedAt?: Date | string | undefined },
  ifVersion: number | null | undefined,
): Promise<void> {
  if (ifVersion == null || ifVersion === row.version) return;
  const changes = await (
    await within.db.$prisma()
  ).change.findMany({
    where: { accountId: within.account.id, resourceId: row.id, version: { not: null } },
    orderBy: { sequence: 'desc' },
    take: changesReadMax,
    select: { version: true, time: true, actorName: true, fields: true },
  });
  const since = changes.filter(({ version }) => version !== null && version > ifVersion);
  const message = `The ${label} has version ${row.version}, not ${ifVersion}. Read it again, and send its version.`;
  throw new ApiError('version_mismatch', message, {
    conflict: {
      currentVersion: row.version,
      updatedBy: row.updatedBy ?? changes[0]?.actorName,
      updatedAt: row.updatedAt === undefined ? changes[0]?.time : new Date(row.updatedAt),
      changedFields: [...new Set(since.flatMap(({ fields }) => fields))].toSorted(),
    },
  });
}
