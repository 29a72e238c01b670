import type { Database } from '../database/open.js';

/** Whether there is no account in it: the demo is never mixed with anything. */
export async function isEmpty(db: Database): Promise<boolean> {
  return (await db.account.count()) === 0;
}
