import { appendChanges } from '../changes/change-rows.js';
import type { ChangeRow } from '../changes/change-rows.js';
import type { ChangeKind, ChangeAction } from '../changes/change-subjects.js';
import type { ChangeEvent } from '../changes/record-changes.js';
import type { Growth } from '../quotas/growth.js';
import type { Statements } from '../database/transaction.js';

/** The source of a status: an executor, or the service itself. */
export interface Reporter {
  executor?: { id: string; name: string } | undefined;
  now: Date;
  requestId?: string | undefined;
}

/** A status change of a resource in an account. */
export interface StatusChange {
  accountId: string;
  workspaceId: string;
  kind: ChangeKind;
  resourceId: string;
  name: string | undefined;
  version: number;
  verb?: ChangeAction;
  /** The paths of the changed fields. */
  fields?: string[];
  before?: object | undefined;
  after?: object | undefined;
  event: ChangeEvent;
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
  const { workspaceId, kind, resourceId, name, version, verb = 'status', fields = ['status'], before, after } = change;
  const { type, status, message, revision } = change.event;
  return {
    time: now.toISOString(),
    workspace_id: workspaceId,
    kind,
    resource_id: resourceId,
    name,
    verb,
    version,
    actor_kind: executor === undefined ? 'system' : 'executor',
    actor_id: executor?.id,
    actor_name: executor?.name,
    request_id: requestId,
    fields: verb === 'deleted' ? [] : fields,
    before,
    after,
    type,
    status,
    message,
    revision,
  };
}
