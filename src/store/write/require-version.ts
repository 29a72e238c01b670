import type { AuthorizedAccount } from '../../auth/authorize.js';
import { ApiError } from '../../errors.js';

/** Changes since a version that are told of; the oldest of them. */
const changesToldMax = 20;

/**
 * Refuses a change of something that has another version by now than the one that it is made on the condition of.
 *
 * @param noun as errors name one: `egress IP`. @param row what is held.
 * @throws 409 `version_mismatch`, whose details say which version it has, and who changed what since.
 */
export async function requireVersion(
  within: AuthorizedAccount,
  noun: string,
  row: { id: string; version: number },
  ifVersion: number | null | undefined,
): Promise<void> {
  if (ifVersion == null || ifVersion === row.version) return;
  const changes = await within.db.change.findMany({
    where: { accountId: within.account.id, resourceId: row.id, version: { gt: ifVersion } },
    orderBy: { sequence: 'asc' },
    take: changesToldMax,
    select: { version: true, time: true, actorName: true, fields: true },
  });
  const message = `The ${noun} now has version ${row.version}, not ${ifVersion}.`;
  const told = changes.map(({ version, time, actorName, fields }) => ({
    version,
    time: time.toISOString(),
    by: actorName,
    fields,
  }));
  throw new ApiError('version_mismatch', message, { details: { version: row.version, changes: told } });
}
