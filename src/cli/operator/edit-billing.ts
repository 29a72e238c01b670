// Changes of billing dimensions, resource types and prices by an operator, with the same rules as for platform admins.
import { noPlatformAccount, platformAccountId } from '../../auth/platform-account.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { Database, Statements } from '../../database/open.js';
import { ApiError } from '../../errors.js';
import { lockRow } from '../../store/write/lock-row.js';
import type { BillingEditor } from '../../metering/billing-editor.js';
import { recordAsOperator } from './record-as-operator.js';

/** The account whose change log has the change. */
export interface PlatformHistory {
  /** The name of the platform account. Without it, the change is not logged. */
  platformAccount: string | undefined;
  now: Date;
}

/** Runs a change in one transaction. @throws 409 `conflict` if the platform account does not exist. */
export async function editBilling<Result>(
  db: Database,
  history: PlatformHistory | undefined,
  act: (editor: BillingEditor) => Promise<Result>,
): Promise<Result> {
  return db.$begin(async (tx) => {
    const accountId = await accountToTell(tx, history?.platformAccount);
    return act({
      lock: (held) => lockRow(tx, held),
      write: async (written, change, ...along) => {
        const isWritten = await writeOne(tx, written, along);
        if (isWritten && history !== undefined && accountId !== undefined) {
          await recordAsOperator(tx, accountId, history.now, [operatorChange(change)]);
        }
        return isWritten;
      },
    });
  });
}

async function accountToTell(tx: Statements, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const id = await platformAccountId(tx, name);
  if (id === undefined) throw new ApiError('conflict', noPlatformAccount(name));
  return id;
}

async function writeOne(tx: Statements, written: Prisma.Sql, along: readonly Prisma.Sql[]): Promise<boolean> {
  for (const statement of along) await tx.$executeRaw(statement);
  const count = await tx.$text(Prisma.sql`
    WITH "written" AS (${written}) SELECT count(*)::text FROM "written"`);
  return count !== '0';
}

function operatorChange({ kind, verb, name = '', before, after, event }: NewChange) {
  return { kind, verb, name, before, after, message: event.message };
}
