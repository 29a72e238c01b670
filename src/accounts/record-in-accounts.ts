import { AuthorizedAccount } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import { recordByGuest, recordOfSelf } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';

/**
 * Records changes in the change logs of several accounts. Accounts other than that of the authorization do not learn the
 * address of the caller. It must be the last statement of a transaction.
 *
 * @param changes the changes by the id of the account.
 */
export async function recordInAccounts(
  within: Authorized,
  changes: ReadonlyMap<string, readonly NewChange[]>,
): Promise<void> {
  const own = ownAccountId(within);
  // In the order of the ids, so that concurrent transactions cannot deadlock.
  for (const [accountId, ofAccount] of [...changes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (accountId === own || within.caller.isOperator === true) await recordOfSelf(within, [accountId], ofAccount);
    else await recordByGuest(within, accountId, ofAccount);
  }
}

/** Records one change in the change logs of several accounts, and in that of the authorization. */
export async function recordEverywhere(
  within: Authorized,
  accountIds: readonly string[],
  change: NewChange,
): Promise<void> {
  const own = ownAccountId(within);
  const all = [...accountIds, ...(own === undefined ? [] : [own])];
  await recordInAccounts(within, new Map(all.map((id) => [id, [change]])));
}

/** The account of an authorization, if it is for one. */
export function ownAccountId(within: Authorized): string | undefined {
  return within instanceof AuthorizedAccount ? within.account.id : undefined;
}
