import type { Statements } from '../database/open.js';
import { appendChanges } from './change-rows.js';
import { changeRowContent } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/**
 * Records an action of the service itself in an account's change log. It must be the last statement of a transaction.
 */
export async function recordAsSystem(
  db: Statements,
  { accountId, workspaceId }: { accountId: string; workspaceId: string | null },
  now: Date,
  changes: readonly NewChange[],
): Promise<void> {
  const time = now.toISOString();
  const rows = changes.map((change) => ({
    ...changeRowContent(change),
    time,
    workspace_id: workspaceId ?? undefined,
    actor_kind: 'system' as const,
  }));
  await appendChanges(db, accountId, rows);
}
