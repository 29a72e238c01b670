import type { Database } from '../database/open.js';

/** Whether the database has no account. Demo data is never mixed with other data. */
export async function isEmpty(db: Database): Promise<boolean> {
  return (await db.account.count()) === 0;
}
