// Records what an identity provider changes: users, memberships and sessions. The actor is the service; the client names
// the provider.
import type { Statements } from '../database/transaction.js';
import { appendChanges } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import { changeRowContent } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/** The id of the provider, and the request in which it made the change. */
export interface ProviderVisit {
  provider: string;
  requestId: string;
  now: Date;
}

/** Writes changes into the change log of an account. It must be the last statement of a transaction. */
export async function recordByProvider(
  tx: Statements,
  accountId: string,
  { provider, requestId, now }: ProviderVisit,
  changes: readonly NewChange[],
): Promise<void> {
  const rows = changes.map((change): ChangeRow => ({
    ...changeRowContent(change),
    time: now.toISOString(),
    workspace_id: change.workspaceId ?? undefined,
    actor_kind: 'system',
    client: `sign_in_provider ${provider}`,
    request_id: requestId,
    api: 'oauth',
    message: `${change.event.message}, by the identity provider ${provider}`,
  }));
  await appendChanges(tx, accountId, rows);
}
