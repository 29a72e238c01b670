import type { AuthorizedAccount } from '../../auth/authorize.js';
import { ApiError } from '../../errors.js';

/** How many changes since the given version the error lists, oldest first. */
const changesListedMax = 20;

/**
 * Checks `ifVersion`: refuses a change of a resource whose version has changed since.
 *
 * @param label the resource kind as errors name it: `egress IP`.
 * @param row the locked row.
 * @throws 409 `version_mismatch`, with the current version and the changes since in its details.
 */
export async function requireVersion(
  within: AuthorizedAccount,
  label: string,
  row: { id: string; version: number },
  ifVersion: number | null | undefined,
): Promise<void> {
  if (ifVersion == null || ifVersion === row.version) return;
  const changes = await within.db.change.findMany({
    where: { accountId: within.account.id, resourceId: row.id, version: { gt: ifVersion } },
    orderBy: { sequence: 'asc' },
    take: changesListedMax,
    select: { version: true, time: true, actorName: true, fields: true },
  });
  const message = `The ${label} has version ${row.version}, not ${ifVersion}. Read it again, and send its version.`;
  const listed = changes.map(({ version, time, actorName, fields }) => ({
    version,
    time: time.toISOString(),
    by: actorName,
    fields,
  }));
  throw new ApiError('version_mismatch', message, { details: { version: row.version, changes: listed } });
}
