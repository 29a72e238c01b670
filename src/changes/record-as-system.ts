import type { Statements } from '../database/transaction.js';
import type { Growth } from '../quotas/growth.js';
import { appendChanges } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import { changeRowContent } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/**
 * Records an action of the service itself in an account's change log. It must be the last statement of a transaction.
 *
 * @param growths what it adds to the use of quotas.
 * @throws like appendChanges().
 */
export async function recordAsSystem(
  db: Statements,
  { accountId, workspaceId }: { accountId: string; workspaceId: string | null },
  now: Date,
  changes: readonly NewChange[],
  growths: readonly Growth[] = [],
): Promise<void> {
  const rows = changes.map((change) => changeRowBySystem(workspaceId, now, change));
  await appendChanges(db, accountId, rows, growths);
}

/** An action of the service itself as a row of the change log. */
export function changeRowBySystem(workspaceId: string | null, now: Date, change: NewChange): ChangeRow {
  return {
    ...changeRowContent(change),
    time: now.toISOString(),
    workspace_id: workspaceId ?? undefined,
    actor_kind: 'system',
  };
}
