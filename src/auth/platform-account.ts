// The account that PLATFORM_ACCOUNT names. Names of accounts never change, and only admins of this account create others, so
// only the operator decides which account it is.
import type { Database } from '../database/open.js';

/** The id of the account, or undefined if no account has the name. */
export async function platformAccountId(db: Pick<Database, 'account'>, name: string): Promise<string | undefined> {
  return (await db.account.findUnique({ where: { name }, select: { id: true } }))?.id;
}

/** The error message if no account has the name. */
export function noPlatformAccount(name: string): string {
  return `PLATFORM_ACCOUNT: the account ${JSON.stringify(name)} does not exist`;
}
