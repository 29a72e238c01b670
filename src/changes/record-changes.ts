import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import { AuthorizedWorkspace, requireChanger } from '../auth/authorize.js';
import { Prisma } from '../database/client/client.js';
import { insertChanges, takeNumbers } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';
import type { ChangeKind, ChangeVerb } from './change-words.js';
import { fieldsChanged } from './fields-changed.js';

/** What happened to something, as its events show it. */
export interface ChangeEvent {
  type: string;
  status: string;
  message: string;
  revision?: string | undefined;
  canaryRevision?: string | undefined;
}

/** One change, as the one who makes it tells it. */
export interface NewChange {
  kind: ChangeKind;
  verb: ChangeVerb;
  /** Absent for what is known by its name alone. */
  resourceId?: string | undefined;
  /** Where it happened, when that is not the place of who makes it. */
  workspaceId?: string | null | undefined;
  /** Absent for what has none of its own. */
  name?: string | undefined;
  /** What the resource has from then on; for a deletion the last that it had. */
  version?: number | undefined;
  /** The resource as it was and as it is, as anybody may see it: secrets are masked in it already. */
  before?: object | undefined;
  after?: object | undefined;
  /** The paths that changed, where more changed than the two tell. */
  fields?: string[] | undefined;
  event: ChangeEvent;
}

/**
 * Writes changes into the history of the account, in their order and under its next numbers. It is the last statement
 * of a transaction: until that ends, whoever else changes something in the account waits here.
 *
 * @param within who changes, where, and in which transaction.
 */
export async function recordChanges(within: AuthorizedAccount, changes: readonly NewChange[]): Promise<void> {
  if (!within.isInTransaction) throw new Error('a change is recorded in the transaction that makes it');
  if (changes.length === 0) return;
  const account = Prisma.sql`SELECT ${within.account.id}::uuid AS "account_id"`;
  await within.db.$executeRaw(Prisma.sql`
    WITH "head" AS (${takeNumbers(account, changes.length)})
    ${insertChanges(changeRows(within, changes))}`);
}

/**
 * Writes what somebody did who does not belong to an account into its history: it names them, and not from where they came.
 * It is the last statement of a transaction, as recordChanges() is.
 */
export async function recordByGuest(
  within: Authorized,
  accountId: string,
  changes: readonly NewChange[],
): Promise<void> {
  const { caller, now } = within.ctx;
  const { id, kind, name } = caller.principal;
  const time = now().toISOString();
  const rows = changes.map((change): ChangeRow => ({
    ...changeRowContent(change),
    time,
    workspace_id: change.workspaceId ?? undefined,
    actor_kind: kind,
    actor_id: id,
    actor_name: name,
  }));
  const account = Prisma.sql`SELECT ${accountId}::uuid AS "account_id"`;
  await within.db.$executeRaw(Prisma.sql`WITH "head" AS (${takeNumbers(account, rows.length)}) ${insertChanges(rows)}`);
}

/**
 * Writes what somebody did to their own access into the histories of accounts that they belong to. It is the last statement of
 * a transaction, as recordChanges() is.
 *
 * @param accountIds in their order, so that nobody waits for one who waits for them.
 */
export async function recordOfSelf(
  within: Authorized,
  accountIds: readonly string[],
  changes: readonly NewChange[],
): Promise<void> {
  const rows = insertChanges(changeRows(within, changes));
  for (const accountId of accountIds) {
    const account = Prisma.sql`SELECT ${accountId}::uuid AS "account_id"`;
    await within.db.$executeRaw(Prisma.sql`WITH "head" AS (${takeNumbers(account, changes.length)}) ${rows}`);
  }
}

/** The same changes as rows, for a statement that makes and records them at once. */
export function changeRows(within: Authorized, changes: readonly NewChange[]): ChangeRow[] {
  const { caller, requestId, clientAddress, door, now } = within.ctx;
  const { principal, credential } = caller;
  // Whoever forgot to ask finds out here, where every change passes.
  if (within instanceof AuthorizedWorkspace) requireChanger(within.workspace);
  const time = now().toISOString();
  return changes.map((change) => ({
    ...changeRowContent(change),
    time,
    workspace_id: change.workspaceId ?? (within instanceof AuthorizedWorkspace ? within.workspace.id : undefined),
    actor_kind: principal.kind,
    actor_id: principal.id,
    actor_name: principal.name,
    client: `${credential.kind} ${credential.label}`,
    request_id: requestId,
    address: clientAddress,
    door,
  }));
}

/** What of a row is the same for whoever makes the change, and wherever. */
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
