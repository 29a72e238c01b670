// The account that PLATFORM_ACCOUNT names. Names of accounts never change, and only admins of this account create others, so
// only the operator decides which account it is.
import type { OpenDatabase } from '../database/open.js';

/** Whether an account has the name. Requests and background tasks do not delay the answer. */
export async function hasPlatformAccount(
  { probeQuery }: Pick<OpenDatabase, 'probeQuery'>,
  name: string,
): Promise<boolean> {
  const { rows } = await probeQuery('SELECT "id" FROM "account" WHERE "name" = $1', [name]);
  return rows.length > 0;
}

/** The error message if no account has the name. */
export function noPlatformAccount(name: string): string {
  return `PLATFORM_ACCOUNT: the account ${JSON.stringify(name)} does not exist`;
}
