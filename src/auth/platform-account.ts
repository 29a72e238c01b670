// The account that PLATFORM_ACCOUNT names. Accounts are made by the command line alone and keep their names, so nobody but
// the operator says whose it is.
import type { Database } from '../database/open.js';

/** Its id; undefined for a name that no account has. */
export async function platformAccountId(db: Pick<Database, 'account'>, name: string): Promise<string | undefined> {
  return (await db.account.findUnique({ where: { name }, select: { id: true } }))?.id;
}

/** What is said of a name that no account has. */
export function noPlatformAccount(name: string): string {
  return `PLATFORM_ACCOUNT: there is no account named ${JSON.stringify(name)}`;
}
