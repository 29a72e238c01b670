import { insertChanges, takeNumbers } from '../changes/change-rows.js';
import type { ChangeRow } from '../changes/change-rows.js';
import type { ChangeKind, ChangeVerb } from '../changes/change-words.js';
import type { ChangeEvent } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';

/** Who tells how something is doing: an executor, or the service itself. */
export interface Teller {
  executor?: { id: string; name: string } | undefined;
  now: Date;
  requestId?: string | undefined;
}

/** What became of something of an account. */
export interface StatusChange {
  accountId: string;
  workspaceId: string;
  kind: ChangeKind;
  resourceId: string;
  name: string | undefined;
  version: number;
  verb?: ChangeVerb;
  /** The paths of what changed. */
  fields?: string[];
  before?: object | undefined;
  after?: object | undefined;
  event: ChangeEvent;
}

/** Writes into an account's history how something is doing. It is the last statement of a transaction. */
export async function recordStatus(db: Statements, teller: Teller, change: StatusChange): Promise<void> {
  await recordStatuses(db, teller, [change]);
}

/** Writes several at once, of whatever accounts: in their order, so that nobody waits for one who waits for them. */
export async function recordStatuses(db: Statements, teller: Teller, changes: readonly StatusChange[]): Promise<void> {
  const accounts = [...new Set(changes.map(({ accountId }) => accountId))].toSorted();
  for (const accountId of accounts) {
    const rows = changes.filter((change) => change.accountId === accountId).map((change) => statusRow(teller, change));
    const account = Prisma.sql`SELECT ${accountId}::uuid AS "account_id"`;
    await db.$executeRaw(Prisma.sql`WITH "head" AS (${takeNumbers(account, rows.length)}) ${insertChanges(rows)}`);
  }
}

/** The same as a row, for a statement that writes it with what it tells of. */
export function statusRow({ executor, now, requestId }: Teller, change: StatusChange): ChangeRow {
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
