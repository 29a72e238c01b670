// Writes a row and its change record by one statement.
import type { AuthorizedAccount } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { insertChanges, takeNumbers, takeNumbersOfEach } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import { changeRowContent, changeRows } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/** What the statement writes in addition to the row and its changes. */
export interface Beside {
  /** SQL that writes further rows. */
  along?: readonly Prisma.Sql[];
  /** The change record in another account whose workspace the change concerns. */
  otherSide?: OtherSide | undefined;
}

/** The record of a change in the other of the two accounts that it concerns. It has no actor. */
export interface OtherSide {
  accountId: string;
  workspaceId: string;
  change: NewChange;
}

/**
 * Writes a row and its changes, all or nothing. In a transaction it must be the last statement, like recordChanges().
 *
 * @param written SQL that writes the one row, and returns it.
 * @returns whether the row was written: false if a condition of its SQL did not hold.
 */
export async function writeRecorded(
  within: AuthorizedAccount,
  written: Prisma.Sql,
  changes: readonly NewChange[],
  { along = [], otherSide }: Beside = {},
): Promise<boolean> {
  const others = along.map((statement, index) => Prisma.sql`${Prisma.raw(`"along${index}"`)} AS (${statement}),`);
  const count = await within.db.$text(Prisma.sql`
    WITH "written" AS (${written}),
    ${others.length === 0 ? Prisma.empty : Prisma.join(others, ' ')}
    ${recording(within, changes, otherSide)}
    SELECT count(*)::text FROM "written"`);
  return count !== '0';
}

/** CTEs that insert the changes into the account's change log, and the record of the other side into its own. */
function recording(within: AuthorizedAccount, changes: readonly NewChange[], otherSide?: OtherSide): Prisma.Sql {
  const { id } = within.account;
  const rows = changeRows(within, changes);
  if (otherSide === undefined || otherSide.accountId === id) {
    const account = Prisma.sql`SELECT ${id}::uuid AS "account_id" FROM "written"`;
    return Prisma.sql`"head" AS (${takeNumbers(account, rows.length)}), "recorded" AS (${insertChanges(rows)})`;
  }
  const { accountId, workspaceId, change } = otherSide;
  const time = within.ctx.now().toISOString();
  const told: ChangeRow = { ...changeRowContent(change), time, workspace_id: workspaceId, actor_kind: 'system' };
  const counts = { [id]: rows.length, [accountId]: 1 };
  return Prisma.sql`
    "head" AS (${takeNumbersOfEach(counts, Prisma.sql`WHERE EXISTS (SELECT FROM "written")`)}),
    "recorded" AS (${insertChanges(rows, id)}),
    "told" AS (${insertChanges([told], accountId)})`;
}
