// What somebody does in a browser, on the pages of this service: the history of the accounts that it concerns tells of it.
import { Prisma } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { insertChanges, takeNumbers } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';

/** Who does something in a browser, and from where. */
export interface BrowserVisit {
  user: { id: string; name: string };
  address: string;
  requestId: string;
  now: Date;
}

/** What the history calls a browser in which somebody is signed in. */
export const browserClient = 'session browser';

/**
 * Writes that a user signed in, or out, into the history of each account that they belong to. It is the last statement of a
 * transaction.
 */
export async function recordSignIn(
  tx: Transaction,
  visit: BrowserVisit,
  what: 'signed_in' | 'signed_out',
  message: string,
): Promise<void> {
  const { id, name } = visit.user;
  const verb = what === 'signed_in' ? 'created' : 'deleted';
  // In the order of the accounts, so that nobody waits for one who waits for them.
  const accounts = Prisma.sql`
    SELECT m."account_id" FROM "account_member" AS m WHERE m."principal_id" = ${id}::uuid ORDER BY m."account_id"`;
  await record(tx, accounts, visit, { kind: 'SIGN_IN', verb, resource_id: id, name, type: what, message });
}

/** Writes what a user lets a program do into the history of the account. It is the last statement of a transaction. */
export async function recordAgreement(
  tx: Transaction,
  visit: BrowserVisit,
  clientId: string,
  { accountId, workspaceId, scope }: { accountId: string; workspaceId: string | null; scope: string },
): Promise<void> {
  const account = Prisma.sql`SELECT ${accountId}::uuid AS "account_id"`;
  await record(tx, account, visit, {
    kind: 'ACCESS',
    verb: 'created',
    name: clientId,
    workspace_id: workspaceId ?? undefined,
    after: { scope },
    type: 'agreed',
    message: `Lets the program ${clientId} act for them`,
  });
}

async function record(
  tx: Transaction,
  accounts: Prisma.Sql,
  { user, address, requestId, now }: BrowserVisit,
  change: Pick<ChangeRow, 'kind' | 'verb' | 'name'> & Partial<ChangeRow> & { type: string },
): Promise<void> {
  const row: ChangeRow = {
    time: now.toISOString(),
    workspace_id: undefined,
    resource_id: undefined,
    actor_kind: 'user',
    actor_id: user.id,
    actor_name: user.name,
    client: browserClient,
    request_id: requestId,
    address,
    door: 'oauth',
    status: change.type,
    ...change,
  };
  await tx.$executeRaw(Prisma.sql`WITH "head" AS (${takeNumbers(accounts, 1)}) ${insertChanges([row])}`);
}
