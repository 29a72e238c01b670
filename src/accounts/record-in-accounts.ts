import { AuthorizedAccount, authorizePlatform } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import { recordByGuest, recordOfSelf } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';

/**
 * Records changes in the change logs of several accounts. Accounts other than the caller's do not learn the
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

/** Records the same changes in the change logs of several accounts, and in that of the caller's account. */
export async function recordEverywhere(
  within: Authorized,
  accountIds: readonly string[],
  ...changes: NewChange[]
): Promise<void> {
  const own = ownAccountId(within);
  const all = [...accountIds, ...(own === undefined ? [] : [own])];
  await recordInAccounts(within, new Map(all.map((id) => [id, changes])));
}

/**
 * The caller's account, whose change log also has the address of the caller: that of the authorization, or the platform's if
 * the caller acts as the platform. Undefined for an operator of a service without an account of the platform.
 */
export function ownAccountId(within: Authorized): string | undefined {
  const own = within instanceof AuthorizedAccount && within.isByPlatform ? authorizePlatform(within.ctx) : within;
  return own instanceof AuthorizedAccount ? own.account.id : undefined;
}
