import { AuthorizedAccount } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import { recordChanges } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';

/**
 * Records a change of the billing catalog in the change log of the platform's account. Without such an account, there is
 * no record. It must be the last statement of a transaction.
 *
 * @param within authorizes changes of the platform, in a transaction.
 */
export async function recordCatalogChange(within: Authorized, change: NewChange): Promise<void> {
  if (within instanceof AuthorizedAccount) await recordChanges(within, [change]);
}
