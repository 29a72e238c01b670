import { appendChanges } from '../../changes/change-rows.js';
import type { Appending } from '../../changes/change-rows.js';
import type { ChangeKind, ChangeAction } from '../../changes/change-subjects.js';
import { fieldsChanged } from '../../changes/fields-changed.js';

/** A change by an operator. */
export interface OperatorChange {
  kind: ChangeKind;
  verb: ChangeAction;
  /** Absent for resources without an id. */
  resourceId?: string | undefined;
  name: string;
  workspaceId?: string | null | undefined;
  /** The new version, if the resource has versions. */
  version?: number | undefined;
  before?: object | undefined;
  after?: object | undefined;
  message: string;
}

/**
 * Writes changes by the command line into the change log of an account. It must be the last statement of a transaction.
 */
export async function recordAsOperator(
  tx: Appending,
  accountId: string,
  now: Date,
  changes: readonly OperatorChange[],
): Promise<void> {
  const rows = changes.map(({ kind, verb, resourceId, name, workspaceId, version, before, after, message }) => ({
    time: now.toISOString(),
    workspace_id: workspaceId ?? undefined,
    kind,
    resource_id: resourceId,
    name,
    version,
    verb,
    actor_kind: 'operator' as const,
    client: 'command line',
    api: 'cli' as const,
    fields: before === undefined || after === undefined ? [] : fieldsChanged(before, after),
    before,
    after,
    type: verb,
    status: verb,
    message,
  }));
  await appendChanges(tx, accountId, rows);
}
