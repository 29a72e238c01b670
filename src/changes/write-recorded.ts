// A row and the history of it written by one statement; under an Idempotency-Key its answer is kept by it as well, and the
// key is taken where no statement before it did.
import type { AuthorizedAccount } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { insertChanges, takeNumbers, takeNumbersOfEach } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import { changeRowContent, changeRows } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/** A condition of what is written first: the key of the request is free. */
export const isFree = Prisma.sql`EXISTS (SELECT FROM "claim" WHERE "found" = '')`;

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
 * @param written SQL that writes the one row, and returns it; outside of a transaction on the condition isFree.
 * @returns whether it wrote the row: false where that has a condition of its own.
 * @throws what the request's Once throws.
 */
export async function writeRecorded(
  within: AuthorizedAccount,
  written: Prisma.Sql,
  changes: readonly NewChange[],
  answer: object,
  { along = [], otherSide }: Beside = {},
): Promise<boolean> {
  const { once } = within.ctx;
  const kept = once && once.keeping(Prisma.sql`${once.sealed(answer)}::text`, Prisma.sql`FROM "written"`);
  const others = [...along, ...(kept === undefined ? [] : [kept])].map(
    (statement, index) => Prisma.sql`${Prisma.raw(`"along${index}"`)} AS (${statement}),`,
  );
  const recorded = recording(within, changes, otherSide);
  for (;;) {
    const claim = (within.isInTransaction ? undefined : once?.claim()) ?? Prisma.sql`''`;
    const text = await within.db.$text(Prisma.sql`
      WITH "claim" AS MATERIALIZED (SELECT ${claim} AS "found"),
      "written" AS (${written}),
      ${others.length === 0 ? Prisma.empty : Prisma.join(others, ' ')}
      ${recorded}
      SELECT json_build_object('claim', "found", 'isWritten', EXISTS (SELECT FROM "written"))::text FROM "claim"`);
    const done: { claim: string; isWritten: boolean } = JSON.parse(text);
    if (once?.isClaimed(done.claim) !== false) return done.isWritten;
  }
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
    "recorded" AS (${insertChanges(rows, undefined, id)}),
    "told" AS (${insertChanges([told], undefined, accountId)})`;
}
