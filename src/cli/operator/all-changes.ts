// The history of every account, as an operator exports it: no door can import it.
import { changeId } from '../../changes/change.js';
import type { Change } from '../../changes/change.js';
import { before, notBefore, oneOf } from '../../changes/change-condition.js';
import type { ChangeCondition } from '../../changes/change-condition.js';
import { readWholeChanges } from '../../changes/change-page.js';
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { findAccount } from './all-accounts.js';

/** How many changes are held at a time. */
const pageMax = 200;

/** One change as an auditor reads it. */
export interface AuditRecord {
  id: string;
  time: string;
  /** By name; null for an account that is gone. */
  account: string | null;
  /** By name; null for what is in none, and for one that is gone. */
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
  /** How often it happened: refusals that repeat are summed up. */
  count: number;
  before: object | null;
  after: object | null;
}

export interface WhichChanges {
  /** By name; all of them where it is absent. */
  account?: string | undefined;
  since?: Date | undefined;
  /** Itself excluded. */
  until?: Date | undefined;
  /** By whom, through which credential, and from where, as records tell them. */
  actor?: string | undefined;
  client?: string | undefined;
  address?: string | undefined;
}

/**
 * The changes that are kept, account by account, each in the order in which they were committed; a page at a time, so
 * that their number never shows in memory.
 *
 * @throws 404 `not_found` for an unknown account.
 */
export async function exportChanges(
  db: Database,
  { account, ...wanted }: WhichChanges,
): Promise<AsyncGenerator<AuditRecord[]>> {
  return recordsOf(db, await accountsWithHistory(db, account), conditionsFor(wanted));
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
