// Records what users do on the pages of this service, in the change log of the accounts concerned.
import type { Statements } from '../database/transaction.js';
import { appendChanges } from './change-rows.js';
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
  tx: Statements,
  visit: BrowserVisit,
  event: 'signed_in' | 'signed_out',
  message: string,
): Promise<void> {
  const { id, name } = visit.user;
  const verb = event === 'signed_in' ? 'created' : 'deleted';
  // Sorted by account, so that concurrent transactions cannot deadlock.
  const prisma = await tx.$prisma();
  const accounts = await prisma.accountMember.findMany({
    where: { principalId: id },
    orderBy: { accountId: 'asc' },
    select: { accountId: true },
  });
  const row = rowOf(visit, { kind: 'SIGN_IN', verb, resource_id: id, name, type: event, message });
  for (const { accountId } of accounts) await appendChanges(tx, accountId, [row]);
}

/** Records the consent that a user gives to an OAuth client. It must be the last statement of a transaction. */
export async function recordAgreement(
  tx: Statements,
  visit: BrowserVisit,
  { id, displayName, selfRegistered }: { id: string; displayName: string; selfRegistered: boolean },
  { accountId, workspaceId, scope }: { accountId: string; workspaceId: string | null; scope: string },
): Promise<void> {
  const row = rowOf(visit, {
    kind: 'ACCESS',
    verb: 'created',
    name: id,
    workspace_id: workspaceId ?? undefined,
    after: { scope },
    type: 'agreed',
    message: `Authorized the application ${selfRegistered ? `${displayName}, which registered itself` : id}`,
  });
  await appendChanges(tx, accountId, [row]);
}

function rowOf(
  { user, address, requestId, now }: BrowserVisit,
  change: Pick<ChangeRow, 'kind' | 'verb' | 'name'> & Partial<ChangeRow> & { type: string },
): ChangeRow {
  return {
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
}
