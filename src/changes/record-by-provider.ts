// Records what an identity provider changes: users, memberships and sessions. The actor is the service; the client names
// the provider.
import type { Transaction } from '../database/open.js';
import { appendChanges } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import type { MemberChange } from './member-change.js';
import type { ChangeAction, ChangeKind } from './change-subjects.js';

/** The id of the provider, and the request in which it made the change. */
export interface ProviderVisit {
  provider: string;
  requestId: string;
  now: Date;
}

/** A change of a user, or of the user's sessions. */
interface UserChange {
  kind: Extract<ChangeKind, 'USER' | 'SIGN_IN'>;
  verb: ChangeAction;
  resourceId: string;
  name: string;
  message: string;
}

/** Writes changes into the change log of an account. It must be the last statement of a transaction. */
export async function recordByProvider(
  tx: Transaction,
  accountId: string,
  { provider, requestId, now }: ProviderVisit,
  changes: readonly (MemberChange | UserChange)[],
): Promise<void> {
  const rows = changes.map((change): ChangeRow => {
    const { kind, verb, resourceId, name, message } = change;
    const ofMember = 'before' in change ? change : undefined;
    return {
      time: now.toISOString(),
      workspace_id: ofMember?.workspaceId,
      kind,
      resource_id: resourceId,
      name,
      verb,
      actor_kind: 'system',
      client: `sign_in_provider ${provider}`,
      request_id: requestId,
      api: 'oauth',
      fields: ofMember?.before === undefined || ofMember.after === undefined ? [] : ['role'],
      before: ofMember?.before,
      after: ofMember?.after,
      type: verb,
      status: verb,
      message: `${message}, by the identity provider ${provider}`,
    };
  });
  await appendChanges(tx, accountId, rows);
}
