import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import { AuthorizedWorkspace, requireChanger } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { appendChanges } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import type { ChangeKind, ChangeAction } from './change-subjects.js';
import type { Growth } from '../quotas/growth.js';
import { fieldsChanged } from './fields-changed.js';

/** The event of a change, as the resource's `events` show it. */
export interface ChangeEvent {
  type: string;
  status: string;
  message: string;
  revision?: string | undefined;
  canaryRevision?: string | undefined;
}

/** A change to record. */
export interface NewChange {
  kind: ChangeKind;
  verb: ChangeAction;
  /** Absent for subjects that only have a name. */
  resourceId?: string | undefined;
  /** The workspace of the subject, if it is not the caller's. */
  workspaceId?: string | null | undefined;
  /** Absent for subjects without a name. */
  name?: string | undefined;
  /** The resource's version after the change; for a deletion, its last version. */
  version?: number | undefined;
  /** The resource before and after the change in its public form, with secrets masked. */
  before?: object | undefined;
  after?: object | undefined;
  /** The changed paths, if more changed than `before` and `after` show. */
  fields?: string[] | undefined;
  event: ChangeEvent;
}

const eventsByAction = {
  created: { type: 'creation', status: 'CREATED', word: 'Created' },
  updated: { type: 'update', status: 'UPDATED', word: 'Updated' },
  deleted: { type: 'deletion', status: 'DELETED', word: 'Deleted' },
  cancelled: { type: 'cancellation', status: 'CANCELLED', word: 'Cancelled' },
} as const satisfies Partial<Record<ChangeAction, object>>;

export type EventfulAction = keyof typeof eventsByAction;

/** The event of an action on a resource or another subject with events. @param actor the name of the principal */
export function eventBy(verb: EventfulAction, actor: string): ChangeEvent {
  const { type, status, word } = eventsByAction[verb];
  return { type, status, message: `${word} by ${actor}` };
}

/** A change with an event that has only a message, as of users and credentials: type and status are the action. */
export function changeWithMessage(
  kind: ChangeKind,
  verb: ChangeAction,
  { id, name }: { id: string; name: string },
  message: string,
): NewChange {
  return { kind, verb, resourceId: id, name, event: { type: verb, status: verb, message } };
}

/**
 * Appends changes to the account's change log. It must be the last statement of a transaction: it locks the log until
 * the transaction ends.
 *
 * @param within the caller, the scope, and the transaction.
 * @param growths what the changes add to the use of quotas.
 * @throws 409 `quota_exceeded`, `budget_exceeded`
 */
export async function recordChanges(
  within: AuthorizedAccount,
  changes: readonly NewChange[],
  growths: readonly Growth[] = [],
): Promise<void> {
  await recordInSeveralAccounts(within, { changes, growths }, []);
}

/** The record of a change in another account that it concerns. It has no actor. */
export interface OtherAccountChange {
  accountId: string;
  workspaceId: string;
  /** Absent if the other account has no record of the change. */
  change?: NewChange | undefined;
  growths?: readonly Growth[];
}

/**
 * Appends changes to the account's change log, and the records for other accounts to their logs. It must be the last
 * thing that a transaction does, like recordChanges().
 *
 * @param others changes of the caller's own account among them only add to the use of its quotas.
 * @throws like recordChanges().
 */
export async function recordInSeveralAccounts(
  within: AuthorizedAccount,
  { changes, growths = [] }: { changes: readonly NewChange[]; growths?: readonly Growth[] },
  others: readonly OtherAccountChange[],
): Promise<void> {
  if (!within.isInTransaction) throw new Error('A change must be recorded in the transaction that makes it.');
  const rows = changeRows(within, changes);
  const logs = new Map([[within.account.id, { rows, growths: [...growths] }]]);
  for (const { accountId, growths: ofOther = [], ...other } of others) {
    const log = logs.get(accountId) ?? { rows: [], growths: [] };
    log.growths.push(...ofOther);
    if (accountId !== within.account.id) log.rows.push(...otherRows(within, other));
    logs.set(accountId, log);
  }
  for (const [accountId, log] of [...logs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await appendChanges(within.db, accountId, log.rows, log.growths);
  }
}

function otherRows({ ctx }: Authorized, { workspaceId, change }: Omit<OtherAccountChange, 'accountId'>): ChangeRow[] {
  if (change === undefined) return [];
  const time = ctx.now().toISOString();
  return [{ ...changeRowContent(change), time, workspace_id: workspaceId, actor_kind: 'system' }];
}

/**
 * Records an action by a caller who is not a member of the account. The record has the caller's name, but not their
 * address. It must be the last statement of a transaction, like recordChanges().
 */
export async function recordByGuest(
  within: Authorized,
  accountId: string,
  changes: readonly NewChange[],
): Promise<void> {
  const { caller, now } = within.ctx;
  const rows = changes.map((change) => changeRowByGuest(caller, now(), change));
  await appendChanges(within.db, accountId, rows);
}

/** An action by a caller who is not a member of the account, as a row of the change log. */
export function changeRowByGuest(
  { principal: { id, kind, name } }: Pick<ChangingRequest['caller'], 'principal'>,
  time: Date,
  change: NewChange,
): ChangeRow {
  return {
    ...changeRowContent(change),
    time: time.toISOString(),
    workspace_id: change.workspaceId ?? undefined,
    actor_kind: kind,
    actor_id: id,
    actor_name: name,
  };
}

/**
 * Records a change that users make to their own access, in several of their accounts. It must be the last thing that a
 * transaction does, like recordChanges().
 *
 * @param accountIds sorted, so that concurrent transactions cannot deadlock.
 */
export async function recordOfSelf(
  within: Authorized,
  accountIds: readonly string[],
  changes: readonly NewChange[],
): Promise<void> {
  const rows = changeRows(within, changes);
  for (const accountId of accountIds) await appendChanges(within.db, accountId, rows);
}

/** The changes as rows of the change log. */
function changeRows(within: Authorized, changes: readonly NewChange[]): ChangeRow[] {
  // Every change passes here, so a missing authorization is caught.
  if (within instanceof AuthorizedWorkspace) requireChanger(within.workspace);
  const workspaceId = within instanceof AuthorizedWorkspace ? within.workspace.id : undefined;
  return changes.map((change) => changeRowBy(within.ctx, workspaceId, change));
}

/** The request that makes a change, as far as the change log names it. */
export interface ChangingRequest extends Pick<RequestContext, 'requestId' | 'clientAddress' | 'api' | 'now'> {
  caller: Pick<Caller, 'isOperator'> & {
    principal: Pick<Caller['principal'], 'id' | 'kind' | 'name'>;
    credential: Pick<Caller['credential'], 'kind' | 'label'>;
  };
}

/**
 * A change as a row of the change log.
 *
 * @param workspaceId the workspace of the request; the change can name another.
 */
export function changeRowBy(
  { caller, requestId, clientAddress, api, now }: ChangingRequest,
  workspaceId: string | undefined,
  change: NewChange,
): ChangeRow {
  const { principal, credential } = caller;
  const actor =
    caller.isOperator === true
      ? { actor_kind: 'operator' as const, client: 'command line' }
      : {
          actor_kind: principal.kind,
          actor_id: principal.id,
          actor_name: principal.name,
          client: `${credential.kind} ${credential.label}`,
          request_id: requestId,
          address: clientAddress,
        };
  return {
    ...changeRowContent(change),
    time: now().toISOString(),
    workspace_id: change.workspaceId ?? workspaceId,
    ...actor,
    api,
  };
}

/** The columns of a change that do not depend on the caller and the scope. */
export function changeRowContent({ kind, verb, resourceId, name, version, before, after, fields, event }: NewChange) {
  return {
    kind,
    verb,
    resource_id: resourceId,
    name,
    version,
    fields: fields ?? (before === undefined || after === undefined ? [] : fieldsChanged(before, after)),
    before,
    after,
    type: event.type,
    status: event.status,
    message: event.message,
    revision: event.revision,
    canary_revision: event.canaryRevision,
  };
}
