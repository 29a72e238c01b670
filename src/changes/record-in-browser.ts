// Records what users do on the pages of this service, in the change log of the accounts concerned.
import { Prisma } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { insertChanges, takeNumbers } from './change-rows.js';
import type { ChangeRow } from './change-rows.js';

/** A signed-in user in a browser, and the client's address. */
export interface BrowserVisit {
  user: { id: string; name: string };
  address: string;
  requestId: string;
  now: Date;
}

/** The client of changes that are made in a browser session. */
export const browserClient = 'session browser';

/** Records a sign-in or sign-out in each account of the user. It must be the last statement of a transaction. */
export async function recordSignIn(
  tx: Transaction,
  visit: BrowserVisit,
  what: 'signed_in' | 'signed_out',
  message: string,
): Promise<void> {
  const { id, name } = visit.user;
  const verb = what === 'signed_in' ? 'created' : 'deleted';
  // Sorted by account, so that concurrent transactions cannot deadlock.
  const accounts = Prisma.sql`
    SELECT m."account_id" FROM "account_member" AS m WHERE m."principal_id" = ${id}::uuid ORDER BY m."account_id"`;
  await record(tx, accounts, visit, { kind: 'SIGN_IN', verb, resource_id: id, name, type: what, message });
}

/** Records the consent that a user gives to an OAuth client. It must be the last statement of a transaction. */
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
    message: `Authorized the application ${clientId}`,
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
    api: 'oauth',
    status: change.type,
    ...change,
  };
  await tx.$executeRaw(Prisma.sql`WITH "head" AS (${takeNumbers(accounts, 1)}) ${insertChanges([row])}`);
}
