// The change log of all accounts, for operators. The API must not import it.
import { changeId } from '../../changes/change.js';
import type { Change } from '../../changes/change.js';
import { before, notBefore, oneOf } from '../../changes/change-condition.js';
import type { ChangeCondition } from '../../changes/change-condition.js';
import { readWholeChanges } from '../../changes/change-page.js';
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { findAccount } from '../../accounts/find-tenant.js';

/** Number of changes in a page. */
const pageMax = 200;

/** One change of the export. */
export interface AuditRecord {
  id: string;
  time: string;
  /** Name, or null if the account was deleted. */
  account: string | null;
  /** Name, or null if there is none or it was deleted. */
  workspace: string | null;
  kind: string;
  verb: string;
  name: string | null;
  resourceId: string | null;
  version: number | null;
  actorKind: string;
  actor: string | null;
  client: string | null;
  requestId: string | null;
  address: string | null;
  fields: string[];
  status: string | null;
  message: string | null;
  /** Number of occurrences: repeated denied requests are one record. */
  count: number;
  before: object | null;
  after: object | null;
}

export interface WhichChanges {
  /** Name, or undefined for all accounts. */
  account?: string | undefined;
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** The actor, credential and address, as in the records. */
  actor?: string | undefined;
  client?: string | undefined;
  address?: string | undefined;
}

/**
 * The stored changes by account, in commit order, in pages, so that memory does not depend on their number.
 *
 * @throws 404 `not_found` for an unknown account.
 */
export async function exportChanges(
  db: Database,
  { account, ...conditions }: WhichChanges,
): Promise<AsyncGenerator<AuditRecord[]>> {
  return recordsOf(db, await accountsWithHistory(db, account), conditionsFor(conditions));
}

function conditionsFor({ since, until, actor, client, address }: WhichChanges): ChangeCondition[] {
  return [
    ...(since === undefined ? [] : [notBefore(since.toISOString())]),
    ...(until === undefined ? [] : [before(until.toISOString())]),
    ...(actor === undefined ? [] : [oneOf('actorName', [actor])]),
    ...(client === undefined ? [] : [oneOf('client', [client])]),
    ...(address === undefined ? [] : [oneOf('address', [address])]),
  ];
}

async function* recordsOf(
  db: Database,
  accounts: readonly { id: string; name: string | null }[],
  conditions: readonly ChangeCondition[],
): AsyncGenerator<AuditRecord[]> {
  for (const { id: accountId, name } of accounts) {
    const workspaces = await db.workspace.findMany({ where: { accountId }, select: { id: true, name: true } });
    const names = new Map(workspaces.map((workspace) => [workspace.id, workspace.name]));
    let from: number | undefined;
    for (;;) {
      const { changes } = await readWholeChanges(db, { accountId, conditions, from, limit: pageMax });
      if (changes.length > 0) yield changes.map((change) => recordOf(change, name, names));
      if (changes.length < pageMax) break;
      from = changes.at(-1)?.sequence;
    }
  }
}

async function accountsWithHistory(
  db: Database,
  named: string | undefined,
): Promise<{ id: string; name: string | null }[]> {
  if (named !== undefined) return [await findAccount(db, named)];
  return db.$queryRaw(Prisma.sql`
    SELECT h."account_id"::text AS "id", a."name" FROM "change_head" AS h
    LEFT JOIN "account" AS a ON a."id" = h."account_id" ORDER BY a."name", h."account_id"`);
}

function recordOf(change: Change, account: string | null, workspaces: ReadonlyMap<string, string>): AuditRecord {
  return {
    id: changeId(change),
    time: change.time,
    account,
    workspace: workspaces.get(change.workspaceId ?? '') ?? null,
    kind: change.kind,
    verb: change.verb,
    name: change.name,
    resourceId: change.resourceId,
    version: change.version,
    actorKind: change.actorKind,
    actor: change.actorName,
    client: change.client,
    requestId: change.requestId,
    address: change.address,
    fields: change.fields,
    status: change.status,
    message: change.message,
    count: change.count ?? 1,
    before: change.before ?? null,
    after: change.after ?? null,
  };
}
