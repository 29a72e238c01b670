// A row and the change of it in the history, written by one statement.
import type { AuthorizedAccount } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { insertChanges, takeNumbers, takeNumbersOfEach } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import { changeRowContent, changeRows } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/** What is written beside the row and its changes. */
export interface Beside {
  /** SQL that writes what goes with the row. */
  along?: readonly Prisma.Sql[];
  /** Where the change concerns a workspace of another account as well. */
  otherSide?: OtherSide | undefined;
}

/** What concerns two workspaces, as the other one of them sees it: it is not told who made it, but by the change itself. */
export interface OtherSide {
  accountId: string;
  workspaceId: string;
  change: NewChange;
}

/**
 * Writes a row and its changes, all or nothing. In a transaction it is the last statement, as recordChanges() is.
 *
 * @param written SQL that writes the one row, and returns it.
 * @returns whether it wrote the row: false where that has a condition of its own.
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

/** CTEs that write changes into the history of the account, and what the other side is told into its own. */
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
