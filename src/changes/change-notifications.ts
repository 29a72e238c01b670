// The statement that reads the new changes of several accounts at once, for all watchers in a process.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';
import { allColumns, changeColumns, changeFromJson } from './change.js';
import type { Change, ChangeJson } from './change.js';

/** How many changes of an account are read at a time. */
const newsMax = 100;

export interface News {
  accountId: string;
  changes: Change[];
  /** The approximate length of the changes as text. */
  length: number;
  /** Whether there may be more changes. */
  isMore: boolean;
}

/** The changes of each account after a sequence number, in order. Accounts without changes are left out. */
export async function readNewChanges(
  db: Statements,
  accounts: readonly { accountId: string; last: number }[],
): Promise<News[]> {
  if (accounts.length === 0) return [];
  const ids = accounts.map(({ accountId }) => accountId);
  const lasts = accounts.map(({ last }) => String(last));
  const text = await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('accountId', a."id", 'changes', news."changes")), '[]')::text
      FROM unnest(${ids}::uuid[], ${lasts}::bigint[]) AS a("id", "last")
      CROSS JOIN LATERAL (
        SELECT json_agg(p) AS "changes" FROM (
          SELECT ${changeColumns(allColumns)} FROM "change" AS c
          WHERE c."account_id" = a."id" AND c."sequence" > a."last"
          ORDER BY c."sequence" LIMIT ${newsMax}::int) AS p) AS news
      WHERE news."changes" IS NOT NULL`);
  const rows: { accountId: string; changes: ChangeJson[] }[] = JSON.parse(text);
  const count = rows.reduce((sum, { changes }) => sum + changes.length, 0);
  return rows.map(({ accountId, changes }) => ({
    accountId,
    changes: changes.map((row) => changeFromJson(accountId, row)),
    length: Math.ceil((text.length * changes.length) / count),
    isMore: changes.length === newsMax,
  }));
}
