// A row and the history of it written by one statement; under an Idempotency-Key its answer is kept by it as well, and the
// key is taken where no statement before it did.
import type { AuthorizedAccount } from '../access/authorize.js';
import { Prisma } from '../database/client/client.js';
import { insertChanges, takeNumbers } from './change-rows.js';
import { changeRows } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/** A condition of what is written first: the key of the request is free. */
export const isFree = Prisma.sql`EXISTS (SELECT FROM "claim" WHERE "found" = '')`;

/**
 * Writes a row and its changes, all or nothing. In a transaction it is the last statement, as recordChanges() is.
 *
 * @param written SQL that writes the one row, and returns it; outside of a transaction on the condition isFree.
 * @param along SQL of what is done beside it, whether the row is written or not.
 * @returns whether there was a row to write. @throws what the request's Once throws.
 */
export async function writeRecorded(
  within: AuthorizedAccount,
  written: Prisma.Sql,
  changes: readonly NewChange[],
  answer: object,
  along?: Prisma.Sql,
): Promise<boolean> {
  const { once } = within.ctx;
  const account = Prisma.sql`SELECT ${within.account.id}::uuid AS "account_id" FROM "written"`;
  const kept = once && once.keeping(Prisma.sql`${once.sealed(answer)}::text`, Prisma.sql`FROM "written"`);
  const rows = changeRows(within, changes);
  for (;;) {
    const claim = (within.isInTransaction ? undefined : once?.claim()) ?? Prisma.sql`''`;
    const text = await within.db.$text(Prisma.sql`
      WITH "claim" AS MATERIALIZED (SELECT ${claim} AS "found"),
      "written" AS (${written}),
      ${along === undefined ? Prisma.empty : Prisma.sql`"along" AS (${along}),`}
      ${kept === undefined ? Prisma.empty : Prisma.sql`"kept" AS (${kept}),`}
      "head" AS (${takeNumbers(account, changes.length)}),
      "recorded" AS (${insertChanges(rows)})
      SELECT json_build_object('claim', "found", 'isWritten', EXISTS (SELECT FROM "written"))::text FROM "claim"`);
    const { claim: found, isWritten }: { claim: string; isWritten: boolean } = JSON.parse(text);
    if (once?.isClaimed(found) !== false) return isWritten;
  }
}
