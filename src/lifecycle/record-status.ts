import { appendChanges } from '../changes/change-rows.js';
import type { ChangeRow } from '../changes/change-rows.js';
import type { ChangeAction } from '../changes/change-subjects.js';
import { changeRowContent } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import type { Growth } from '../quotas/growth.js';
import type { Statements } from '../database/transaction.js';

/** The source of a status: an executor, or the service itself. */
export interface Reporter {
  executor?: { id: string; name: string } | undefined;
  now: Date;
  requestId?: string | undefined;
}

/** A status change of a resource in an account. */
export interface StatusChange extends Omit<NewChange, 'verb'> {
  accountId: string;
  workspaceId: string;
  /** `status` by default. */
  verb?: ChangeAction;
  /** What the change adds to the use of quotas. */
  growths?: readonly Growth[];
}

/** Records a status change in an account's change log. It must be the last statement of a transaction. */
export async function recordStatus(db: Statements, reporter: Reporter, change: StatusChange): Promise<void> {
  await recordStatuses(db, reporter, [change]);
}

/**
 * Records several status changes, of any accounts. The accounts are sorted, so that concurrent transactions cannot
 * deadlock.
 */
export async function recordStatuses(
  db: Statements,
  reporter: Reporter,
  changes: readonly StatusChange[],
): Promise<void> {
  const accounts = [...new Set(changes.map(({ accountId }) => accountId))].toSorted();
  for (const accountId of accounts) {
    const own = changes.filter((change) => change.accountId === accountId);
    const rows = own.map((change) => statusRow(reporter, change));
    const growths = own.flatMap((change) => change.growths ?? []);
    await appendChanges(db, accountId, rows, growths);
  }
}

/** A status change as a row of the change log. */
export function statusRow({ executor, now, requestId }: Reporter, change: StatusChange): ChangeRow {
  const { workspaceId, verb = 'status', fields = ['status'] } = change;
  return {
    ...changeRowContent({ ...change, verb, fields: verb === 'deleted' ? [] : fields }),
    time: now.toISOString(),
    workspace_id: workspaceId,
    actor_kind: executor === undefined ? 'system' : 'executor',
    actor_id: executor?.id,
    actor_name: executor?.name,
    request_id: requestId,
  };
}
